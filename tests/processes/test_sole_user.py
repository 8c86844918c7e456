"""One process holds a data folder, and others can tell which."""

from __future__ import annotations

import os
import socket

import pytest

from collab.processes import prepare


def test_while_it_is_held_its_holder_is_told(tmp_path):
    assert prepare.user_of(tmp_path / "absent") is None
    with prepare.sole_user(tmp_path, "move"):
        found = prepare.user_of(tmp_path)
        assert (found.role, found.pid, found.host) == ("move", os.getpid(), socket.gethostname())
    assert prepare.user_of(tmp_path) is None


def test_a_second_one_is_refused_and_does_not_wipe_out_the_first_one_s_word(tmp_path):
    with prepare.sole_user(tmp_path):
        with pytest.raises(prepare.AlreadyRunning), prepare.sole_user(tmp_path):
            pass
        assert prepare.user_of(tmp_path).role == "up"


def test_looking_keeps_nobody_out(tmp_path):
    with prepare.sole_user(tmp_path):
        pass
    assert prepare.user_of(tmp_path) is None
    with prepare.sole_user(tmp_path):
        pass
