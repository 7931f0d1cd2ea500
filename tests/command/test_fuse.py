"""`harness fuse`: hand-worked fusion of files, splits, depths, forms, and what is refused; then all
three in a row.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import harness
from harness.benchmark import md5_split
from harness.command.fuse import run
from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.run import io as lists
from tests import process
from tests.conftest import Command

DENSE = "q1 Q0 a 1 0.9 s\nq1 Q0 b 2 0.8 s\nq2 Q0 c 1 0.7 s\n"
GRAPH = '{"q1": {"b": 5, "c": 4}, "q3": {"d": 1}}'
GIVEN = "lists={dense: d.trec, graph: g.json}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.trec").write_text(DENSE)
    (tmp_path / "g.json").write_text(GRAPH)
    return tmp_path


def fused(*overrides: str, out: str = "out.trec") -> dict[str, dict[str, float]]:
    run(compose("fuse", [GIVEN, f"out={out}", *overrides]))
    return lists.read(out).to_dict()


@pytest.mark.parametrize("out", ["out.trec", "out.trec.gz", "out.json", "out.parquet"])
def test_reciprocal_ranks_by_hand(folder: Path, out: str) -> None:
    found = fused("fuser=rrf", "fuser.k=60", out=out)
    assert found == {
        "q1": {"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62},
        "q2": {"c": 1 / 61},
        "q3": {"d": 1 / 61},
    }
    assert list(found["q1"]) == ["b", "a", "c"]


def test_linear_with_percentiles_by_hand(folder: Path) -> None:
    found = fused("normalizer=pit", "fuser=linear", "fuser.alpha=0.75", "fuser.beta=0.5")
    assert found["q1"] == {"b": 0.75 * 0.5 + 0.25 * 1 + 0.5, "a": 0.75, "c": 0.25 * 0.5}


def test_alpha_is_the_share_of_the_reference_by_hand(folder: Path) -> None:
    found = fused("normalizer=pit", "fuser=linear", "fuser.alpha=0.75", "reference=graph")
    assert found["q1"] == {"b": 0.25 * 0.5 + 0.75 * 1, "a": 0.25, "c": 0.75 * 0.5}
    with pytest.raises(HarnessError, match=r"reference=grph.*graph\?\)"):
        fused("reference=grph")


def test_a_prior_and_the_bonus_of_the_first_exact_match_by_hand(folder: Path) -> None:
    (folder / "prior.json").write_text('{"a": 1.0, "c": 0.5}')
    lexical = "fuser.weights={dense: 1, graph: 0.5}", "fuser.lexical=dense", "fuser.bonus=0.5"
    found = fused("fuser=weighted_rrf", *lexical, "pool.importance=prior.json")
    assert found["q1"] == {
        "a": pytest.approx((1 / 61 + 0.5) * 1.0),
        "b": pytest.approx((1 / 62 + 0.5 / 61) * 0.7),
        "c": pytest.approx(0.5 / 62 * 0.85),
    }


def test_the_cap_cuts_the_capped_list_only(folder: Path) -> None:
    assert set(fused("fuser=rrf", "pool.cap=1")["q1"]) == {"a", "b"}
    assert set(fused("fuser=rrf", "pool.cap=1", "pool.capped=[dense]")["q1"]) == {"a", "b", "c"}


def test_depth_and_split(folder: Path) -> None:
    assert set(fused("fuser=rrf", "depth=1")["q1"]) == {"b"}
    for split in ("tune", "test"):
        assert set(fused("fuser=rrf", f"split={split}")) == {
            q for q in ("q1", "q2", "q3") if md5_split(q) == split
        }


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["lists=d.trec"], "lists must name"),
        (["lists=null"], "lists must name"),
        (
            ["lists={dense: d.trec, graph: other.json}"],
            "lists.dense and lists.graph have no query in common",
        ),
        (
            ["lists={dense: d.trec, graph: hollow.json}"],
            "lists.graph: no list has a document; give a file",
        ),
        (["normalizer=zscore"], "fuser=boltzmann needs values in [0, 1]"),
        (["depth=0"], "depth"),
        (["split=dev"], "known: tune, test, all"),
        (["pool.importance=none.json"], "none.json: there is no such file"),
        (["pool.importance=bad.trec"], "bad.trec:1: broken JSON"),
        (["pool.importance=high.json"], "high.json: a must be in [0, 1], got"),
        (["fuser=learned"], "fuser=learned has no coefficients"),
        (
            ["lock=bad.trec"],
            "bad.trec:1: broken JSON (Expecting value); expected the lock of a sweep",
        ),
        (["lock=lock.json"], "lock.json: changed since it was written"),
    ],
)
def test_what_is_refused(folder: Path, overrides: list[str], words: str) -> None:
    (folder / "other.json").write_text('{"other": {"a": 1}}')
    (folder / "hollow.json").write_text('{"q1": {}}')
    (folder / "bad.trec").write_text("q1 Q0 a 1 0.9\n")
    (folder / "high.json").write_text('{"a": 1.5}')
    (folder / "lock.json").write_text('{"winner": {"parameters": {}}, "sha256": "0"}')
    with pytest.raises(HarnessError) as caught:
        fused(*overrides)
    assert words in str(caught.value)
    assert not list(folder.glob("out*"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            ["fuser=rrf", "pool.capped=[nope]", "pool.cap=5"],
            "pool.capped=nope is not known; known: dense, graph",
        ),
        (["fuser=rrf", "+fuser.kk=3"], "has no kk"),
        (["lock=lock.json", "+fuser.k=3"], "lock=lock.json fixes what +fuser.k=3 would change"),
        (["lock=lock.json", "~reranker"], "lock=lock.json fixes what ~reranker would change"),
        (["fuser=rrf", "lenient=[false]"], "lenient=[false]: expected true or false"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    folder: Path, command: Command, given: list[str], words: str
) -> None:
    status, _, said = command("fuse", GIVEN, "out=out.trec", *given)
    assert status == 2
    assert words in said
    assert not Path("out.trec").exists()


def test_what_a_fuser_does_not_read_is_an_error(folder: Path, command: Command) -> None:
    for typed in ("normalizer=zscore", "temperature=fixed", "pool.capped=[dense]"):
        status, _, said = command("fuse", GIVEN, "fuser=rrf", "out=out.trec", typed)
        assert (status, said.count("\n")) == (2, 1)
        assert f"does not use {typed.partition('[')[0]}" in said
        assert not Path("out.trec").exists()


@pytest.mark.parametrize("split", ["split=all", "splitting=md5"])
def test_gold_that_no_split_needs_is_an_error(folder: Path, command: Command, split: str) -> None:
    typed = [split] if split == "split=all" else [split, "split=tune"]
    status, _, said = command("fuse", GIVEN, "fuser=rrf", "gold=g.jsonl", *typed, "out=o.trec")
    assert status == 2
    assert "this command does not use gold=g.jsonl" in said


def test_no_list_is_written_over(folder: Path, command: Command) -> None:
    status, _, said = command("fuse", GIVEN, "fuser=rrf", "out=./d.trec")
    assert (status, (folder / "d.trec").read_text()) == (2, DENSE)
    assert "out=./d.trec is d.trec, which is an input; give it another name" in said


def test_fuse_evaluate_compare_from_the_command_line(folder: Path) -> None:
    (folder / "queries.jsonl").write_text(
        '{"id": "q1", "supporting_ids": ["a", "b"], "hops": 2, "type": "bridge"}\n'
    )
    assert process.harness("fuse", GIVEN, "fuser=rrf", "out=f.trec", cwd=folder).returncode == 0
    assert (
        process.harness(
            "evaluate", "run=f.trec", "gold=queries.jsonl", "k=[1,2]", "out=e.json", cwd=folder
        ).returncode
        == 0
    )
    assert json.loads((folder / "e.json").read_text())["metrics"]["last_hop@1"] == 1
    arguments = (
        "run=f.trec",
        "baseline=d.trec",
        "gold=queries.jsonl",
        "metric=last_hop",
        "k=1",
        "out=c.json",
    )
    assert process.harness("compare", *arguments, cwd=folder).returncode == 0
    assert json.loads((folder / "c.json").read_text())["wins_ids"] == ["q1"]
    (folder / "bad.trec").write_text(DENSE + "q1 Q0 a 3 nan s\n")
    wrong = process.harness(
        "fuse", "lists={dense: bad.trec, graph: g.json}", "out=x.trec", cwd=folder
    )
    assert wrong.returncode == 2
    assert wrong.stderr.splitlines() == [
        "error: bad.trec:4: query q1: the score of document a must be a finite number, got nan"
    ]
    assert not (folder / "x.trec").exists()


def test_lists_that_share_little_are_said(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    docs = "\n".join(f"q1 Q0 z{number} {number + 2} 0.{9 - number} s" for number in range(3))
    (folder / "d.trec").write_text(f"q1 Q0 b 1 0.99 s\n{docs}\n")
    (folder / "g.json").write_text('{"q1": {"b": 5, "c": 4, "d": 3}}')
    fused("fuser=rrf")
    told = "lists.dense and lists.graph share only 1 document ids of 3"
    assert told in caplog.text
    (note,) = harness.fuse([{"q": {"a": 1}}, {"q": {"A": 1}}], "rrf").notes[1:]
    assert note.endswith("of document ids in one 1 differs in case alone: 'A', 'a'")
    given = {"dense": str(folder / "d.trec"), "graph": str(folder / "g.json")}
    for unread in ({"importance": {"b": 1.0}}, {"normalizer": "zscore"}, {"temperature": "fixed"}):
        with pytest.raises(HarnessError, match=rf"does not use {next(iter(unread))}: fuser=rrf"):
            harness.fuse(given, "rrf", **unread)
    with pytest.raises(HarnessError, match="does not use capped: it is read if pool_cap"):
        harness.fuse(given, "rrf", capped="graph")


def test_a_disjoint_split_keeps_queries_that_share_passages_together(folder: Path) -> None:
    """q1 and q2 share c, so both go where q1 goes; by themselves they would part."""
    ids = ["q1", "q2", "q3"]
    gold = dict(zip(ids, (["a", "c"], ["c"], ["d"]), strict=True))
    queries = [
        {"id": name, "supporting_ids": gold[name], "hops": 1, "type": "bridge"} for name in ids
    ]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    split = {name: md5_split(name) for name in ids}
    assert (split["q1"], split["q2"], split["q3"]) == ("tune", "test", "test")
    assert set(fused("split=test")) == {"q2", "q3"}
    disjoint = ["splitting=disjoint", "gold=queries.jsonl"]
    assert set(fused("split=test", *disjoint)) == {"q3"}
    assert set(fused("split=tune", *disjoint)) == {"q1", "q2"}
    with pytest.raises(HarnessError, match="splitting=disjoint"):
        fused("split=test", "splitting=disjoint")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries[:2])))
    with pytest.raises(HarnessError, match=r"queries\.jsonl.*1.*lists' 3.*\(q3\)"):
        fused("split=test", *disjoint)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["fuser.weights={dense: 1, graph: 1, grph: 5}"],
            "fuser.weights=grph is not known (did you mean graph?)",
        ),
        (
            ["fuser.weights={dense: 0, graph: 0}"],
            "every weight is 0; give one list a weight above 0",
        ),
    ],
)
def test_weights_that_say_nothing(
    folder: Path, command: Command, overrides: list[str], message: str
) -> None:
    status, _, said = command("fuse", GIVEN, "fuser=linear", "out=out.trec", *overrides)
    assert (status, message in said, said.count("\n")) == (2, True, 1), said


def test_a_prior_of_other_documents(folder: Path, command: Command) -> None:
    (folder / "prior.json").write_text('{"z": 1.0}')
    status, _, said = command(
        "fuse", GIVEN, "fuser=weighted_rrf", "pool.importance=prior.json", "out=out.trec"
    )
    assert (status, "names none of the 4 documents; use the ids that the lists use" in said) == (
        2,
        True,
    ), said


OWN = """
from dataclasses import dataclass
from typing import ClassVar

