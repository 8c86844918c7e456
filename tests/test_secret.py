from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from collab import secret


def test_the_key_is_made_once_and_kept_private(tmp_path: Path):
    home = tmp_path / "home"
    key = secret.kept_in(home)
    assert len(key) > 32
    assert secret.kept_in(home) == key
    assert stat.S_IMODE((home / "secret_key").stat().st_mode) == 0o600


def test_two_that_start_at_once_have_one_key(tmp_path: Path):
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(secret.kept_in, [tmp_path] * 8))
    assert len(keys) == 1


def test_an_empty_key_is_told_and_not_used(tmp_path: Path):
    (tmp_path / "secret_key").touch()
    with pytest.raises(RuntimeError, match="empty"):
        secret.kept_in(tmp_path)
