"""A process' children are found by what the system says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from collab.processes import kin

MARK = "a-mark-of-this-test"


@pytest.fixture
def child():
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", MARK])
    yield started
    started.kill()
    started.wait()


@pytest.mark.skipif(not kin.PROC.joinpath("self/stat").exists(), reason="this system has no /proc")
def test_by_the_folder_of_processes(child):
    assert kin.children(os.getpid(), MARK) == [child.pid]
    assert kin.children(os.getpid(), "another mark") == []
    assert kin.children(child.pid, MARK) == []


@pytest.mark.skipif(shutil.which("ps") is None, reason="this machine has no ps")
def test_by_ps(child):
    assert [pid for pid, above, command in kin._from_ps() if above == os.getpid() and MARK in command] == [child.pid]


def test_of_numbers_that_somebody_names_those_count_that_are_what_they_say(child):
    others = [0, -1, 1, os.getpid(), 2**31 - 1]
    assert kin.among([*others, child.pid], MARK) == [child.pid]
    assert kin.among(others, MARK) == []
    assert kin.among([child.pid], "another mark") == []
