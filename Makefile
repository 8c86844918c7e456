# `make run` and `make test` are all that a newcomer needs; each installs what it needs first.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: run serve test check setup lock clean

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

setup:
	@bin/setup test

lock:
	@bin/setup test
	@bin/lock

clean:
	rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache test-results
