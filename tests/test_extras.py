"""Every extra installs beside constraints.txt, with every Python that is promised."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
GPU = ROOT / "reports" / "docs" / "constraints-gpu.txt"
PINNED = {
    canonicalize_name(one.name): one.specifier
    for one in map(Requirement, (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines())
}


@pytest.mark.parametrize("extra", EXTRAS)
def test_what_an_extra_asks_for_allows_the_pinned_version(extra: str) -> None:
    for wanted in map(Requirement, EXTRAS[extra]):
        for pin in PINNED.get(canonicalize_name(wanted.name), ()):
            assert wanted.specifier.contains(pin.version), f"{wanted}, pinned is {pin}"


@pytest.mark.slow
def test_every_pinned_version_allows_the_lowest_python(tmp_path: Path) -> None:
    """``Requires-Python`` of the index's metadata, whichever Python runs the tests."""
    report = tmp_path / "report.json"
    asked = ["--dry-run", "--no-deps", "--ignore-installed", "--ignore-requires-python"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--retries", "0", *asked),
            *("--report", str(report), "-r", str(ROOT / "constraints.txt")),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip(f"pip finds no index here: {done.stderr.strip().splitlines()[-1]}")
    lowest = Version(PROJECT["requires-python"].removeprefix(">="))
    found = [one["metadata"] for one in json.loads(report.read_text())["install"]]
    assert len(found) >= len(PINNED) - 1  # pgserver has no build for Python 3.13
    needs = {one["name"]: SpecifierSet(one.get("requires_python") or "") for one in found}
    assert {name: str(need) for name, need in needs.items() if lowest not in need} == {}


@pytest.mark.slow
@pytest.mark.parametrize("extra", EXTRAS)
def test_pip_resolves_it_beside_the_pinned_ones(extra: str, tmp_path: Path) -> None:
    """All that it brings too, in a resolution of its own: nothing that is installed here counts."""
    pins = ["-c", str(ROOT / "constraints.txt"), *(("-c", str(GPU)) if extra == "gpu" else ())]
    asked = ["--dry-run", "--quiet", "--ignore-installed", *pins, f"{ROOT}[{extra}]"]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--retries", "0"]
    reached = subprocess.run(
        [*pip, *asked[:3], "packaging"], cwd=tmp_path, capture_output=True, text=True
    )
    if reached.returncode:
        pytest.skip(f"pip finds no index here: {reached.stderr.strip().splitlines()[-1]}")
    done = subprocess.run([*pip, *asked], cwd=tmp_path, capture_output=True, text=True)
    assert not done.returncode, done.stderr


@pytest.mark.slow
def test_the_light_installation_is_small_and_compares(bench: Path, tmp_path: Path) -> None:
    """In an environment of its own: at most 450 MB without bytecode, no PyTorch."""
    venv.create(tmp_path / "light", with_pip=True)
    python = tmp_path / "light" / "bin" / "python"
    pip = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--retries",
        "0",
        "-c",
        ROOT / "constraints.txt",
    ]
    if (
        done := subprocess.run([*pip, "packaging"], cwd=tmp_path, capture_output=True, text=True)
    ).returncode:
        pytest.skip(f"pip finds no index here: {done.stderr.strip().splitlines()[-1]}")
    subprocess.run([*pip, ROOT], cwd=tmp_path, check=True)
    files = [
        path for path in (tmp_path / "light").rglob("*") if path.is_file() and path.suffix != ".pyc"
    ]
    assert sum(path.stat().st_size for path in files) < 450e6
    names = {path.name for path in (tmp_path / "light").glob("lib/python*/site-packages/*")}
    assert {"scipy", "statsmodels"} <= names
    assert not names & {"torch", "mlflow", "datasets", "transformers"}
    runs = [
        f"run={bench / 'graph.trec'}",
        f"baseline={bench / 'dense.trec'}",
        f"gold={bench / 'queries.jsonl'}",
    ]
    done = subprocess.run(
        [python, "-m", "harness", "compare", *runs], cwd=tmp_path, capture_output=True, text=True
    )
    assert "last_hop@5" in done.stdout, done.stderr
    done = subprocess.run(
        [python, "-m", "harness", "sweep"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, f"pip install '{ROOT}[sweep]'" in done.stderr) == (2, True), (
        done.stderr
    )