from harness.fusion.normalizer import ZeroAbsent


@dataclass(frozen=True)
class Halved(ZeroAbsent):
    unit: ClassVar[bool] = False

    def __call__(self, scores, present):
        return scores / 2
"""


def test_lists_with_documents_below_those_that_they_lack_are_named(tmp_path: Path) -> None:
    (tmp_path / "neg.json").write_text('{"q1": {"a": -1, "b": -5}, "q2": {"a": 2, "b": -1}}')
    (tmp_path / "pos.json").write_text('{"q1": {"a": 1}, "q2": {"b": 1}}')
    typed = ("fuse", "lists={x: neg.json, y: pos.json}", "fuser=linear", "out=f.json")
    done = process.harness(*typed, "normalizer=max", cwd=tmp_path, check=True)
    assert (
        "lists.x: in 1 of 2 questions normalizer=max gives its documents no more than those that it"
        in done.stderr
    )
    assert "lists.y" not in done.stderr
    none = process.harness(*typed, "normalizer=none", cwd=tmp_path, check=True).stderr
    assert (
        "lists.x: in 2 of 2 questions normalizer=none gives some of its documents less than "
        "those that it" in none
    )
    assert "lists.y" not in none
    assert (
        " gives "
        not in process.harness(*typed, "normalizer=minmax", cwd=tmp_path, check=True).stderr
    )
    (tmp_path / "halved.py").write_text(OWN)
    (tmp_path / "normalizer").mkdir()
    (tmp_path / "normalizer" / "halved.yaml").write_text("_target_: halved.Halved\n")
    mine = ("normalizer=halved", f"--config-dir={tmp_path}")
    own = process.harness(
        *typed, *mine, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True
    ).stderr
    assert (
        "lists.x: in 2 of 2 questions normalizer=halved gives some of its documents less than "
        "those that" in own
    )
