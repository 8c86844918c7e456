"""Counters of a fleet lie in Redis as JSON, so that nothing written there is ever run."""

from __future__ import annotations

import os
import pickle

import pytest
from django.core.cache.backends.redis import RedisCache

from collab.settings.plain import Plain
from tests.test_settings import evaluated


@pytest.mark.parametrize("value", [0, -3, "word", None, ["a", 1]])
def test_what_goes_in_comes_out(value: object):
    assert Plain().loads(Plain().dumps(value).encode()) == value


def test_a_pickle_is_refused():
    with pytest.raises(UnicodeDecodeError):
        Plain().loads(pickle.dumps(print))


def test_a_fleet_s_cache_is_kept_so():
    expression = "CACHES['default']['OPTIONS']['serializer']"
    assert evaluated("house", expression, REDIS_URL="redis://r:6379/0") == "collab.settings.plain.Plain"


@pytest.mark.fleet
def test_redis_counts_them_up():
    cache = RedisCache(os.environ["TEST_REDIS_URL"], {"OPTIONS": {"serializer": "collab.settings.plain.Plain"}})
    cache.delete("tries")
    assert cache.add("tries", 0, 60)
    assert not cache.add("tries", 5, 60)
    assert [cache.incr("tries"), cache.incr("tries"), cache.get("tries")] == [1, 2, 2]
    cache.delete("tries")
    with pytest.raises(ValueError, match="tries"):
        cache.incr("tries")
