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
from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold
from harness.evaluation.run_comparison import compare
from tests import process
from tests.world.folder import write_runs

GOLD = "gold=queries.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """66 queries; dense finds the last hop of 26, ours of these and 23 more, less of 25, copy of
    the same 26, moved of 25 of them and another. longer is copy with another document in a list;
    cut answers one question.
    """
    systems = {
        "dense": range(26),
        "ours": range(49),
        "less": range(25),
        "copy": range(26),
        "moved": range(1, 27),
    }
    write_runs(tmp_path, systems)
    lists = json.loads((tmp_path / "dense.json").read_text())
    (tmp_path / "cut.json").write_text(json.dumps({"q00": lists["q00"]}))
    longer = {**lists, "q65": {**lists["q65"], "y": 0.5}}
    (tmp_path / "longer.json").write_text(json.dumps(longer))
    return tmp_path


@pytest.mark.parametrize(
    ("run", "baseline", "given", "status", "said"),
    [
        ("ours", "dense", "gate=better", 0, "passes"),
        ("ours", "dense", "gate=better margin=60", 1, "fails"),
        ("dense", "ours", "gate=no_worse margin=1", 1, "fails"),
        ("less", "dense", "gate=no_worse margin=1", 3, "cannot be told"),
        ("less", "dense", "gate=no_worse margin=20", 0, "passes"),
        ("moved", "dense", "gate=no_worse", 3, "cannot be told"),
        ("copy", "dense", "gate=no_worse", 0, "passes"),
        ("copy", "dense", "gate=better", 3, "cannot be told"),
        ("longer", "dense", "gate=no_worse margin=5", 3, "cannot be told"),
        ("longer", "dense", "gate=no_worse margin=6", 0, "passes"),
    ],
)
def test_status_by_hand(
    folder: Path, run: str, baseline: str, given: str, status: int, said: str
) -> None:
    """23 of 66 more, none less: +34.8 points. One of 66 less: an interval that holds -1 and not
    -20. Without a difference Tango's interval reaches z^2 / (n + z^2) = 3.84 / 69.84 = 5.5 points.
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
    kind, margin = given.removeprefix("gate=").replace(" margin=", " ").split(" ")[:1], last
    found = json.loads((folder / "out.json").read_text())["gate"]
    points = float(re.search(r"margin=(\d+)", margin)[1])  # type: ignore[index]
    bound = -points / 100 if kind == ["no_worse"] else points / 100
    assert found == {"kind": kind[0], "margin": points, "bound": bound, "verdict": said}


@pytest.mark.parametrize(
    ("baseline", "metric", "said"),
    [
        ("cut", "last_hop", "cut.json: lacks 65 of 66"),
        ("dense", "full_sup", "ours.json and dense.json both score 0 by full_sup@5"),
    ],
)
def test_what_compares_nothing_is_a_mistake(
    folder: Path, baseline: str, metric: str, said: str
) -> None:
    arguments = ["run=ours.json", f"baseline={baseline}.json", GOLD, f"metric={metric}"]
    done = process.harness("compare", *arguments, "gate=no_worse", "out=out.json", cwd=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert not (folder / "out.json").exists()


def test_scores_do_not_make_lists_differ_and_one_question_shows_little(tmp_path: Path) -> None:
    """Without a difference the interval of one question reaches 3.84 / 4.84 = 79 points."""
    gold = Gold(["q"], [["a", "b"]], [2], ["bridge"], True, "here")
    main, again = {"q": {"b": 2.0, "x": 1.0}}, {"q": {"b": 9.0, "x": 8.0}}
    other = {"q": {"b": 2.0, "y": 1.0}}
    found = [
        compare(run, main, gold, "last_hop@2", gate="no_worse", margin=78) for run in (again, other)
    ]
    results = [one.gate for one in found]
    assert [one and one.verdict for one in results] == ["passes", "cannot be told"]
    assert [one and one.status for one in results] == [0, 3]
    assert "the lists are identical" in repr(found[0])
    every = compare([again, other], main, gold, "last_hop@2", gate="no_worse", margin=80)
    assert every.gate is not None
    assert every.gate.verdict == "passes"


def test_python_is_as_strict(folder: Path) -> None:
    gold = str(folder / "queries.jsonl")
    with pytest.raises(HarnessError, match="lacks 65 of 66"):
        compare(folder / "cut.json", folder / "dense.json", gold, "last_hop@5", gate="better")
    with pytest.raises(HarnessError, match="margin=1"):
        compare(folder / "ours.json", folder / "dense.json", gold, "last_hop@5", margin=1)


@pytest.mark.parametrize("ending", ["md", "txt", "tex", "html", "csv"])
def test_files_begin_with_the_answer_and_have_no_paths(folder: Path, ending: str) -> None:
    where = [f"run={folder}/ours.json", f"baseline={folder}/dense.json", "gold=queries.jsonl"]
    done = process.harness("compare", *where, "gate=better", f"out=out.{ending}", cwd=folder)
    assert done.returncode == 0, done.stderr
    text = (folder / f"out.{ending}").read_text()
    shown = text[text.index("<main") :] if ending == "html" else text
    first = next(line for line in shown.splitlines() if "passes" in line)
    if ending in ("md", "txt", "tex"):
        assert first == text.splitlines()[0]
    if ending != "csv":
        assert "ours.json against dense.json by last_hop@5" in first.replace("\\", "")
    assert str(folder) not in text + done.stdout


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
    assert done.returncode == 3
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
