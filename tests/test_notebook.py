"""What a notebook sees: fuse, evaluate and compare by names, results as values, mappings and tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import harness
from harness.core.configuration import strategy
from harness.core.errors import HarnessError
from harness.core.table import Table
from tests import warm

DENSE = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"b": 1.0, "<c>": 0.5}}
GRAPH = {"q1": {"b": 3.0, "c": 2.0}, "q2": {"<c>": 1.0}}
GOLD = harness.Gold(["q1", "q2"], [["a", "b"], ["b", "<c>"]], [2, 2], ["x&y", "x&y"], True, "gold")


@pytest.fixture
def runs() -> dict[str, harness.Run]:
    return {"dense": harness.Run.from_dict(DENSE), "graph": harness.Run.from_dict(GRAPH)}


def test_knobs_of_a_fuser_are_keywords(runs: dict[str, harness.Run]) -> None:
    fused = harness.fuse(runs, "boltzmann", "pit", 20, alpha=0.3)
    expected = harness.fuse(runs, replace(strategy("fuser", "boltzmann"), alpha=0.3), "pit", 20)
    assert fused.to_dict() == expected.to_dict() != harness.fuse(runs, "boltzmann", "pit", 20).to_dict()
    with pytest.raises(HarnessError, match=r"fuser=boltzmann has no alfa \(did you mean alpha\?\)"):
        harness.fuse(runs, "boltzmann", alfa=0.3)
    with pytest.raises(HarnessError, match="alpha: boltzmann has its knobs; give the fuser by its name"):
        harness.fuse(runs, strategy("fuser", "boltzmann"), alpha=0.3)


def test_an_evaluation_is_a_value_a_mapping_and_a_table(runs: dict[str, harness.Run]) -> None:
    found = harness.evaluate(runs["dense"], GOLD, ["last_hop@1", "recall@2"])
    assert (found.n, found.metrics) == (2, {"last_hop@1": 0.0, "recall@2": 1.0})
    assert found["metrics"] == found.metrics
    assert set(found) >= {"n", "metrics", "by_hops", "by_type", "per_query", "coverage"}
    assert json.loads(json.dumps(dict(found)))["per_query"]["q1"] == {"last_hop@1": 0.0, "recall@2": 1.0}
    assert isinstance(found.table(), Table)
    assert "type x&y  2" in repr(found)
    assert "type x&amp;y" in found._repr_html_()
    assert r"x\&y" in found.latex()


def test_a_comparison_has_the_fields_of_the_command_line(runs: dict[str, harness.Run], tmp_path: Path) -> None:
    found = harness.compare(runs["graph"], runs["dense"], GOLD, "last_hop@1")
    assert (found.wins, found.losses, found.p) == (2, 0, 0.5)
    lines = [{"id": q, "supporting_ids": s} for q, s in zip(GOLD.query_ids, GOLD.supporting, strict=True)]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for name, run in runs.items():
        harness.write(run, tmp_path / f"{name}.json")
    options = ["run=graph.json", "baseline=dense.json", "gold=gold.jsonl", "metric=last_hop@1", "out=out.json"]
    warm.harness("compare", *options, "paths.looks=null", cwd=tmp_path, check=True)
    written = json.loads((tmp_path / "out.json").read_text())
    names = {"run", "name", "baseline", "gold"}
    assert {key: written[key] for key in found if key not in names | {"coverage"}} == {
        key: value for key, value in found.items() if key not in names | {"coverage"}
    }
    assert "the run  last_hop@1" in str(found)


def test_runs_and_benchmarks_show_themselves_shortly(runs: dict[str, harness.Run]) -> None:
    assert repr(runs["dense"]) == "Run(2 queries, 4 documents in lists of 2 to 2, 0 lists empty)"
    assert "&lt;c&gt;" in runs["dense"]._repr_html_()
    assert repr(harness.Run.from_dict({})) == "Run(0 queries, 0 documents, 0 lists empty)"
    sample = harness.load("sample")
    told = "Gold(2 queries, 3 supporting passages, hop order known of 0; the qrels)"
    gold = harness.Gold.from_dict({"q1": {"a": 1, "b": 2}, "q2": {"c": 1, "d": 0}})
    assert repr(gold) == told
    with pytest.raises(harness.HarnessError, match=r"^Gold.from_dict: query q: expected \{document id: number\}"):
        harness.Gold.from_dict({"q": ["a"]})
    assert repr(sample) == "Benchmark(sample: 2000 passages, 600 queries, sha256 d02a81a6c781)"
    assert "sample-q-00000" in sample._repr_html_()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["evaluate", "run=r.json", "gold=g.json", "metrics=0.5"], "metrics=0.5: expected names such as last_hop@5"),
        (["evaluate", "run=r.json", "gold=g.json", "k=0.5"], "k=0.5: expected"),
        (["compare", "run=r.json", "baseline=r.json", "gold=g.json", "metric=0.5"], "metrics=0.5: expected"),
        (["sweep", "dataset=1"], "dataset=1 is not known; known: 2wikimultihopqa"),
        (["sweep", "metrics=0.5", "dry_run=true"], "metrics=0.5: expected"),
        (["fuse", "lists.a=1", "out=x.trec"], "1: there is no such file"),
    ],
)
def test_values_of_another_kind_are_one_line(options: list[str], words: str, tmp_path: Path) -> None:
    done = warm.harness(*options, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert words in done.stderr
