"""The file of EARSHOT_CONFIG: what it says counts, and what it may not say stops the start by its name."""

from __future__ import annotations

import pytest

from collab import environment
from collab.configuration import Configuration, read
from collab.environment import UnsafeSetting
from messaging.domain.limit import Limits


@pytest.fixture
def written(tmp_path):
    def write(text):
        file = tmp_path / "earshot.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(file)

    return write


def test_without_a_file_the_bounds_are_those_of_the_decisions():
    assert read(None) == Configuration("", Limits(30, 16, 10_000, 20, 60, 200, 50))


def test_what_it_says_counts_and_the_rest_stays(written):
    found = read(written('[owner]\nhandle = "alex"\n[limits]\nagent_inputs_per_minute = 500\nper_sender_hour = 1\n'))
    assert found == Configuration("alex", Limits(agent_inputs_per_minute=500, per_sender_hour=1), ("per_sender_hour",))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[limits]\nper_minute = 3", "per_minute"),
        ("[limits]\nhosted_inputs = 0", "hosted_inputs"),
        ("[limits]\nhosted_inputs = -1", "hosted_inputs"),
        ("[limits]\nhosted_inputs = 1.5", "hosted_inputs"),
        ("[limits]\nhosted_inputs = true", "hosted_inputs"),
        ('[limits]\nhosted_inputs = "9"', "hosted_inputs"),
        (f"[limits]\nhosted_inputs = {2**40}", "hosted_inputs"),
        ("limits = 3", "limits"),
        ("[surprise]\nx = 1", "surprise"),
        ("[people.sam]\nname = 'Sam'", "people"),
        ("[channels.slack]\nenabled = true", "channels"),
        ("[owner]\nids = {}", "ids"),
        ("[owner]\nhandle = 'not a handle'", "handle"),
        ("[owner]\nhandle = 7", "handle"),
        ("[owner", "TOML"),
        (b"\xff\xfe", "TOML"),
    ],
)
def test_what_it_may_not_say_stops_the_start(written, text, named):
    with pytest.raises(UnsafeSetting, match=named) as stopped:
        environment.read({"EARSHOT_CONFIG": written(text)})
    assert stopped.value.name == "EARSHOT_CONFIG"


@pytest.mark.parametrize("address", ["/no/such/file.toml", "/"])
def test_a_file_that_cannot_be_read_stops_the_start(address):
    with pytest.raises(UnsafeSetting, match="EARSHOT_CONFIG names no file"):
        environment.read({"EARSHOT_CONFIG": address})
