"""The core is what is left when harness/papers is deleted, and it works."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = (
    "harness",
    "conf",
    "datasets",
    "reports",
    "tests",
    "pyproject.toml",
    "constraints.txt",
    "Makefile",
    "README.md",
)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree without papers, installed as far as entry points go: those of the papers are gone, too."""
    folder = tmp_path_factory.mktemp("core") / "tree"
    folder.mkdir()
    for name in PARTS:
        ignored = shutil.ignore_patterns("papers", "__pycache__", "site")
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    installed = folder / f"multihop_harness-{version}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: multihop-harness\nVersion: {version}\n")
    return folder


def python(core: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(core)}
    return subprocess.run([sys.executable, *arguments], cwd=core, env=environment, capture_output=True, text=True)


def test_what_is_left_sweeps(core: Path, bench: Path) -> None:
    lists = [f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25")]
    data = ["dataset=folder", f"dataset.path={bench}", "paths.runs=runs", "tracking=none"]
    done = python(core, "-m", "harness", "sweep", *data, *lists)
    assert done.returncode == 0, done.stderr
    assert (Path(core, done.stdout.splitlines()[-1]) / "winner.lock.json").is_file()
    refused = python(core, "-m", "harness", "sweep", *data, *lists, "grid=point", "fuser=quantum")
    assert refused.returncode == 2
    assert "fuser=quantum is not known" in refused.stderr


def test_nothing_that_is_left_names_a_paper(core: Path) -> None:
    found = [path for path in (core / "harness").rglob("*.py") if "import harness.papers" in path.read_text()]
    found += [path for path in (core / "harness").rglob("*.py") if "from harness.papers" in path.read_text()]
    found += [path for path in (core / "conf").rglob("*.yaml") if "harness.papers" in path.read_text()]
    assert found == []
    asked = "from harness.core.configuration import names; import json; print(json.dumps(names('retriever')))"
    left = json.loads(python(core, "-c", asked).stdout)
    assert "ppr" in left
    assert not {"policyrag", "dice", "beam", "hipporag"} & set(left)


@pytest.mark.slow
def test_what_is_left_passes_its_own_tests_and_checks(core: Path) -> None:
    folders = sorted(
        path.name for path in (core / "tests").iterdir() if path.is_dir() and path.name not in ("soak", "benchmarks")
    )
    done = python(
        core, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *(f"tests/{name}" for name in folders)
    )
    assert done.returncode == 0, done.stdout[-5000:]
    for tool in (("ruff", "check", "harness", "tests"), ("mypy",), ("importlinter.cli",)):
        checked = python(core, "-m", *tool)
        assert checked.returncode == 0, checked.stdout[-3000:]
