"""A limit that counts nothing yet is named to whoever set it, and to nobody else."""

from __future__ import annotations

import pytest

from collab import environment
from collab.cli.checks.limits import limits
from collab.cli.main import main


@pytest.fixture
def found(tmp_path):
    def write(text):
        file = tmp_path / "earshot.toml"
        file.write_text(text)
        return environment.read({"EARSHOT_CONFIG": str(file)})

    return write


def test_limits_of_chat_apps_are_named_while_there_are_none(found):
    (line,) = limits(found("[limits]\nguest_daily = 50\nhosted_inputs = 9\nper_chat_hour = 3"))
    assert line.words.startswith("per_chat_hour, guest_daily: taken, but nothing is counted by them")
    assert "chat apps are not built yet" in line.words


@pytest.mark.parametrize("text", ["", "[limits]\nhosted_inputs = 9\nconnected_inbox = 3\nagent_inputs_per_minute = 1"])
def test_limits_that_count_are_not_mentioned(found, text):
    assert limits(found(text)) == []


def test_the_command_says_it(installation, tmp_path, monkeypatch, capsys):
    file = tmp_path / "earshot.toml"
    file.write_text("[limits]\nmember_daily = 3")
    monkeypatch.setenv("EARSHOT_CONFIG", str(file))
    main(["check"])
    assert "ok      limits           member_daily: taken, but nothing is counted" in capsys.readouterr().out
