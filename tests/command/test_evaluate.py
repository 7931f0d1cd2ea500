"""`harness evaluate`: hand-worked scores, qrels, queries that do not match, and each form of
output.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from harness.benchmark import md5_split
from harness.command.evaluate import run
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from tests.conftest import Command

RUN = """q1 Q0 b 1 3 s
q1 Q0 a 2 2 s
q2 Q0 x 1 3 s
q2 Q0 c 2 2 s
q9 Q0 x 1 1 s
"""
GOLD = """{"id": "q1", "supporting_ids": ["a", "b"], "hops": 2, "type": "bridge"}
{"id": "q2", "supporting_ids": ["c", "d"], "hops": 2, "type": "comparison"}
{"id": "q3", "supporting_ids": ["a"], "hops": 1, "type": "bridge"}
"""
QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 c 1\nq2 0 d 1\nq3 0 a 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.trec").write_text(RUN)
    (tmp_path / "queries.jsonl").write_text(GOLD)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


def evaluated(*overrides: str, gold: str = "queries.jsonl") -> Any:
    run(compose("evaluate", ["run=run.trec", f"gold={gold}", "out=out.json", *overrides]))
    return json.loads(Path("out.json").read_text())


def test_scores_by_hand(folder: Path) -> None:
    found = evaluated("k=[1,2]", "metrics=[last_hop,full_sup,any_sup,recall,mrr]")
    assert found["n"] == 3
    assert found["metrics"] == {
        "last_hop@1": 1 / 3,
        "last_hop@2": 1 / 3,
        "full_sup@1": 0,
        "full_sup@2": 1 / 3,
        "success@1": 1 / 3,
        "success@2": 2 / 3,
        "recall@1": pytest.approx(0.5 / 3),
        "recall@2": 1.5 / 3,
        "mrr": 1.5 / 3,
    }
    assert found["by_hops"]["1"] == {"n": 1, **dict.fromkeys(found["metrics"], 0)}
    assert (found["by_hops"]["2"]["n"], found["by_hops"]["2"]["last_hop@1"]) == (2, 0.5)
    assert (found["by_type"]["bridge"]["n"], found["by_type"]["bridge"]["recall@2"]) == (2, 0.5)
    assert found["per_query"]["q2"]["mrr"] == 0.5
    assert list(found["per_query"]) == ["q1", "q2", "q3"]
    assert found["queries"] == {"missing": 1, "unknown": 1}


def test_qrels_have_no_last_hop_and_the_result_says_why(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluated("metrics=[last_hop,full_sup]", gold="qrels.txt")
    assert found["metrics"] == {"last_hop@5": None, "full_sup@5": 1 / 3}
    assert found["per_query"]["q1"] == {"last_hop@5": None, "full_sup@5": 1}
    assert "no question of qrels.txt has a known hop order" in found["note"]
    assert "has a known hop order" in capsys.readouterr().out


def test_queries_that_do_not_match_are_shown_or_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluated()
    told = " ".join(capsys.readouterr().out.split())
    assert "no list for 1 of 3 questions" in told
    assert "1 list of questions that the gold does not know" in told
    Path("out.json").unlink()
    with pytest.raises(HarnessError, match="strict=false"):
        evaluated("strict=true")
    assert not Path("out.json").exists()


def test_a_split_is_that_of_the_md5_rule(folder: Path) -> None:
    for split in ("tune", "test"):
        expected = [query for query in ("q1", "q2", "q3") if md5_split(query) == split]
        assert list(evaluated(f"split={split}")["per_query"]) == expected


def test_ties_as_trec_eval_breaks_them(folder: Path) -> None:
    Path("run.trec").write_text("q1 Q0 a 1 1 s\nq1 Q0 b 2 1 s\n")
    assert evaluated("metrics=last_hop", "k=1")["metrics"]["last_hop@1"] == 0
    assert evaluated("metrics=last_hop", "k=1", "ties=trec")["metrics"]["last_hop@1"] == 1 / 3


def test_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("csv", "tex", "txt"):
        run(
            compose(
                "evaluate",
                ["run=run.trec", "gold=queries.jsonl", "metrics=last_hop", f"out=out.{ending}"],
            )
        )
    rows = list(csv.reader(Path("out.csv").read_text().splitlines()))
    assert rows[:2] == [
        ["questions", "n", "missing", "last_hop@5 (share)"],
        ["all", "3", "1", str(1 / 3)],
    ]
    text = Path("out.tex").read_text()
    assert r"all & 3 & 1 & 33.3 \\" in text
    assert "run.trec has no list for 1 of 3 questions; these count as not found." in text
    assert r"\toprule" in Path("out.tex").read_text()
    assert Path("out.txt").read_text().strip() in capsys.readouterr().out
    assert sorted(path.name for path in folder.glob("out*")) == [
        "out-queries.csv",
        "out.csv",
        "out.tex",
        "out.txt",
    ]


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["run=run.trec"], "gold: no value is given; add gold=..."),
        (["run=run.trec", "gold=queries.jsonl", "out=x.xls"], "ending .xls is not known"),
        (["run=run.trec", "gold=queries.jsonl", "k=[0]"], "k=0"),
        (["run=run.trec", "gold=queries.jsonl", "split=train"], "known: tune, test, all"),
        (["run=run.trec", "gold=queries.jsonl", "ties=random"], "known: house, trec"),
        (["run=strange.json", "gold=queries.jsonl"], "have no query in common"),
    ],
)
def test_what_is_refused(folder: Path, overrides: list[str], words: str) -> None:
    (folder / "strange.json").write_text('{"other": {"a": 1}}')
    with pytest.raises(HarnessError) as caught:
        run(compose("evaluate", overrides))
    assert words in str(caught.value)


def test_a_depth_beyond_the_lists_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluated("metrics=[recall]", "k=[1,1000]")
    told = "run.trec: no list has more than 2 documents, so recall@1000 cannot look further"
    assert told in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "line", [("evaluate", "metrics=[recall@5,mrr]"), ("compare", "baseline=run.trec", "metric=mrr")]
)
def test_a_depth_that_no_metric_takes_is_an_error(
    folder: Path, command: Command, line: tuple[str, ...]
) -> None:
    status, _, said = command(*line, "run=run.trec", "gold=queries.jsonl", "k=10")
    assert status == 2
    assert "does not use k=10: " in said
