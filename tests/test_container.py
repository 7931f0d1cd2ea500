"""The image and the development container: built where docker or buildah is, else read."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTRUCTIONS = {"FROM", "ARG", "ENV", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD"}


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_image_copies_what_is_there_and_what_its_context_holds() -> None:
    kept = {
        line.removeprefix("!").split("/")[0]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    found = instructions()
    assert {name for name, _ in found} <= INSTRUCTIONS
    for name, words in found:
        if name == "COPY":
            *sources, _ = words.split()
            assert all(
                (ROOT / source).exists() and source.split("/")[0] in kept for source in sources
            ), words


def test_the_image_is_built_by_the_readmes_target() -> None:
    found = instructions()
    given = dict(words.split("=", 1) for name, words in found if name == "ARG")
    assert given == {"DEVICE": "cpu", "TORCH": "cpu"}
    run = " ".join(words for name, words in found if name == "RUN")
    assert "make setup TORCH=$TORCH DEVICE=$DEVICE" in run
    assert "pip install" not in run
    assert found[0] == ("FROM", "python:3.11-slim")
    assert ("USER", "1000") in found


def test_the_development_container_runs_a_target_that_is_there() -> None:
    made = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert made["image"].endswith(":3.11")
    (target,) = re.findall(r"^make ([\w-]+) TORCH=cpu$", made["postCreateCommand"])
    assert f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8")


def builder() -> list[str] | None:
    """A command that builds images here; None where there is none, or none that works."""
    for command in (["docker", "build"], ["buildah", "build"]):
        ready = (
            shutil.which(command[0])
            and not subprocess.run([command[0], "info"], capture_output=True).returncode
        )
        if ready:
            return command
    return None


@pytest.mark.slow
def test_the_image_is_built_and_runs() -> None:
    command = builder()
    if command is None:
        pytest.skip("neither docker nor buildah works here")
    subprocess.run([*command, "-t", "harness-test", str(ROOT)], check=True, timeout=1800)
    if command[0] == "docker":
        said = subprocess.run(
            ["docker", "run", "--rm", "harness-test", "--version"],
            check=True,
            capture_output=True,
            text=True,
        )
        assert PROJECT["version"] in said.stdout
