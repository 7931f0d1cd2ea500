"""`harness apply`: the locked winner ranks questions without gold as held-out did those of test,
and others as them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import harness
from harness.benchmark import md5_split
from harness.evaluation.metric import run_ranks
from harness.run import Run
from harness.sweep.folder.caption import part_names
from harness.sweep.folder.result import SweepResult
from tests.conftest import Command

POINT = ["grid=point", "tracking=none"]


def test_what_encodes_a_winners_lists_by_its_model_or_class() -> None:
    graph = {"_target_": "m.PPR", "graph": {"encoder": {"_target_": "m.hashed.Hashed"}}}
    lists = {
        "dense": {"encoder": {"_target_": "m.Mini", "model": "hub/mini"}},
        "graph": graph,
        "encoder": "x.trec",
    }
    assert part_names({**lists, "mixed": [{"encoder": {"_target_": "a.B"}}]}, "encoder") == [
        "hub/mini",
        "Hashed",
        "B",
    ]


def sweep(command: Command, folder: Path, *overrides: str) -> Path:
    status, _, said = command("sweep", *overrides, *POINT, f"paths.runs={folder}")
    assert not status, said
    (made,) = (path.parent for path in (folder / "sweeps").glob("*/winner.lock.json"))
    return made


def questions(bench: Path) -> dict[str, str]:
    rows = map(json.loads, (bench / "queries.jsonl").read_text().splitlines())
    return {row["id"]: row["question"] for row in rows}


def gold(bench: Path, run: Run) -> NDArray[np.int32]:
    rows = {
        row["id"]: row["supporting_ids"]
        for row in map(json.loads, (bench / "queries.jsonl").open())
    }
    place = {name: number for number, name in enumerate(run.doc_ids.to_pylist())}
    return np.array(
        [[place[doc] for doc in rows[query]] for query in run.query_ids.to_pylist()], dtype=np.int32
    )


@pytest.mark.parametrize(
    "fuser", ["boltzmann", pytest.param("learned", marks=pytest.mark.plugin("mentions"))]
)
def test_test_questions_get_the_gold_ranks_of_heldout(
    fuser: str, command: Command, bench: Path, overrides: list[str], tmp_path: Path
) -> None:
    folder = sweep(command, tmp_path / "runs", *overrides, f"fuser={fuser}", "pool.cap=8")
    assert not command("heldout", f"paths.runs={tmp_path / 'runs'}", "tracking=none")[0]
    result = SweepResult(folder)
    assert result.test is not None
    out = tmp_path / "all.parquet"
    status, said, _ = command(
        "apply", f"paths.runs={tmp_path / 'runs'}", f"out={out}", "depth=null"
    )
    assert not status
    ranked = harness.read(out)
    count = f"{out}: {len(ranked.docs):,} documents for 40 of 40 questions"
    assert said.splitlines() == [f"as locked: {result.lock['winner']['name']}", count]
    test = [
        place
        for place, name in enumerate(ranked.query_ids.to_pylist())
        if md5_split(name) == "test"
    ]
    ranks = run_ranks(ranked.take(np.array(test)), gold(bench, ranked)[test])
    assert np.array_equal(ranks, result.test.ranks[result.test.winner_place])


def test_new_questions_over_its_own_corpus_and_over_another(
    command: Command, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The texts of the benchmark's questions under other ids get the lists of those; in Python,
    too.
    """
    own = [
        "dataset=folder",
        f"dataset.path={bench}",
        "encoder=hashed",
        "extractor.model=null",
        "fuser=rrf",
    ]
    folder = sweep(command, tmp_path / "runs", *own)
    texts = list(questions(bench).values())[:3]
    asked = tmp_path / "asked.jsonl"
    asked.write_text(
        "".join(
            json.dumps({"_id": n, "text": text}) + "\n"
            for n, text in zip("abc", texts, strict=True)
        )
    )
    home = [f"paths.runs={tmp_path / 'runs'}"]
    status, _, said = command(
        "apply", f"lock={folder}", f"queries={asked}", f"out={tmp_path}/o.trec", "depth=5", *home
    )
    assert not status, said
    new = harness.read(tmp_path / "o.trec").to_dict()
    assert not command(
        "apply", f"lock={folder}/winner.lock.json", f"out={tmp_path}/own.trec", "depth=5", *home
    )[0]
    known = harness.read(tmp_path / "own.trec").to_dict()
    assert [list(new[name].items()) for name in "abc"] == [
        list(known[f"q{n}"].items()) for n in range(3)
    ]

    monkeypatch.chdir(tmp_path)
    winner = harness.Winner.load(folder)
    assert Path(winner.config.paths.runs) == tmp_path / "runs"
    assert winner.name == "dense (locked as rrf k=60)"
    assert [*winner.rank(texts, 5).to_dict().values()] == [new[name] for name in "abc"]
    assert winner.rank({"z": texts[1]}, 5).to_dict() == {"z": new["b"]}
    for stage in ("extract", "graph"):
        made = (tmp_path / "runs" / "artifacts" / stage).glob("*/manifest.json")
        assert len(list(made)) == 1, "new questions build none"

    other = tmp_path / "other"
    other.mkdir()
    (other / "queries.jsonl").write_text((bench / "queries.jsonl").read_text())
    passages = (bench / "corpus.jsonl").read_text().replace('"title": "Title', '"title": "Other')
    (other / "corpus.jsonl").write_text(passages)
    status, _, said = command(
        "apply",
        f"lock={folder}",
        "dataset=folder",
        f"dataset.path={other}",
        f"queries={asked}",
        "out=p.jsonl",
        *home,
    )
    assert not status, said
    assert list(harness.read(tmp_path / "p.jsonl").to_dict()) == ["a", "b", "c"]

    whole = ["dataset=folder", f"dataset.path={other}", "out=transferred.trec"]
    assert not command("apply", f"lock={folder}", *whole, *home)[0]
    asked_of = ["baseline=own.trec", f"gold={other}", "split=test", "metric=recall@5"]
    status, said, _ = command("compare", "run=transferred.trec", *asked_of)
    assert not status


