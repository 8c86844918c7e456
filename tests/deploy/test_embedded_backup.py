"""SQLite is backed up while people post, by the commands on the page."""

from __future__ import annotations

import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest

from tests.deploy import place
from tests.journeys.client import Member
from tests.services.earshot import Installation

pytestmark = pytest.mark.deploy


def test_a_backup_taken_while_it_runs_is_an_installation(tmp_path: Path):
    running = Installation(tmp_path / "home")
    try:
        running.up()
        alex = Member(running, running.tokens()["tokens"]["alex"])
        before = backed_up_while_posting(running, alex, tmp_path)
        everything = len(alex.messages())
    finally:
        running.stop()
    copy = sqlite3.connect(tmp_path / "backup" / "earshot.sqlite3")
    assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    copy.close()
    restored = Installation(tmp_path / "backup")
    try:
        restored.up()
        member = Member(restored, alex.secret)
        kept = [one["id"] for one in member.messages()]
        assert set(before) <= set(kept)
        assert len(before) <= len(kept) <= everything
        assert "again" in member.answer_to(member.say("again", "active_agent"))["text"]
    finally:
        restored.stop()


def backed_up_while_posting(running: Installation, alex: Member, folder: Path) -> list[str]:
    """Run the commands amid posts; return what was acknowledged before."""
    before, stopped, posts = [alex.say(f"before {n}")["id"] for n in range(20)], threading.Event(), []

    def post() -> None:
        while not stopped.is_set():
            posts.append(alex.say("meanwhile"))

    posting = threading.Thread(target=post, daemon=True)
    posting.start()
    place.shell(place.command("back up sqlite"), running.environ, folder)
    stopped.set()
    posting.join(20)
    assert posts
    return before


def test_a_mere_copy_of_the_file_would_miss_what_was_just_said(tmp_path: Path):
    """The control: why the page says so."""
    running = Installation(tmp_path / "home")
    try:
        running.up()
        alex = Member(running, running.tokens()["tokens"]["alex"])
        said = alex.say("just now")["id"].replace("-", "")
        subprocess.run(["cp", tmp_path / "home" / "earshot.sqlite3", tmp_path / "copy.sqlite3"], check=True)
        copy = sqlite3.connect(tmp_path / "copy.sqlite3")
        try:
            found = copy.execute("SELECT count(*) FROM transcript_message WHERE id = ?", [said]).fetchone()[0]
        except sqlite3.DatabaseError:
            found = 0
        assert found == 0
    finally:
        running.stop()
