"""What the light installation does, and what it says of what it lacks."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from harness.core.configuration.extras import missing_library, pip_install, program
from tests.process import harness

ROOT = Path(__file__).parents[3]
SWEEP = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]["sweep"]
NAMES = sorted({name.partition(">")[0].partition("<")[0] for name in SWEEP})
MODULES = sorted({name.replace("-", "_") for name in NAMES})
WITHOUT = f"""
import importlib.metadata, sys

class Light:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {MODULES!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Light())
discover = importlib.metadata.Distribution.discover
importlib.metadata.Distribution.discover = (
    lambda **asked: iter(()) if asked.get("name") in {NAMES!r} else discover(**asked)
)
"""
MAIN = "from harness.__main__ import main; main()"
"""A process that cannot import what the extra ``sweep`` brings."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the checkout, where a line to type may name its programs by a relative path."""
    monkeypatch.chdir(tmp_path)


def light(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + MAIN, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_evaluate_and_compare_need_none_of_it(bench: Path, tmp_path: Path) -> None:
    gold, run = f"gold={bench / 'queries.jsonl'}", f"run={bench / 'graph.trec'}"
    lines = [
        [*typed, gold, f"out={tmp_path / typed[0]}.{ending}"]
        for typed in (["evaluate", run], ["compare", run, f"baseline={bench / 'dense.trec'}"])
        for ending in ("json", "tex", "csv", "txt")
    ]
    script = f"""
from harness.__main__ import main
for line in {lines!r}:
    sys.argv = ["harness", *line]
    main()
"""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("last_hop@5") >= len(lines)
    written = {path.name for path in tmp_path.iterdir()}
    assert {Path(line[-1]).name for line in lines} <= written


def test_doctor_says_what_the_small_installation_can_do(tmp_path: Path) -> None:
    done = light(tmp_path, "doctor")
    assert done.returncode == 0, done.stderr
    told = "small      evaluate, compare, power, list and verify work here; fuse, sweep, report "
    assert f"{told}and figures need: {pip_install('cpu,models')}" in done.stdout.splitlines()


def test_a_function_that_lacks_a_library_is_one_line(tmp_path: Path) -> None:
    code = """
import harness
try:
    harness.fuse
except harness.HarnessError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (
        done.stdout == f"harness.fuse needs torch, which is not installed: {pip_install('sweep')}\n"
    ), done.stderr


def test_the_line_to_type_names_the_folder_that_was_installed() -> None:
    """As it is in no index: these tests run on what pip installed from the checkout."""
    assert pip_install("cpu").endswith(f"pip install '{ROOT}[cpu]'")


def test_their_functions_need_none_of_it(bench: Path, tmp_path: Path) -> None:
    code = """
import harness, json
gold = harness.Gold.read(sys.argv[1] + "/queries.jsonl")
runs = harness.read_all({name: f"{sys.argv[1]}/{name}.trec" for name in ("dense", "graph")})
print(json.dumps(harness.compare(runs["graph"], runs["dense"], gold, "last_hop@5").wins))
"""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + code, bench], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) > 0


@pytest.mark.parametrize(
    ("arguments", "library"),
    [
        (["sweep"], "torch"),
        (["fuse", "lists={a: x.trec, b: x.trec}", "out=o.trec"], "torch"),
        (["evaluate", "run=x.trec", "gold=sample"], "datasets"),
    ],
)
def test_a_command_that_lacks_a_library_names_the_line_to_type(
    tmp_path: Path, arguments: list[str], library: str
) -> None:
    (tmp_path / "x.trec").write_text("q Q0 d 1 1 x\n")
    done = light(tmp_path, *arguments)
    said = f"harness {arguments[0]} needs {library}, which is not installed: {pip_install('sweep')}"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"error: {said}")


def test_what_can_be_chosen_is_listed_without_them(tmp_path: Path) -> None:
    script = "from harness.__main__ import main; main(['list', 'fuser']); main(['list', 'metric'])"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "boltzmann" in done.stdout
    assert "GraphLoss" in done.stdout


def test_the_smallest_extra_that_brings_it() -> None:
    installed = {
        name
        for name in ("ray", "openai", "s3fs")
        if any(importlib.metadata.Distribution.discover(name=name))
    }
    for library, extra in (("ray", "ray"), ("openai", "openai"), ("s3fs", "s3")):
        told = missing_library(ImportError(name=f"{library}.part"), "harness sweep")
        assert (told is None) == (library in installed)
        assert told is None or str(told).endswith(pip_install(extra))
    assert missing_library(ImportError(name="nobody_has_it"), "harness sweep") is None
    assert missing_library(ImportError(), "harness sweep") is None


def test_a_launcher_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    typed = ("sweep", "-m", "hydra/launcher=none", "encoder=hashed,static", "dry_run=true")
    done = harness(*typed, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"'hydra/launcher/none'; launchers come with extras: {pip_install('joblib,slurm')}" in (
        done.stderr
    )


def test_a_program_is_named_as_a_shell_here_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name in an active environment, otherwise by its path; a missing one by name."""
    binaries = tmp_path / "my project" / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name in ("python", "harness"):
        (binaries / name).touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(binaries / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir("/")
    path = (binaries / "harness").relative_to("/")
    assert program("harness") == f"'{path}'"
    monkeypatch.chdir(tmp_path / "my project")
    assert program("harness") == ".venv/bin/harness"
    assert program("pip") == "pip"
    monkeypatch.setenv("PATH", f"{binaries}:/usr/bin:/bin")
    assert program("harness") == "harness"