def test_what_is_refused_in_one_line(
    command: Command, overrides: list[str], tmp_path: Path
) -> None:
    folder = sweep(command, tmp_path / "runs", *overrides, "fuser=rrf")
    empty, twice, new = tmp_path / "empty.jsonl", tmp_path / "twice.jsonl", tmp_path / "new.jsonl"
    empty.write_text('{"id": "a", "question": "Who?"}\n{"id": "b"}\n')
    twice.write_text('{"id": "a", "question": "Who?"}\n' * 2)
    new.write_text('{"id": "a", "question": "Who?"}\n')
    (tmp_path / "new.trec").write_text("a Q0 d00 1 1.0 x\n")

    def refused(*typed: str) -> str:
        status, _, said = command("apply", f"lock={folder}", f"out={tmp_path}/o.trec", *typed)
        assert status
        assert not (tmp_path / "o.trec").exists()
        return said.splitlines()[-1]

    assert f"{empty}:2: field question must be a string, it is missing" in refused(
        f"queries={empty}"
    )
    assert f"{twice}:2: duplicate id a, first at {twice}:1" in refused(f"queries={twice}")
    assert "have no query in common" in refused(f"queries={new}")
    assert "lists.bm26: the winner fuses dense, graph; give one of these" in refused(
        "lists={bm26: x.trec}"
    )
    assert "depth" in refused("depth=0")
    with pytest.raises(harness.HarnessError, match="expected some, by id or in a list"):
        harness.Winner.load(folder).rank("Who?")
    with pytest.raises(harness.HarnessError, match="question q0 = ''"):
        harness.Winner.load(folder).rank([""])
    lists = f"lists={{dense: {tmp_path}/new.trec, graph: {tmp_path}/new.trec}}"
    status, _, said = command(
        "apply", f"lock={folder}", f"out={tmp_path}/o.trec", f"queries={new}", lists
    )
    assert not status, said
    assert list(harness.read(tmp_path / "o.trec").to_dict()["a"]) == ["d00"]
    (tmp_path / "o.trec").unlink()
    lock = folder / "winner.lock.json"
    lock.write_text(lock.read_text().replace('"rrf"', '"isr"', 1))
    assert "winner.lock.json" in refused(f"queries={new}")
