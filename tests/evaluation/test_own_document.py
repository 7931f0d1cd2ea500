"""``own_document``: whether the document with the id of a question stays in its list."""

import json
from pathlib import Path

import pytest

from harness.core.errors import HarnessError
from harness.evaluation.id_coverage import apply_own_document
from harness.run import Run
from tests.conftest import Command
from tests.world.folder import write_benchmark

LISTS = {
    "a": {"a": 3.0, "x": 2.0, "y": 1.0},
    "b": {"x": 3.0, "b": 2.0},
    "c": {"y": 1.0},
    "d": {},
}


def test_what_is_left_out_is_what_beir_leaves_out() -> None:
    """BEIR's ``evaluate(..., ignore_identical_ids=True)`` removes document ids equal to the query's
    id.
    """
    found = Run.from_dict(LISTS).without_own_documents().to_dict()
    assert found == {
        query: {doc: score for doc, score in docs.items() if doc != query}
        for query, docs in LISTS.items()
    }


def test_lists_that_begin_with_their_own_document_are_noted() -> None:
    run = Run.from_dict(LISTS)
    (note,) = apply_own_document({"r": run}, "keep")["r"].notes
    assert note.startswith("r: 1 of 3 lists begin with")
    (note,) = apply_own_document({"r": run}, "drop")["r"].notes
    assert note.endswith("in 2 lists")
    others = Run.from_dict({f"q{n}": {"x": 1.0} for n in range(9)} | {"z": {"z": 1.0}})
    assert apply_own_document({"r": others}, "keep")["r"].notes == []
    with pytest.raises(HarnessError, match=r"own_document.*keep, drop"):
        apply_own_document({"r": run}, "dropp")


def test_evaluate_and_compare_leave_it_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """Recall@1 of a, b, c with gold x, x, y: 0, 1, 1 with it, 1, 1, 1 without."""
    monkeypatch.chdir(tmp_path)
    Path("r.json").write_text(json.dumps(LISTS))
    Path("o.json").write_text(json.dumps({query: {"y": 1.0} for query in "abc"}))
    Path("g.txt").write_text("a 0 x 1\nb 0 x 1\nc 0 y 1\n")
    own = ["gold=g.txt", "metrics=recall", "k=1"]
    for rule, expected, wins in (("keep", 2 / 3, 1), ("drop", 1.0, 2)):
        chosen = f"own_document={rule}"
        assert command("evaluate", "run=r.json", *own, "out=e.json", chosen)[0] == 0
        assert json.loads(Path("e.json").read_text())["metrics"]["recall@1"] == pytest.approx(
            expected
        )
        given = ("compare", "run=r.json", "baseline=o.json", *own, "out=c.json", chosen)
        assert command(*given)[0] == 0
        assert json.loads(Path("c.json").read_text())["wins"] == wins


def test_a_sweep_leaves_it_out_on_tune_and_on_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """Each question is the text of a document; BM25 finds that one first, its answer second."""
    monkeypatch.chdir(tmp_path)
    asked = [f"Should city{n} ban cars in district{n}?" for n in range(40)]
    passages = [{"id": f"a{n}", "title": "", "text": text} for n, text in enumerate(asked)]
    passages += [
        {"id": f"b{n}", "title": "", "text": f"No, city{n} keeps district{n}."} for n in range(40)
    ]
    queries = [
        {"id": f"a{n}", "question": text, "supporting_ids": [f"b{n}"]}
        for n, text in enumerate(asked)
    ]
    write_benchmark(tmp_path / "mine", passages, queries)
    given = ["dataset=folder", "dataset.path=mine", "~lists.graph", "~lists.dense"]
    given += ["reference=bm25", "pool.lists=[bm25]", "fuser=combsum", "objective=recall@1"]
    scores = {}
    for rule in ("keep", "drop"):
        status, out, err = command(
            "sweep", *given, "grid=point", "tracking=none", f"own_document={rule}"
        )
        assert status == 0, err
        folder = Path(out.splitlines()[-1])
        status, out, err = command("heldout", f"sweep={folder}", "heldout.again=true")
        assert status == 0, err
        assert ("own_document=drop leaves it out" in out) == (rule == "keep")
        rows = json.loads((folder / "heldout.json").read_text())
        scores[rule] = {row["recall@1"] for row in rows}
        assert json.loads((folder / "winner.lock.json").read_text())["own_document"] == rule
    assert scores == {"keep": {0.0}, "drop": {1.0}}
