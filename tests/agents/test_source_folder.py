"""A folder as a source: what lies in it can be read, and nothing else can, whatever the path says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.db import connections

from messaging.agents.sources import folder
from messaging.agents.tools.base import Failed
from messaging.domain.call import MAX_RESULT
from tests.agents.sources import Asking, seat, source

pytestmark = pytest.mark.django_db


@pytest.fixture
def papers(tmp_path):
    root = tmp_path / "papers"
    (root / "plans" / "deep").mkdir(parents=True)
    (root / "hello.txt").write_text("Hello, Grüße.\n")
    (root / "plans" / "deep" / "one.md").write_text("# One\n")
    (root / ".hidden").write_text("CANARY")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("CANARY")
    (root / "acme_api_key").write_text("CANARY")
    (root / "image.png").write_bytes(b"\x89PNG\0\0")
    (root / "latin.txt").write_bytes("Grüße".encode("latin-1"))
    (tmp_path / "outside.txt").write_text("CANARY")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "up").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    return root


@pytest.fixture
def things(papers):
    source("folder", {"path": str(papers)})
    with Asking(seat("things")) as asking:
        yield asking


def test_it_has_two_tools_that_only_read(things):
    assert things.names == ["things__list", "things__read"]
    assert not any(one.acts for one in things.opened.tools())


def test_a_seat_without_the_grant_has_neither(papers):
    source("folder", {"path": str(papers)})
    with Asking(seat()) as other:
        assert other.names == []


def test_what_is_there_is_listed_and_nothing_hidden_and_no_link(things):
    assert things.call("list").splitlines() == [
        "hello.txt (16 bytes)", "image.png (6 bytes)", "latin.txt (5 bytes)", "plans/",
    ]  # fmt: skip
    assert things.call("list", path="plans/deep/") == "one.md (6 bytes)"


def test_a_file_is_read(things):
    assert things.call("read", path="hello.txt") == "(bytes 0 to 16 of 16)\nHello, Grüße.\n"
    assert things.call("read", path="plans/deep/one.md").endswith("# One\n")


def test_a_long_one_piece_by_piece_and_signs_that_are_cut_in_two_hurt_nobody(things, papers):
    text = "ü" * 10_000
    (papers / "long.txt").write_text(text)
    first = things.call("read", path="long.txt", offset=1)
    assert len(first.encode()) <= MAX_RESULT
    head, _, body = first.partition("\n")
    assert head == "(bytes 1 to 7501 of 20000)"
    assert set(body) == {"ü"}
    assert things.call("read", path="long.txt", offset=20_000) == "(bytes 20000 to 20000 of 20000)\n"


@pytest.mark.parametrize(
    "path",
    ["../outside.txt", "plans/../../outside.txt", "/etc/passwd", ".hidden", ".git/config", "link.txt", "up/outside.txt",
     "acme_api_key", "pipe", "absent", "plans", "", "plans/deep/one.md/x", "a/" * 40 + "b", "hello.txt\\", "./.hidden"],
)  # fmt: skip
def test_there_is_no_other_way(things, path):
    reason, told = things.fails("read", path=path)
    assert reason == "no_such_file"
    assert "CANARY" not in told


@pytest.mark.parametrize("path", ["..", "up", ".git", "hello.txt", "absent"])
def test_nor_to_list(things, path):
    assert things.fails("list", path=path)[0] == "no_such_file"


@pytest.mark.parametrize("name", ["image.png", "latin.txt"])
def test_what_is_no_text_is_not_carried(things, name):
    assert things.fails("read", path=name)[0] == "no_text"


@pytest.mark.parametrize("arguments", [{"path": 3}, {"path": "a\0b"}, {"path": "x" * 2000}, {"path": "hello.txt", "offset": -1},
                                       {"path": "hello.txt", "offset": True}])  # fmt: skip
def test_arguments_that_do_not_fit_are_refused(things, arguments):
    assert things.fails("read", **arguments)[0] == "bad_arguments"


def test_one_that_is_swapped_for_a_link_afterwards_leads_nowhere(things, papers):
    (papers / "plans").rename(papers / "elsewhere")
    (papers / "plans").symlink_to(papers.parent)
    assert things.fails("read", path="plans/outside.txt")[0] == "no_such_file"


@pytest.mark.parametrize("there", [False, True])
def test_where_there_is_no_folder_that_is_said(tmp_path, there):
    path = tmp_path / "file"
    if there:
        path.touch()
    assert source("folder", {"path": str(path)}).fault == "source_folder"


def test_the_folder_itself_is_no_link(tmp_path, papers):
    (tmp_path / "linked").symlink_to(papers)
    assert source("folder", {"path": str(tmp_path / "linked")}).fault == "source_folder"


def test_nothing_of_the_folder_with_our_database_is_read(papers, monkeypatch):
    """Neither as the folder itself, nor below it, nor on the way down."""
    own = papers / "data"
    (own / "below").mkdir(parents=True)
    for name in ("data/words.txt", "data/below/words.txt"):
        (papers / name).write_text("CANARY")

    class House:
        vendor, settings_dict = "sqlite", {"NAME": str(own / "earshot.sqlite3")}

    monkeypatch.setattr(folder, "connections", type("Connections", (), {"all": lambda _: [House()]})())
    assert folder.find({"path": str(papers)})[1] == ""
    assert [folder.find({"path": str(one)})[1] for one in (own, own / "below")] == ["source_folder"] * 2
    for path in ("data/words.txt", "data/below/words.txt"):
        with pytest.raises(Failed):
            folder.run("things", {"path": str(papers)}, "read", {"path": path})
    assert connections.all()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no such folder here")
def test_nor_of_the_systems_own(monkeypatch):
    assert folder.find({"path": "/proc"})[1] == "source_folder"
    # What is mounted below a folder is not reached either, where somebody takes one so high.
    monkeypatch.setattr(folder, "fault", lambda *_: None)
    with pytest.raises(Failed) as failed:
        folder.run("things", {"path": "/"}, "read", {"path": f"proc/{os.getpid()}/status"})
    assert failed.value.reason == "no_such_file"
