"""The files for deployment parse, name only what exists, and give each process no more than it needs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from collab import environment
from collab.cli.main import ROLES
from collab.processes import agents_environment

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SYSTEMD = DEPLOY / "systemd"
#: Read outside of the list of settings: how many web processes, and uvicorn's own word for who may be believed.
BESIDE = {"WEB_CONCURRENCY", "FORWARDED_ALLOW_IPS"}
SECRETS = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "EMAIL_URL"}
SECRET = re.compile(r"(?<![{$\w])\w*(?:PASSWORD|SECRET_KEY|API_KEY)(?:: |=)(\S+)")
ASSIGNED = re.compile(r"^(?:# .*: )?([A-Z][A-Z_]+)=", re.MULTILINE)


def settings() -> set[str]:
    source = (ROOT / "collab" / "environment.py").read_text()
    return set(re.findall(r"\"([A-Z][A-Z_]{3,})\"", source)) | environment.OWN_NAMES | BESIDE


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
    return found


def of_earshot() -> dict[str, Any]:
    return {name: service for name, service in compose()["services"].items() if service["image"] == "earshot"}


def test_each_variable_of_each_service_is_a_setting():
    named = {name for service in of_earshot().values() for name in service["environment"]}
    assert named
    assert named <= settings()


def test_each_service_runs_a_role():
    commands = {name: service["command"] for name, service in of_earshot().items()}
    assert commands.pop("migrate") == ["manage", "migrate"]
    assert set(commands.values()) == {"web", "worker", "agents", "beat"} <= set(ROLES)


def test_agents_in_a_container_hold_nothing_of_the_house():
    agents = of_earshot()["agents"]
    assert not SECRETS & set(agents["environment"])
    assert "volumes" not in agents
    filled = {name: re.sub(r"\$\{\w+:\?\}", "x", value) for name, value in agents["environment"].items()}
    assert environment.of_agents_alone(filled) == (filled["AGENTS_DATABASE_URL"], filled["AGENTS_REDIS_URL"])
    # The twin: the worker has what agents have not.
    assert set(of_earshot()["worker"]["environment"]) >= SECRETS


def test_each_mounted_file_is_there_and_each_volume_is_declared():
    found = compose()
    for service in found["services"].values():
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            if not source.startswith("."):
                assert source in found["volumes"]
            elif source != "./certificates":
                assert (DEPLOY / "compose" / source).is_file(), source


def test_whatever_compose_asks_for_stands_in_the_example():
    text = (DEPLOY / "compose" / "compose.yaml").read_text()
    asked = set(re.findall(r"\$\{([A-Z_]+)", text))
    assert asked == set(ASSIGNED.findall((DEPLOY / "compose" / "env.example").read_text()))


def test_only_the_proxy_can_be_reached_from_outside():
    services = compose()["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    in_front = {name for name, service in services.items() if "front" in service["networks"]}
    assert in_front == {"proxy", "web1", "web2"}


def test_the_image_takes_what_is_there_and_nothing_else_gets_into_it():
    text = (DEPLOY / "Containerfile").read_text()
    copied = [word for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for word in line.split()]
    assert len(copied) == 6
    assert [name for name in copied if not (ROOT / name).exists()] == []
    # Everything is left out but these.
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert ignored == ["*", *(f"!{name}" for name in (*copied[1:3], copied[0], *copied[3:])), "**/__pycache__"]
    assert re.findall(r"^USER (\w+)$", text, re.MULTILINE) == ["earshot"]


def units() -> list[Path]:
    return sorted(SYSTEMD.glob("*.service"))


@pytest.mark.parametrize("unit", units(), ids=lambda unit: unit.name)
def test_each_unit_runs_a_role_with_settings_that_exist(unit: Path):
    text = unit.read_text()
    (role,) = re.findall(r"^ExecStart=/opt/earshot/bin/earshot (\w+)$", text, re.MULTILINE)
    assert role in ROLES
    assert set(re.findall(r"^Environment=([A-Z_]+)=", text, re.MULTILINE)) <= settings()
    (file,) = re.findall(r"^EnvironmentFile=/etc/earshot/(\S+)$", text, re.MULTILINE)
    assert (file == "agents.env") == (role == "agents")
    assert ("DynamicUser=yes" in text) == (role == "agents")
    assert f"{file}.example" in {path.name for path in SYSTEMD.iterdir()}


def test_the_target_wants_units_that_are_there():
    wanted = re.findall(r"earshot-(\w+)(@\w+)?\.service", (SYSTEMD / "earshot.target").read_text())
    names = {f"earshot-{role}{'@' if instance else ''}.service" for role, instance in wanted}
    assert names == {unit.name for unit in units()} - {"earshot.service"}


@pytest.mark.parametrize("file", sorted(DEPLOY.rglob("*.example")), ids=lambda file: file.name)
def test_each_example_names_settings_alone(file: Path):
    named = set(ASSIGNED.findall(file.read_text()))
    assert named
    if file.name == "agents.env.example":
        assert not SECRETS & named
        assert named <= {name for name in named if name in agents_environment.cleaned(dict.fromkeys(named, "x"), "x")}
    elif file.name != "env.example":
        assert named <= settings()


def blocks() -> tuple[dict[str, str], dict[str, str]]:
    """The two blocks of settings on the page about a fleet: of the house, of agents."""
    step = (ROOT / "docs" / "operate.md").read_text().split("**Settings.**", 1)[1].split("**Tables", 1)[0]
    house, agents = (dict(re.findall(r"^ +([A-Z_]+)=(\S+)", one, re.MULTILINE)) for one in step.split("```")[1:4:2])
    return house, agents


def test_the_page_on_a_fleet_has_blocks_that_each_process_starts_with():
    house, agents = blocks()
    assert set(house) <= settings()
    found = environment.read(house | {"SECRET_KEY": "x" * 40})
    assert (found.embedded, found.agents_share_redis, found.https) == (False, False, True)
    assert not SECRETS & set(agents)
    assert environment.of_agents_alone(agents) == (house["AGENTS_DATABASE_URL"], house["AGENTS_REDIS_URL"])


@pytest.mark.parametrize("script", sorted(DEPLOY.glob("*.sh")), ids=lambda script: script.name)
def test_each_script_can_be_read_by_a_shell(script: Path):
    assert subprocess.run(["sh", "-n", script], check=False).returncode == 0
    assert script.stat().st_mode & 0o111


def test_no_secret_stands_in_any_of_them():
    assert SECRET.findall("HOUSE_PASSWORD: hunter2\nSECRET_KEY=hunter3") == ["hunter2", "hunter3"]
    for file in DEPLOY.rglob("*"):
        if file.is_file():
            for value in SECRET.findall(file.read_text()):
                assert value.startswith(("${", '"$', "...")), (file, value)
