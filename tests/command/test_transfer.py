"""`harness transfer`: what was locked on one benchmark, on the test questions of others."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

import harness
from tests.conftest import Command

POINT = ["encoder=hashed", "extractor.model=null", "grid=point", "tracking=none"]


@pytest.fixture(scope="module")
def other(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another benchmark: the same passages and other questions, each a passage's words."""
    folder = tmp_path_factory.mktemp("other") / "second"
    folder.mkdir()
    shutil.copy(bench / "corpus.jsonl", folder)
    drawn = random.Random(3)
    rows = [json.loads(line) for line in (bench / "queries.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows):
        gold = drawn.sample(range(60), 2)
        row |= {"id": f"o{number}", "supporting_ids": [f"d{doc:02d}" for doc in gold]}
        row["question"] = f"What is the text of d{gold[0]:02d}, or d{gold[1]:02d}, number {number}?"
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def runs(command: Command, bench: Path, other: Path, tmp_path: Path) -> Path:
    """Two sweeps, of another fuser each."""
    for place, fuser in ((bench, "rrf"), (other, "learned")):
        typed = ["dataset=folder", f"dataset.path={place}", f"fuser={fuser}", "pool.cap=8", *POINT]
        status, _, said = command("sweep", *typed, f"paths.runs={tmp_path / 'runs'}")
        assert not status, said
    return tmp_path / "runs"


def test_cells_are_those_of_apply_and_compare(command: Command, runs: Path, bench: Path, other: Path) -> None:
    out = runs.parent / "transfer.json"
    status, said, error = command("transfer", f"paths.runs={runs}", f"out={out}")
    assert not status, error
    found = {(one["name"], one["baseline"]): one for one in json.loads(out.read_text())}
    assert set(found) == {
        ("tiny", "second"), ("second", "tiny"), ("(its best list)", "tiny"), ("(its best list)", "second"),
    }  # fmt: skip
    folders = {
        json.loads((path / "winner.lock.json").read_text())["dataset"]: path
        for path in runs.glob("sweeps/*-*[0-9a-f]")
        if path.is_dir()
    }
    places = {"tiny": bench, "second": other}
    for source, target in (("tiny", "second"), ("second", "tiny")):
        gold = harness.Gold.read(places[target] / "queries.jsonl").split("test")
        over = ["dataset=folder", f"dataset.path={places[target]}"]
        moved = harness.Winner.load(folders[source], *over).rank()
        own = harness.Winner.load(folders[target]).rank()
        alone = harness.compare(moved, own, gold, "last_hop@5")
        one = found[source, target]
        assert (one["wins"], one["losses"], one["n"]) == (alone.wins, alone.losses, len(gold))
        assert one["p_cluster"] == alone.p_cluster
        assert f" {alone.wins}/{alone.losses} " in said
    ps = sorted(one["p_cluster"] for one in found.values())
    corrected = [
        max(min(1, p * (len(ps) - place)) for place, p in enumerate(ps[: last + 1])) for last in range(len(ps))
    ]
    assert sorted(one["p_holm"] for one in found.values()) == pytest.approx(corrected)
    assert "Of 2 transfers worse than what was locked there: " in said
    assert said.count("test questions; look ") == 2


def test_the_table_of_a_paper(command: Command, runs: Path) -> None:
    out = runs.parent / "transfer.tex"
    status, said, error = command("transfer", f"paths.runs={runs}", f"out={out}", "split=tune", "metric=recall@5")
    assert not status, error
    assert r"\midrule" in out.read_text()
    assert said.splitlines()[-2:] == [str(out), str(out.with_name("transfer-appendix.tex"))]
    assert "look" not in said


def test_mistakes(command: Command, runs: Path) -> None:
    one = sorted(path for path in runs.glob("sweeps/tiny-*") if path.is_dir())[0]
    for typed, told in (
        ([f"sweep=[{one}]"], "only tiny; a transfer needs sweeps of two benchmarks or more"),
        ([f"sweep=[{one},{one}]"], "are both of tiny; give one of each benchmark"),
        (["split=dev"], "split"),
        (["metric=recal@5"], "did you mean recall"),
        (["out=x.pdf"], "ending .pdf is not known"),
    ):
        status, _, said = command("transfer", f"paths.runs={runs}", *typed)
        assert (status, told in said) == (2, True), said
