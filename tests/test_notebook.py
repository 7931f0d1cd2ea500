"""What a notebook sees: fuse, evaluate and compare by names, results as values, mappings and
tables.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import harness
from harness.core.configuration.conf_files import strategy
from harness.core.errors import HarnessError
from harness.core.table import Table
from tests import process

DENSE = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"b": 1.0, "<c>": 0.5}}
GRAPH = {"q1": {"b": 3.0, "c": 2.0}, "q2": {"<c>": 1.0}}
GOLD = harness.Gold(["q1", "q2"], [["a", "b"], ["b", "<c>"]], [2, 2], ["x&y", "x&y"], True, "gold")


@pytest.fixture
def runs() -> dict[str, harness.Run]:
    return {"dense": harness.Run.from_dict(DENSE), "graph": harness.Run.from_dict(GRAPH)}


def test_knobs_of_a_fuser_are_keywords(runs: dict[str, harness.Run]) -> None:
    fused = harness.fuse(runs, "boltzmann", "pit", 20, alpha=0.3)
    expected = harness.fuse(runs, replace(strategy("fuser", "boltzmann"), alpha=0.3), "pit", 20)
    assert (
        fused.to_dict()
        == expected.to_dict()
        != harness.fuse(runs, "boltzmann", "pit", 20).to_dict()
    )
    with pytest.raises(HarnessError, match=r"fuser=boltzmann.*alpha\?\)"):
        harness.fuse(runs, "boltzmann", alfa=0.3)
    with pytest.raises(
        HarnessError, match="alpha: boltzmann has its knobs; give the fuser by its name"
    ):
        harness.fuse(runs, strategy("fuser", "boltzmann"), alpha=0.3)


def test_an_evaluation_is_a_value_a_mapping_and_a_table(runs: dict[str, harness.Run]) -> None:
    found = harness.evaluate(runs["dense"], GOLD, ["last_hop@1", "recall@2"])
    assert (found.n, found.metrics) == (2, {"last_hop@1": 0.0, "recall@2": 1.0})
    assert found["metrics"] == found.metrics
    assert set(found) >= {"n", "metrics", "by_hops", "by_type", "per_query", "coverage"}
    assert json.loads(json.dumps(dict(found)))["per_query"]["q1"] == {
        "last_hop@1": 0.0,
        "recall@2": 1.0,
    }
    assert isinstance(found.table(), Table)
    assert "type x&y   2" in repr(found)
    assert "type x&amp;y" in found._repr_html_()
    assert r"x\&y" in found.latex()


def test_a_comparison_has_the_fields_of_the_command_line(
    runs: dict[str, harness.Run], tmp_path: Path
) -> None:
    found = harness.compare(runs["graph"], runs["dense"], GOLD, "last_hop@1")
    assert (found.wins, found.losses, found.p) == (2, 0, 0.5)
    lines = [
        {"id": q, "supporting_ids": s} for q, s in zip(GOLD.query_ids, GOLD.supporting, strict=True)
    ]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for name, run in runs.items():
        harness.write(run, tmp_path / f"{name}.json")
    options = [
        "run=graph.json",
        "baseline=dense.json",
        "gold=gold.jsonl",
        "metric=last_hop@1",
        "out=out.json",
    ]
    process.harness("compare", *options, cwd=tmp_path, check=True)
    written = json.loads((tmp_path / "out.json").read_text())
    names = {"run", "name", "baseline", "gold"}
    assert {key: written[key] for key in found if key not in names | {"coverage"}} == {
        key: value for key, value in found.items() if key not in names | {"coverage"}
    }
    assert "the run  last_hop@1" in str(found)


def test_runs_and_benchmarks_show_themselves_shortly(runs: dict[str, harness.Run]) -> None:
    assert repr(runs["dense"]) == "Run(2 queries, 4 documents in lists of 2 to 2, 0 lists empty)"
    assert repr(harness.Run.from_dict({})) == "Run(0 queries, 0 documents, 0 lists empty)"
    sample = harness.load("sample")
    told = "Gold(2 queries, 3 supporting passages, hop order known of 0; the qrels)"
    gold = harness.Gold.from_dict({"q1": {"a": 1, "b": 2}, "q2": {"c": 1, "d": 0}})
    assert repr(gold) == told
    assert repr(sample) == "Benchmark(sample: 2,000 passages, 600 queries, sha256 d02a81a6c781)"


class OfRanx:
    """What is used of ranx.Run and ranx.Qrels 0.3.21: a name, and ``to_dict()`` that gives a
    defaultdict.
    """

    def __init__(self, lists: dict[str, dict[str, float]], name: str = "") -> None:
        self.lists, self.name = lists, name

    def to_dict(self) -> dict[str, dict[str, float]]:
        return defaultdict(dict, self.lists)


def test_a_run_is_a_path_a_frame_a_mapping_or_of_ranx(
    runs: dict[str, harness.Run], tmp_path: Path
) -> None:
    dense = runs["dense"]
    harness.write(DENSE, tmp_path / "dense.trec")
    frame = dense.to_frame()
    table = pa.table(frame)
    pairs = {query: list(listed.items()) for query, listed in DENSE.items()}
    for given in (
        dense,
        tmp_path / "dense.trec",
        str(tmp_path / "dense.trec"),
        frame,
        table,
        DENSE,
        pairs,
        OfRanx(DENSE),
    ):
        assert harness.read(given).to_dict() == DENSE
        assert harness.evaluate(given, GOLD, "recall", 2).metrics == {"recall@2": 1.0}
    assert (
        harness.Run.from_ranx(OfRanx(DENSE)).to_dict()
        == harness.Run.from_frame(frame).to_dict()
        == DENSE
    )


def test_the_right_column_of_what_one_types_elsewhere_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "reports" / "docs" / "pages" / "python.md").read_text(
        encoding="utf-8"
    )
    rows = re.findall(r"^\| .* \| (`.*`) \|$", page.partition("### What you type in ranx")[2], re.M)
    qrels = {"q1": {"b": 1}, "q2": {"<c>": 2}}
    frame = harness.Run.from_dict(GRAPH).to_frame()
    names = {
        "harness": harness,
        "lists": DENSE,
        "frame": frame,
        "theirs": OfRanx(GRAPH),
        "qrels": qrels,
        "base": DENSE,
    }
    for code in (code for row in rows for code in re.findall(r"`([^`]+)`", row)):
        exec(code, names)
    assert len(rows) == 13
    assert harness.read("f.trec").to_dict() == names["f"].to_dict()


def test_integers_of_a_data_frame_are_ids() -> None:
    frame = pd.DataFrame(
        {"q_id": [1, 1, 2], "docno": [10, "x", 9], "score": [0.5, np.float32(2), 1]}
    )
    assert harness.read(frame).to_dict() == {"1": {"x": 2.0, "10": 0.5}, "2": {"9": 1.0}}
    named = frame.rename(columns={"q_id": "topic number"})
    assert harness.Run.from_frame(named, {"query": "topic number"}).equals(harness.read(frame))
    with pytest.raises(
        HarnessError,
        match=r"^the data frame: row 2: column docno: expected a text or a whole number",
    ):
        harness.read(frame.assign(docno=[1, 2.5, "x"]))


def test_gold_comes_from_frames_mappings_and_ranx() -> None:
    qrels = {"q1": {"a": 2.0, "b": 0.0}, "q2": {"c": 1.0}}
    gold = harness.Gold.from_dict(qrels)
    for given in (gold.to_frame(), pa.table(gold.to_frame()), OfRanx(qrels), qrels, gold):
        assert harness.Gold.read(given).to_dict() == qrels
    terrier = pd.DataFrame({"qid": [1, 2], "docno": ["a", "b"], "label": [1, 3]})
    assert harness.Gold.from_frame(terrier).to_dict() == {"1": {"a": 1.0}, "2": {"b": 3.0}}
    assert harness.Gold.from_dict({1: ["b", "a"]}).to_dict() == {"1": {"b": 1.0, "a": 1.0}}
    hops = harness.Gold.from_dict({"q1": ["a", "b"]}, ordered=True)
    assert harness.evaluate({"q1": ["b", "a"]}, hops, "last_hop@1").metrics == {"last_hop@1": 1.0}


def test_several_runs_are_evaluated_in_one_table(runs: dict[str, harness.Run]) -> None:
    """Of q1 (a, b) and q2 (b, c) dense has the first of each at rank 1, graph the second."""
    found = harness.evaluate(runs, GOLD, ["last_hop@1", "recall@2"])
    assert {name: own.metrics for name, own in found.items()} == {
        "dense": {"last_hop@1": 0.0, "recall@2": 1.0},
        "graph": {"last_hop@1": 1.0, "recall@2": 0.5},
    }
    table = found.table()
    assert table.titles == ["run", "n", "last_hop@1 %", "recall@2 %"]
    assert table.rows == [["dense", 2, 0.0, 1.0], ["graph", 2, 1.0, 0.5]]
    assert "graph" in repr(found)
    assert "graph" in found.latex()
    assert [*found.to_frame()["run"]] == ["dense", "graph"]
    rows = found.to_frame(per_query=True)
    assert [*zip(rows["run"], rows["query_id"], strict=True)] == [
        (name, query) for name in ("dense", "graph") for query in ("q1", "q2")
    ]
    listed = harness.evaluate([OfRanx(GRAPH, "mine"), DENSE], GOLD, "recall", 2)
    assert [*listed] == ["mine", "the run 2"]


def test_several_systems_metrics_and_baselines_are_a_frame(runs: dict[str, harness.Run]) -> None:
    scored = harness.evaluate(runs["graph"], GOLD, ["last_hop", "recall"], 1)
    (row,) = scored.to_frame().to_dict("records")
    assert (row["n"], row["last_hop@1"], row["recall@1"]) == (2, 1.0, 0.5)
    found = harness.compare(
        [OfRanx(GRAPH, "mine"), GRAPH], {"dense": DENSE}, GOLD, ["last_hop", "recall"], depths=1
    )
    rows = found.to_frame()
    assert rows[["run", "baseline", "metric"]].values.tolist() == [
        ["mine", "dense", "last_hop@1"],
        ["mine", "dense", "recall@1"],
        ["the run 2", "dense", "last_hop@1"],
        ["the run 2", "dense", "recall@1"],
    ]
    assert rows.index.tolist() == [0, 1, 2, 3]
    assert rows[["difference", "wins", "losses", "p", "decides"]].values[0].tolist() == [
        1.0,
        2,
        0,
        0.5,
        "too few clusters",
    ]
    assert found.to_frame(per_query=True)[["query_id", "metric", "result"]].values[:3].tolist() == [
        ["q1", "last_hop@1", "won"],
        ["q2", "last_hop@1", "won"],
        ["q1", "recall@1", "tied"],
    ]
    assert "No difference is shown in 4 of 4 comparisons" in found._repr_html_()
    assert r"\begin{table}" in found.latex()
    assert harness.fuse([DENSE, GRAPH], "rrf").equals(harness.fuse(runs, "rrf"))


def test_a_sweep_is_data_frames_tables_and_axes(example: ModuleType, tmp_path: Path) -> None:
    """tests/report/example.py has the numbers, worked by hand."""
    made = example.write(tmp_path / "sweeps" / "s1")
    found = harness.sweep_result(made.folder)
    rows = found.comparisons
    assert rows[rows["split"] == "test"][["name", "against", "wins", "losses", "p"]].values[
        0
    ].tolist() == ["boltzmann pit alpha=0.7 beta=0.5 cap=20", "dense", 3, 0, 0.25]
    assert rows.groupby(["split", "against"]).size().tolist() == [4, 4, 7, 7]
    assert found.figures["alpha"].axes()[0].get_xlabel() == "alpha (share of dense)"
    assert found.figures["alpha"]._repr_png_().startswith(b"\x89PNG")
    assert "The trials on the tune half" in found.tables["leaderboard"].text()
    with pytest.raises(HarnessError, match=r"^path.*5"):
        harness.sweep_result(5)


def test_out_has_a_row_a_query_with_the_ranks_of_its_gold(
    runs: dict[str, harness.Run], tmp_path: Path
) -> None:
    """q1: gold a, b; dense has a, b, graph has b, c. q2: gold b, <c>; dense has b, <c>, graph has
    <c>.
    """
    lines = [
        {"id": q, "supporting_ids": s} for q, s in zip(GOLD.query_ids, GOLD.supporting, strict=True)
    ]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for name, run in runs.items():
        harness.write(run, tmp_path / f"{name}.json")
    options = ["run=graph.json", "gold=gold.jsonl"]
    against = ["baseline=dense.json", "metric=last_hop@1"]
    process.harness("compare", *options, *against, "out=c.csv", cwd=tmp_path, check=True)
    assert (tmp_path / "c-queries.csv").read_text() == (
        "query_id,run,baseline,metric,score,baseline_score,result,gold_ranks,baseline_ranks\n"
        "q1,graph.json,dense.json,last_hop@1,1.0,0.0,won,- 1,1 2\n"
        "q2,graph.json,dense.json,last_hop@1,1.0,0.0,won,- 1,1 2\n"
    )
    assert (tmp_path / "c.csv").read_text().startswith("run,")
    process.harness("compare", *options, *against, "out=c.parquet", cwd=tmp_path, check=True)
    rows = pd.read_parquet(tmp_path / "c.parquet")
    assert [list(ranks) for ranks in rows["baseline_ranks"]] == [[1, 2], [1, 2]]
    done = process.harness(
        "evaluate", *options, "metrics=[mrr]", "out=e.csv", cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines()[-2:] == ["e.csv", "e-queries.csv"]
    assert (
        tmp_path / "e-queries.csv"
    ).read_text() == "query_id,mrr,gold_ranks\nq1,1.0,- 1\nq2,1.0,- 1\n"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: harness.read(5),
            "expected a file, a data frame, .* or a run of ranx, got an int, 5",
        ),
        (lambda: harness.read_all(["a"]), "expected {name: a file"),
        (lambda: harness.write(DENSE, 5), "path: expected a path, got an int, 5"),
        (
            lambda: harness.Run.from_frame(5),
            "expected a data frame with the columns query_id, doc_id, score, got",
        ),
        (
            lambda: harness.Run.from_ranx(DENSE),
            "Run.from_ranx: expected a run or qrels of ranx, got a dict",
        ),
        (lambda: harness.Gold.read(5), "expected gold: a file, .* got an int, 5"),
        (
            lambda: harness.evaluate(GOLD, DENSE, "mrr"),
            "the run comes first, then the gold: .* got a Gold",
        ),
        (lambda: harness.evaluate(DENSE, GOLD, 5), "metrics=5: expected names such as last_hop@5"),
        (
            lambda: harness.evaluate(DENSE, GOLD, "mrr", ties="random"),
            "ties=random is not known; known: house, trec",
        ),
        (
            lambda: harness.compare(DENSE, 5, GOLD, "mrr"),
            "the baseline: expected a file, a data frame",
        ),
        (
            lambda: harness.compare([], DENSE, GOLD, "mrr"),
            "the run: expected at least one, got a list",
        ),
        (
            lambda: harness.compare({"x": DENSE}, {"x": GRAPH}, GOLD, "mrr"),
            "x is one run in run and another",
        ),
        (lambda: harness.compare_scores(5, 6), "the run: expected a path, got an int, 5"),
        (lambda: harness.fuse([DENSE, 5]), "list 2: expected a file"),
        (lambda: harness.fuse([DENSE, GRAPH], 5), "fuser: expected a name, .* got an int, 5"),
        (
            lambda: harness.fuse([DENSE, GRAPH], "rrf", "min-max"),
            "normalizer=min-max is not known .* minmax",
        ),
        (
            lambda: harness.fuse([DENSE], "rrf", pool_cap=3),
            "pool_cap=3 applies to none of the lists list 1",
        ),
        (lambda: harness.load(5), "name_or_path: expected a path, got an int, 5"),
        (lambda: harness.md5_split(5), "query_id: expected a text, got an int, 5"),
        (lambda: harness.run_sweep(5), "overrides: expected a text, got an int, 5"),
        (lambda: harness.run_heldout(5), "result: expected a path, got an int, 5"),
    ],
)
def test_a_wrong_argument_is_one_line(call: Callable[[], object], told: str) -> None:
    with pytest.raises(HarnessError, match=rf"^{told}") as caught:
        call()
    assert "\n" not in str(caught.value)
