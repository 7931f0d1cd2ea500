"""`harness sweep lists={...} gold=...`: runs that somebody has, without a corpus."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

import harness
from harness.core.concepts import PACKAGE
from harness.report.archive_contents import given_files
from harness.sweep.folder.inventory import latest
from harness.sweep.folder.result import SweepResult
from tests import process
from tests.conftest import Command

EXAMPLES = PACKAGE.parent / "reports" / "docs" / "examples"
LISTS = "lists={dense: vectors.trec, graph: graph.trec}"
SWEEP = (LISTS, "gold=gold.jsonl", "grid=point", "tracking=none")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: two runs over 300 questions, and their gold."""
    _copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _copy_examples(folder: Path) -> None:
    for name in ("vectors.trec", "graph.trec", "gold.jsonl"):
        shutil.copy(EXAMPLES / name, folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder in which both runs were swept."""
    folder = tmp_path_factory.mktemp("made")
    _copy_examples(folder)
    process.harness("sweep", *SWEEP, cwd=folder, check=True)
    return folder


@pytest.fixture
def swept(place: Path, made: Path) -> Path:
    """The sweep of both runs, in a working folder of its own."""
    shutil.copytree(made, place, dirs_exist_ok=True)
    return latest(place / "runs")


def test_every_trial_is_scored_as_evaluate_scores_its_fused_file(
    place: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    """The gold file's hash is kept with its name; the winner fused and evaluated alone scores the same.

    A normalizer that is left out is noted by the sweep, and not by heldout, too.
    """
    assert not command("sweep", LISTS, "gold=gold.jsonl", "tracking=none")[0]
    result = SweepResult(latest(place / "runs"))
    trials = pd.read_parquet(result.folder / "trials.parquet")
    assert len(trials) == 2 + 8 + 6 + 10 + 20 + 30 + 10 + 5  # lists, then the blocks without tmm
    sha256 = hashlib.sha256((place / "gold.jsonl").read_bytes()).hexdigest()
    assert result.manifest["origin"] == {"file": "gold.jsonl", "sha256": sha256}
    assert not {"encoder", "extractor", "graph"} & set(result.config)
    lock = f"lock={result.folder}"
    assert not command("fuse", LISTS, lock, "split=tune", "out=won.trec")[0]
    assert not command("evaluate", "run=won.trec", "gold=gold.jsonl", "split=tune", "out=won.json")[
        0
    ]
    alone = json.loads((place / "won.json").read_text())["metrics"]["last_hop@5"]
    winner = json.loads((result.folder / "winner.lock.json").read_text())["winner"]
    row = trials.set_index("trial").loc[winner["trial"]]
    assert row["last_hop@5"] == pytest.approx(alone)
    assert not command("heldout", "tracking=none")[0]
    assert json.loads((result.folder / "heldout.json").read_text())[0]["n"] == 153
    assert caplog.text.count("tmm is not tried") == 1


def test_heldout_reads_what_was_swept_and_refuses_a_changed_copy(
    place: Path, swept: Path, command: Command
) -> None:
    for name in ("gold.jsonl", "graph.trec"):
        path = place / name
        path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    assert not command("verify", "--rescore", f"sweep={swept}")[0]
    (copy,) = (place / "runs" / "artifacts" / "gold").glob("*/*l*.jsonl")
    kept = copy.read_text()
    copy.write_text((place / "gold.jsonl").read_text())
    refused = command("heldout", "tracking=none")
    copy.write_text(kept)
    for copy in (place / "runs" / "artifacts" / "list").glob("*/*l*.parquet"):
        harness.read("vectors.trec").to_frame().iloc[1:].to_parquet(copy)
    for status, _, message in (refused, command("heldout", "tracking=none")):
        assert status == 2
        assert "sweep again for a new lock" in message


def test_equal_scores_are_said(place: Path, command: Command) -> None:
    """A list that holds all gold among equal scores has last_hop@5 of 0% to 100% by their order."""
    gold = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
    docs = [f"z{n}" for n in range(5)]
    alike = {one["id"]: dict.fromkeys([*docs, *one["supporting_ids"]], 1) for one in gold}
    Path("alike.json").write_text(json.dumps(alike))
    lists = "lists={dense: vectors.trec, alike: alike.json}"
    status, shown, _ = command("sweep", lists, "gold=gold.jsonl", "tracking=none", "grid=point")
    assert status == 0
    told = " ".join(shown.split())
    assert (
        "alike: on tune only a range of last_hop@5 is known, 0.0 to 100.0: scores are equal" in told
    )


def test_a_single_trial_has_nothing_to_compare(place: Path, command: Command) -> None:
    typed = ("gold=gold.jsonl", "tracking=none", "fuser=single")
    assert not command("sweep", "lists={dense: vectors.trec}", *typed)[0]
    assert not command("heldout", "tracking=none")[0]
    result = SweepResult(latest(place / "runs"))
    assert (len(result.trials), len(result.comparisons)) == (1, 0)


def test_judgements_and_any_names(place: Path, command: Command) -> None:
    """Without a hop order the objective is full_sup at the asked depth, which the result says."""
    with (place / "test.qrels").open("w") as stream:
        for line in (place / "gold.jsonl").read_text().splitlines():
            row = json.loads(line)
            stream.writelines(f"{row['id']} 0 {doc} 1\n" for doc in row["supporting_ids"])
    named = "lists={walk: graph.trec, vectors: vectors.trec}"
    asked = (
        "tracking=none",
        "splitting=disjoint",
        "pool.capped=[walk]",
        "pool.cap=20",
        "grid=point",
    )
    status, out, progress = command("sweep", named, "gold=test.qrels", *asked)
    assert not status
    shown = " ".join(out.split())
    assert "(no hop order is known, so there is no last_hop), split=disjoint: 2 fusions" in shown
    assert "GraphWin" not in shown
    assert shown.partition("On tune")[0].count("by full_sup@5") == 1
    assert "last_hop" not in progress
    shutil.copy("graph.trec", "walk (1).trec")
    again = ["lists={dense: vectors.trec, graph: walk (1).trec}", "--grid=point"]
    made = harness.run_sweep(*again, *SWEEP[1:], "fuser=rrf")
    assert made.manifest["objective"] == "last_hop@5"
    made = harness.run_sweep(named, "gold=test.qrels", *asked)
    manifest = made.manifest
    assert made.folder == latest(Path("runs"))
    assert (manifest["objective"], manifest["reference"]) == ("full_sup@5", "walk")
    assert (manifest["splitting"], manifest["dataset"]) == ("disjoint", "test")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold=gold.jsonl"], "lists.dense is not a run file; with gold= every list is one"),
        ([LISTS, "gold=none.jsonl"], "none.jsonl: there is no such file"),
        ([LISTS, "gold=gold.jsonl", "dataset=sample"], "leave one out"),
        (
            [LISTS, "gold=gold.jsonl", "grid=point", "reranker=coverage", "dry_run=true"],
            "reads texts, and runs with gold= have no corpus",
        ),
    ],
)
def test_mistakes_are_one_line(
    place: Path, command: Command, arguments: list[str], message: str
) -> None:
    status, _, told = command("sweep", *arguments, "tracking=none")
    assert status == 2
    assert message in told
    assert not (place / "runs" / "sweeps").exists()


def test_a_list_of_other_documents_is_refused(place: Path, command: Command) -> None:
    (place / "other.trec").write_text(
        (place / "graph.trec").read_text().replace(" Q0 ", " Q0 other_")
    )
    status, _, told = command("sweep", "lists={dense: vectors.trec, b: other.trec}", *SWEEP[1:])
    assert status == 2
    assert "other.trec and gold.jsonl have no document in common" in told
    assert not (place / "runs" / "sweeps").exists()


def test_a_sweep_goes_on_from_any_folder_without_its_files(
    place: Path,
    command: Command,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lists, gold and split are kept; heldout, apply and verify give what the files gave, and the
    archive has them. The ledger is that of the sweep's runs, whatever the working folder is.
    """
    frame = harness.read("graph.trec").to_frame().rename(columns={"doc_id": "absatz"})
    frame.to_csv("graph.csv", index=False)
    ids = [json.loads(line)["id"] for line in (place / "gold.jsonl").read_text().splitlines()]
    split = "".join(f"{one} {'tune' if n % 2 else 'test'}\n" for n, one in enumerate(ids))
    (place / "split.txt").write_text(split)
    given = "lists={dense: vectors.trec, graph: {file: graph.csv, columns: {doc: absatz}}}"
    typed = ("gold=gold.jsonl", "split=split.txt", "grid=point", "tracking=none")
    assert not command("sweep", given, *typed)[0]
    folder = latest(place / "runs").resolve()
    assert not command("fuse", LISTS, f"lock={folder}", "depth=100", f"out={place / 'files.trec'}")[
        0
    ]
    for name in ("vectors.trec", "graph.trec", "graph.csv", "gold.jsonl", "split.txt"):
        (place / name).unlink()
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert not command("heldout", f"sweep={folder}", "tracking=none")[0]
    assert (place / "runs" / "ledger.jsonl").is_file()
    assert not Path("runs/ledger.jsonl").exists()
    assert not command("apply", f"lock={folder}", "out=kept.trec")[0]
    assert Path("kept.trec").read_text() == (place / "files.trec").read_text()
    status, out, told = command("verify", f"sweep={folder}", "--rescore")
    assert not status, told
    assert "scored and judged again: the same ranks" in out
    assert "scored again: the same files" in out
    kept = given_files(SweepResult(folder))
    assert set(kept) == {f"runs/{name}/list.parquet" for name in ("dense", "graph")} | {
        "runs/gold/gold.jsonl"
    }


def test_another_form_of_the_same_lists_and_gold_is_the_same_sweep(
    swept: Path, command: Command
) -> None:
    """A further key, another order of lines, CRLF, a table: the same lock; a test question that was
    evaluated under another name of its file is known.
    """
    assert not command("heldout", "tracking=none")[0]
    rows = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
    other = [json.dumps({**row, "note": "x"}) for row in reversed(rows)]
    Path("gold.jsonl").write_text("\r\n".join(other) + "\r\n")
    again = command("sweep", *SWEEP)[1].splitlines()[-1]
    assert Path(again).name == swept.name
    fewer = [row for row in rows if row is not next(iter(rows))]
    Path("qrels.txt").write_text(
        "".join(f"{row['id']} 0 {doc} 1\n" for row in fewer for doc in row["supporting_ids"])
    )
    assert not command("sweep", LISTS, "gold=qrels.txt", *SWEEP[2:])[0]
    status, _, errors = command("heldout", "tracking=none")
    assert status == 2
    assert re.search(r"(\d+) of these \1 test questions were evaluated before", errors)
