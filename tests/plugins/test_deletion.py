"""A plug-in is a folder: without it, or without any, the core works; one that is broken takes
nothing along.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from harness.core.configuration.extensions import BROUGHT, PLUGINS
from tests import house

ROOT = Path(__file__).parents[2]
PARTS = (
    "harness",
    "conf",
    "datasets",
    "reports",
    "tests",
    "pyproject.toml",
    "constraints.txt",
    "CONTRIBUTING.md",
)
NAMES = sorted(path.parent.name for path in PLUGINS.glob("*/__init__.py"))

Copy = Callable[..., Path]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """``copy("dice", ...)``: a copy of the tree without these plug-ins, their tests and their
    pages.
    """

    def make(*names: str) -> Path:
        folder = tmp_path / "tree"
        folder.mkdir()
        for name in PARTS:
            if (ROOT / name).is_dir():
                shutil.copytree(
                    ROOT / name,
                    folder / name,
                    ignore=shutil.ignore_patterns("__pycache__", "showcase"),
                )
            else:
                shutil.copy(ROOT / name, folder / name)
        for name in names:
            for place in (folder / "harness" / "plugins", folder / "tests" / "plugins"):
                shutil.rmtree(place / name, ignore_errors=True)
            shutil.rmtree(
                folder / "reports" / "docs" / "pages" / "plugins" / name, ignore_errors=True
            )
        return folder

    return make


def python(tree: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True
    )
    assert done.returncode == status, done.stdout[-4000:] + done.stderr[-2000:]
    return done


def work(tree: Path) -> None:
    """The help and the way from a sweep to its report, and a comparison of two files."""
    harness = ("-m", "harness")
    python(tree, *harness, "--help")
    small = ("tracking=none", "paths.runs=runs")
    python(tree, *harness, "sweep", "grid=point", "encoder=hashed", "extractor.model=null", *small)
    python(tree, *harness, "heldout", *small)
    python(tree, *harness, "report", "paths.reports=made", *small)
    with_site = (tree / "harness" / "plugins" / "site").is_dir()
    assert (tree / "made" / "report.tex").is_file()
    assert (tree / "made" / "site" / "index.html").is_file() == with_site
    rows = [{"id": f"q{number}", "supporting_ids": ["a", "b"]} for number in range(20)]
    (tree / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, ranked in (("one", "abc"), ("two", "cba")):
        lines = [
            f"{row['id']} Q0 {doc} {n} {3 - n} {name}\n"
            for row in rows
            for n, doc in enumerate(ranked)
        ]
        (tree / f"{name}.trec").write_text("".join(lines))
    python(tree, *harness, "compare", "run=one.trec", "baseline=two.trec", "gold=gold.jsonl")


def test_what_is_brought_is_written_down() -> None:
    """By which a plug-in that was deleted is named; `make measure JOB=house` writes it."""
    stored = json.loads((PLUGINS / BROUGHT).read_text())
    now = house.brought()
    assert {name: stored.get(name) for name in now} == now, "make measure JOB=house"


def test_the_core_names_no_plugin() -> None:
    code = [path for path in (ROOT / "harness").rglob("*.py") if PLUGINS not in path.parents]
    found = [
        str(path) for path in code if re.search("(import|from) harness.plugins", path.read_text())
    ]
    found += [
        str(path)
        for path in (ROOT / "conf").rglob("*.yaml")
        if "harness.plugins" in path.read_text()
    ]
    brought = {name for names in house.brought().values() for name in names}
    for path in (ROOT / "conf").rglob("*.yaml"):
        listed = [
            one
            for one in (yaml.safe_load(path.read_text()) or {}).get("defaults", ())
            if isinstance(one, dict)
        ]
        chosen = [
            (str(group).split()[-1].split("@")[0], name)
            for one in listed
            for group, name in one.items()
        ]
        found += [
            f"{path}: {group}: {name}"
            for group, name in chosen
            if f"{group.strip('/')}/{name}" in brought
        ]
    found += [
        name
        for name in yaml.safe_load((ROOT / "conf/display/default.yaml").read_text())["fuser"]
        if f"fuser/{name}" in brought
    ]
    assert found == []
    assert "plugins." not in (ROOT / "pyproject.toml").read_text()


@pytest.mark.slow
def test_one_that_cannot_be_imported_warns_in_one_line_and_takes_nothing_with_it(
    copy: Copy,
) -> None:
    """Of this tree and a stranger's; one that needs it is left out, too."""
    tree = copy()
    for name, text in (
        ("broken", "raise RuntimeError('no\\nluck')"),
        ("leaning", 'NEEDS = ("broken",)'),
        ("quits", "raise SystemExit(0)"),
    ):
        (tree / "harness" / "plugins" / name / "conf" / "fuser").mkdir(parents=True)
        (tree / "harness" / "plugins" / name / "__init__.py").write_text(f'"""Broken."""\n{text}\n')
        (tree / "harness" / "plugins" / name / "conf" / "fuser" / f"{name}.yaml").write_text(
            "_target_: nowhere.X\n"
        )
    other = tree / "other-1.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (other / "entry_points.txt").write_text("[multihop_harness.conf]\nother = other.conf\n")
    (tree / "other.py").write_text("1 / 0\n")
    done = python(tree, "-m", "harness", "sweep", "dry_run=true", "grid=point", "paths.runs=runs")
    assert done.stderr.splitlines()[:4] == [
        "plug-in broken is left out: RuntimeError: no",  # an error's first line
        "plug-in quits is left out: SystemExit: 0",
        "plug-in leaning is left out: it needs the plug-in broken",
        "plug-in other = other.conf of multihop_harness.conf is left out: "
        "ZeroDivisionError: division by zero; reinstall or remove it",
    ]
    assert "nothing was run" in done.stdout


