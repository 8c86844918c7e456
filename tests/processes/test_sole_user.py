"""One process holds a data folder, and others can tell which."""

from __future__ import annotations

import fcntl
import os
import socket
import threading

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


@pytest.mark.parametrize("role", ["up", "init", "move"])
def test_a_refusal_names_the_command_that_has_the_folder(tmp_path, role):
    told = rf"in use by `earshot {role}` \(process {os.getpid()} on "
    again = prepare.sole_user(tmp_path)
    with prepare.sole_user(tmp_path, role), pytest.raises(prepare.AlreadyRunning, match=told), again:
        pass


def test_a_holder_that_has_not_said_who_it_is_yet_is_refused_all_the_same(tmp_path):
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(prepare.AlreadyRunning, match="another earshot command"), prepare.sole_user(tmp_path):
            pass


def test_a_start_waits_for_whoever_merely_looks(tmp_path):
    """`earshot status` holds the file for a moment, to see whether anybody else does."""
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        later = threading.Timer(0.15, fcntl.flock, (lock, fcntl.LOCK_UN))
        later.start()
        with prepare.sole_user(tmp_path):
            assert prepare.user_of(tmp_path).pid == os.getpid()
        later.join()
