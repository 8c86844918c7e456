# `make run` and `make test` are all that a newcomer needs; each installs what it needs first.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: run serve test check bench soak setup lock clean

run:
	@bin/setup run
	@exec .venv/bin/earshot up

# One web server of a production installation; worker, agents and beat are started the same way.
serve:
	@bin/setup run
	@exec .venv/bin/earshot web

test:
	@bin/setup test
	@exec .venv/bin/python -m tests.run all

check:
	@bin/setup test
	@exec .venv/bin/python -m tests.run check

# Half an hour and more of kills; CHAOS_SEED=n repeats the kills of an earlier run.
soak:
	@bin/setup test
	@exec .venv/bin/python -m tests.run soak

# Half an hour beside the limit of our own stack; the table is written into docs/bench.md.
bench:
	@bin/setup test
	@exec .venv/bin/python bench/run.py $(BENCH)

setup:
	@bin/setup test

lock:
	@bin/setup test
	@bin/lock

clean:
	rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache test-results