@pytest.mark.slow
def test_what_is_missing_is_named_when_it_is_asked_for(copy: Copy) -> None:
    tree = copy("phasegraph", "policyrag", "items", "large", "mentions")
    for arguments, named in (
        (("sweep", "dry_run=true", "fuser=quantum"), "fuser=quantum needs the plug-in phasegraph"),
        (
            ("sweep", "dry_run=true", "+grid.x={fuser:[quantum]}"),
            "fuser=quantum needs the plug-in phasegraph",
        ),
        (
            ("sweep", "dry_run=true", "lists.x=mention_walk"),
            "lists.x=mention_walk needs the plug-in mentions",
        ),
        (("diagnose",), "harness diagnose: needs the plug-in policyrag"),
        (("sweep", "dry_run=true", "graph.index=IVF"), "graph.index=IVF needs the plug-in large"),
        (
            ("sweep", "dry_run=true", "lists.graph.push=true"),
            "lists.graph.push=true needs the plug-in large",
        ),
        (
            ("compare", "run=a.csv", "baseline=b.csv"),
            "compare without gold= needs the plug-in items",
        ),
    ):
        done = python(tree, "-m", "harness", *arguments, status=2)
        last = done.stderr.splitlines()[-1]  # after what is left out because it needs one of them
        assert last.startswith(
            f"error: {named}, which is not here; put back the folder harness/plugins/"
        )


@pytest.mark.slow
def test_a_sweep_of_a_plugin_that_is_gone_can_still_be_reported(copy: Copy) -> None:
    """Test is scored no more, and the line says what is missing."""
    tree = copy()
    small = ("tracking=none", "paths.runs=runs")
    fast = ("grid=point", "encoder=hashed", "extractor.model=null")
    python(tree, "-m", "harness", "sweep", "fuser=quantum", *fast, *small)
    shutil.rmtree(tree / "harness" / "plugins" / "phasegraph")
    held = python(tree, "-m", "harness", "heldout", *small, status=2).stderr
    assert (
        "fuser/quantum' needs the plug-in phasegraph, which is not here; put back the folder"
        in held
    )
    python(tree, "-m", "harness", "report", "paths.reports=made", "traces=0", *small)
    (trials,) = (tree / "made" / "tables").rglob("leaderboard.csv")
    assert "quantum" in trials.read_text().lower()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_rest_works_without_it(name: str, copy: Copy) -> None:
    tree = copy(name)
    work(tree)
    python(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_enrolment.py")


@pytest.mark.slow
def test_the_core_works_alone(copy: Copy) -> None:
    """Its own tests and checks, too."""
    tree = copy(*NAMES)
    shutil.rmtree(tree / "tests" / "plugins")
    work(tree)
    apart = ("soak", "benchmarks")
    folders = sorted(
        path.name for path in (tree / "tests").iterdir() if path.is_dir() and path.name not in apart
    )
    installed = "tests/core/configuration/test_extras.py::test_the_line_to_type_names_the_folder_that_was_installed"
    pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--deselect", installed)
    python(tree, *pytest, *(f"tests/{name}" for name in folders))
    for tool in (("ruff", "check", "harness", "tests"), ("mypy",), ("importlinter.cli",)):
        python(tree, "-m", *tool)
    shutil.rmtree(tree / "harness" / "plugins")
    shutil.rmtree(tree / "runs")  # test is looked at once
    work(tree)
