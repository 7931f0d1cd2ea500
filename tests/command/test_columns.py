"""Run files with columns of any name, and benchmarks with the names of other tools, through the
command line.
"""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

import harness
from tests.conftest import Command

ROWS = [("007", "d1", 0.9), ("007", "d2", 0.5), ("q2", "d3", 2.0), ("q2", "d1", 1.0)]
LISTS = {"007": {"d1": 0.9, "d2": 0.5}, "q2": {"d3": 2.0, "d1": 1.0}}


def frame(*names: str) -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=list(names))


def test_usual_names_are_known_and_others_are_given(tmp_path: Path) -> None:
    for names in (
        ("qid", "pid", "similarity"),
        ("query-id", "corpus-id", "score"),
        ("topic", "_id", "score"),
    ):
        frame(*names).to_csv(tmp_path / "run.csv", index=False)
        assert harness.read(tmp_path / "run.csv").to_dict() == LISTS
    own = frame("frage", "absatz", "wert")
    named = {"query": "frage", "doc": "absatz", "score": "wert"}
    own.to_csv(tmp_path / "own.tsv", index=False, sep="\t")
    assert harness.read(tmp_path / "own.tsv", columns=named).to_dict() == LISTS
    assert harness.Run.from_frame(own, named).to_dict() == LISTS


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    rows = [
        {"_id": "007", "text": "Who?", "supporting_ids": ["d1"]},
        {"qid": "q2", "query": "?", "supporting_ids": ["d1"]},
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "queries.jsonl"


def test_commands_take_columns(tmp_path: Path, gold: Path, command: Command) -> None:
    """The last hop d1 is first for 007 and second for q2: 50.0 at 1."""
    run, out = tmp_path / "own.csv", tmp_path / "out.json"
    frame("frage", "absatz", "wert").to_csv(run, index=False)
    given = [f"gold={gold}", "columns={query: frage, doc: absatz, score: wert}"]
    status, _, _ = command(
        "evaluate", f"run={run}", "metrics=[last_hop]", "k=[1]", f"out={out}", *given
    )
    assert status == 0
    assert json.loads(out.read_text())["metrics"]["last_hop@1"] == 0.5
    assert (
        command("compare", f"run={run}", f"baseline={run}", "metric=last_hop", "k=1", *given)[0]
        == 0
    )
    fused = [
        f"lists={{dense: {run}, graph: {run}}}",
        "fuser=rrf",
        f"out={tmp_path / 'f.tsv'}",
        given[-1],
    ]
    assert command("fuse", *fused)[0] == 0
    assert list(harness.read(tmp_path / "f.tsv").to_dict()["q2"]) == ["d3", "d1"]
    status, _, said = command("evaluate", f"run={run}", *given[:1])
    assert status == 2
    assert (
        "found frage, absatz, wert; name yours: 'columns={query: ..., doc: ..., score: ...}'"
        in said
    )
    status, _, said = command("evaluate", f"run={run}", *given[:1], "columns={passage: absatz}")
    assert status == 2
    assert "columns=passage" in said


def test_each_file_may_have_columns_of_its_own(
    tmp_path: Path, gold: Path, command: Command
) -> None:
    """d1 is first for 007 and second for q2 by `wert`; by `zweiter` it is the other way round: one
    won, one lost.
    """
    own, plain, out = tmp_path / "own.csv", tmp_path / "plain.trec", tmp_path / "out.json"
    frame("frage", "absatz", "wert").assign(zweiter=[1.0, 2.0, 1.0, 2.0]).to_csv(own, index=False)
    harness.write(harness.Run.from_dict(LISTS), plain)
    first, second = (
        f"{{file: {own}, columns: {{query: frage, doc: absatz, score: {score}}}}}"
        for score in ("wert", "zweiter")
    )
    asked = [f"gold={gold}", "metric=last_hop", "k=1", f"out={out}"]

    def compared(run: str, baseline: str) -> tuple[int, int]:
        assert command("compare", f"run={run}", f"baseline={baseline}", *asked)[0] == 0
        found = json.loads(out.read_text())
        return found["wins"], found["losses"]

    assert compared(f"{{a: {first}}}", f"{{b: {plain}}}") == (0, 0)
    assert compared(second, str(plain)) == (1, 1)
    assert compared(f"[{second}]", f"{{b: {first}}}") == (1, 1)
    fused = command(
        "fuse",
        f"lists={{dense: {first}, graph: {plain}}}",
        "fuser=rrf",
        f"out={tmp_path / 'f.json'}",
    )
    assert fused[0] == 0
    assert list(harness.read(tmp_path / "f.json").to_dict()["q2"]) == ["d3", "d1"]
    for run, found in ((first, [1, 0]), (second, [0, 1])):
        assert (
            command("evaluate", f"run={run}", asked[0], "metrics=[last_hop]", "k=[1]", asked[-1])[0]
            == 0
        )
        assert [
            one["last_hop@1"] for one in json.loads(out.read_text())["per_query"].values()
        ] == found
    for mistake, words in (
        (
            f"{{a: {{file: {own}, columns: {{document: absatz}}}}}}",
            "run.a.columns=document is not known",
        ),
        (
            f"{{a: {{file: {own}, column: {{doc: absatz}}}}}}",
            "run.a=column is not known (did you mean columns?)",
        ),
        ("{a: {columns: {doc: absatz}}}", "expected a path, a list of paths"),
        (
            f"{{a: {{file: {own}, columns: absatz}}}}",
            "run.a.columns=absatz: expected names with values",
        ),
        (f"{{a: {{file: {own}, columns: {{score: x}}}}}}", f"{own}: "),
        (f"[{first}, {second}]", "a file is repeated; give each once, or name them"),
    ):
        status, _, said = command("compare", f"run={mistake}", f"baseline={plain}", *asked)
        assert (status, words in said, said.count("\n")) == (2, True, 1), said


def test_distances_are_refused_in_any_order_and_negated_ones_are_scores(tmp_path: Path) -> None:
    """A distance of 1 is better than one of 2, and a score of 1 is not."""
    rows = [("q", "b", 3.0), ("q", "a", 1.0), ("q", "c", 2.0)]
    for name, columns in (("distance", None), ("l2_distance", {"score": "l2_distance"})):
        given = pd.DataFrame(rows, columns=["qid", "docno", name])
        given.to_csv(tmp_path / "d.csv", index=False)
        given.to_json(tmp_path / "d.jsonl", orient="records", lines=True)
        for source in (tmp_path / "d.csv", tmp_path / "d.jsonl", given):
            with pytest.raises(harness.HarnessError, match=f"{name} negated"):
                harness.read(source, columns=columns)
        negated = given.assign(**{name: -given[name]})
        ranked = given.assign(rank=[3, 1, 2])
        for one in (negated, ranked):
            assert list(harness.read(one, columns=columns).to_dict()["q"]) == ["a", "c", "b"]


def test_a_folder_with_the_names_of_other_tools_is_a_benchmark(tmp_path: Path, gold: Path) -> None:
    rows = [{"pid": f"d{n}", "title": f"T{n}", "contents": f"Text {n}."} for n in range(1, 4)]
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as lines:
        lines.write("".join(json.dumps(row) + "\n" for row in rows))
    gold.write_text(
        "".join(json.dumps({**json.loads(line), "answers": ["x"]}) + "\n" for line in gold.open())
    )
    benchmark = harness.load(tmp_path)
    assert benchmark.doc_ids.to_pylist() == ["d1", "d2", "d3"]
    assert list(benchmark.questions) == ["Who?", "?"]
