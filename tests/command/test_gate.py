"""A gate for continuous integration: exit status, the line that says why, and the workflow of the
documentation.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import yaml

from harness.core.concepts import package_folder
from tests import process
from tests.world.folder import write_runs

GOLD = "gold=queries.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """66 queries; dense finds the last hop of 26, ours of these and 23 more, less of 25, copy of
    the same 26, moved of 25 of them and another.
    """
    systems = {
        "dense": range(26),
        "ours": range(49),
        "less": range(25),
        "copy": range(26),
        "moved": range(1, 27),
    }
    return write_runs(tmp_path, systems)


@pytest.mark.parametrize(
    ("run", "baseline", "given", "status", "said"),
    [
        ("ours", "dense", "gate=better", 0, "passes"),
        ("ours", "dense", "gate=better margin=60", 1, "fails"),
        ("dense", "ours", "gate=no_worse margin=1", 1, "fails"),
        ("less", "dense", "gate=no_worse margin=1", 2, "cannot be told"),
        ("less", "dense", "gate=no_worse margin=20", 0, "passes"),
        ("moved", "dense", "gate=no_worse", 2, "cannot be told"),
        ("copy", "dense", "gate=no_worse", 0, "passes"),
        ("copy", "dense", "gate=better", 2, "cannot be told"),
    ],
)
def test_status_by_hand(
    folder: Path, run: str, baseline: str, given: str, status: int, said: str
) -> None:
    """23 of 66 more, none less: +34.8 points. One of 66 less: an interval that holds -1 and not
    -20.
    """
    arguments = [
        f"run={run}.json",
        f"baseline={baseline}.json",
        GOLD,
        *given.split(),
        "out=out.json",
    ]
    done = process.harness("compare", *arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    last = done.stdout.splitlines()[-1]
    assert re.match(
        rf"gate=\w+ margin=\d+ {said}: {run}.json against {baseline}.json by last_hop@5", last
    )
    assert json.loads((folder / "out.json").read_text())["gate"] == said


def test_null_is_no_gate(folder: Path) -> None:
    done = process.harness(
        "compare", "run=less.json", "baseline=dense.json", GOLD, "gate=null", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "gate" not in done.stdout


def test_every_one_of_several_must_pass(folder: Path) -> None:
    done = process.harness(
        "compare",
        "run=[ours.json,less.json]",
        "baseline=dense.json",
        GOLD,
        "gate=better",
        cwd=folder,
    )
    assert done.returncode == 2
    assert (
        "cannot be told (1 of 2 comparisons): less.json against dense.json"
        in done.stdout.splitlines()[-1]
    )


@pytest.mark.parametrize(
    ("given", "said"), [("gate=good", "gate"), ("gate=better margin=-1", "margin")]
)
def test_mistakes_are_one_line(folder: Path, given: str, said: str) -> None:
    done = process.harness(
        "compare", "run=ours.json", "baseline=dense.json", GOLD, *given.split(), cwd=folder
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_workflow_of_the_documentation(folder: Path) -> None:
    """Its lines, in their order, where the runs are there."""
    page = (package_folder("reports/docs") / "pages" / "own-runs.md").read_text(encoding="utf-8")
    (block,) = (
        text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "pull_request" in text
    )
    steps = [
        step["run"] for step in yaml.safe_load(block)["jobs"]["gate"]["steps"] if "run" in step
    ]
    (line,) = (step for step in steps if step.startswith("harness "))
    for name, system in (("new", "ours"), ("main", "dense")):
        lists = json.loads((folder / f"{system}.json").read_text())
        rows = [f"{query} Q0 {doc} 1 1.0 x" for query, found in lists.items() for doc in found]
        (folder / f"{name}.trec").write_text("\n".join(rows))
    done = process.harness(*line.split()[1:], cwd=folder)
    assert done.returncode == 0, done.stderr
    summary = (folder / "compare.md").read_text(encoding="utf-8")
    assert "| new.trec | last_hop@5 | 74.2 |" in summary
    assert os.linesep.join(steps).count("compare.md") == 2
