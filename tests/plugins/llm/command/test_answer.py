"""`harness answer`: conditions, scores by hand, controls, estimates, what is logged, and
mistakes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.plugins.llm.answering.answering import AnswerScores, Condition
from harness.plugins.llm.command.answer import run
from tests.plugins.llm.endpoint.scripted import Scripted, completion, served
from tests.world.folder import write_benchmark

CORPUS = [
    ("d0", "Dune", "Dune was filmed by David Lynch."),
    ("d1", "David Lynch", "He grew up in Missoula."),
]
QUERIES = [
    ("q0", "Who filmed Dune?", ["David Lynch", "Lynch"], ["d0"]),
    ("q1", "Where did the director of Dune grow up?", ["Missoula"], ["d0", "d1"]),
]
TREC = "q0 Q0 d0 1 2 s\nq0 Q0 d1 2 1 s\nq1 Q0 d0 1 2 s\nq1 Q0 d1 2 1 s\n"


def play(number: int, message: str) -> str:
    """Answers q0 always, q1 only from the passage that says it (half right without)."""
    if "filmed Dune?" in message:
        return json.dumps({"answer": "the David Lynch"})
    return json.dumps({"answer": "Missoula" if "grew up in" in message else "Missoula County"})


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": name, "title": title, "text": text} for name, title, text in CORPUS]
    fields = ("id", "question", "answers", "supporting_ids", "hops", "type")
    queries = [dict(zip(fields, (*row, len(row[3]), "x"), strict=True)) for row in QUERIES]
    write_benchmark(tmp_path / "few", rows, queries)
    (tmp_path / "run.trec").write_text(TREC)
    with served(play) as scripted:
        yield scripted


def answered(endpoint: Scripted, *overrides: str) -> Any:
    few = ["dataset=folder", "dataset.path=few", "split=all"]
    local = ["reader.model=m", f"reader.base_url={endpoint.url}"]
    run(compose("answer", ["run=run.trec", "out=out.json", *few, *local, *overrides]))
    return json.loads(Path("out.json").read_text()) if Path("out.json").exists() else None


@pytest.mark.parametrize(("tokens", "passages"), [(14, 2), (13, 1), (1, 1)])
def test_a_budget_of_words_holds_for_runs_and_not_for_controls(
    endpoint: Scripted, tokens: int, passages: int
) -> None:
    """Title and text of each passage have 7 words; the first is read whatever the budget."""
    found = answered(endpoint, f"tokens={tokens}")
    rows = {row["condition"]: row["passages"] for row in found["conditions"]}
    assert (rows["retrieved"], rows["stuffed"]) == (passages, 2)


def test_conditions_and_scores_by_hand(
    endpoint: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answered(endpoint, "k=1")
    rows = {row["condition"]: row for row in found["conditions"]}
    assert list(rows) == ["retrieved", "no_retrieval", "stuffed", "gold"]
    half = pytest.approx((1 + 2 / 3) / 2)
    assert {name: (row["em"], row["f1"], row["passages"]) for name, row in rows.items()} == {
        "retrieved": (0.5, half, 1),
        "no_retrieval": (0.5, half, 0),
        "stuffed": (1, 1, 2),
        "gold": (1, 1, 1.5),
    }
    told = [rows["gold"][key] for key in ("baseline", "wins", "losses", "p")]
    assert told == ["no_retrieval", 1, 0, 1]
    assert rows["gold"]["f1_difference"] == pytest.approx((1 / 3) / 2)
    assert "wins" not in rows["no_retrieval"]
    assert found["per_query"]["q1"]["retrieved"] == {
        "answer": "Missoula County",
        "em": 0,
        "f1": pytest.approx(2 / 3),
    }
    few = ("p_cluster", "em_interval", "f1_difference_interval")
    assert [rows["gold"][key] for key in few] == [None] * 3
    text = " ".join(capsys.readouterr().out.split())
    head = "few: 2 of 2 questions, split all, reader m, in percent, W and L against no_retrieval"
    assert f"{head}, too few clusters for p and intervals" in text
    assert "test questions: use them for no choice" in text


def test_whole_clusters_change_sides() -> None:
    """Six pairs of questions share gold, and all twelve are won: 2 / 2^12 by question, 2 / 2^6 by
    cluster.
    """
    condition, pairs = Condition("gold", "gold", None), np.repeat(np.arange(6), 2)
    all_right, none = np.ones(12), np.zeros(12)
    ours, theirs = (
        AnswerScores(condition, [], one, one, pairs, {}, 1.0) for one in (all_right, none)
    )
    found = ours.against(theirs)
    assert (found["p"], found["decides"]) == (2 / 2**12, "by cluster")
    assert found["p_cluster"] == pytest.approx(2 / 2**6)
    alone = AnswerScores(condition, [], all_right, all_right, np.arange(12), {}, 1.0)
    alone = alone.against(theirs)
    assert (alone["p_cluster"], alone["decides"]) == (2 / 2**12, "by question")


def test_equal_messages_are_asked_once(endpoint: Scripted) -> None:
    """q0's gold passage is its first, and its two are all there are: 2 + 2 + 2 + 0
    requests, not 8.
    """
    answered(endpoint, "k=1", "reader.parallel=1")
    assert len(endpoint.requests) == 6


def test_dry_run_asks_nothing(endpoint: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(endpoint, "dry_run=true") is None
    assert not endpoint.requests
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].split()[:3] == ["all", "8", "0"]
    answered(endpoint)
    answered(endpoint, "dry_run=true")
    assert capsys.readouterr().out.splitlines()[-2].split() == ["all", "8", "8", "0", "0"]


def test_several_runs_and_depths(endpoint: Scripted) -> None:
    names = "run={one: run.trec, two: run.trec}"
    found = answered(endpoint, names, "k=[1,2]", "controls=null", "baseline=one@1", "limit=1")
    assert [row["condition"] for row in found["conditions"]] == ["one@1", "one@2", "two@1", "two@2"]
    assert (found["n"], found["of"]) == (1, 2)


def test_every_form(endpoint: Scripted) -> None:
    for name in ("out.tex", "out.csv", "out.txt"):
        answered(endpoint, f"out={name}")
        assert "no" in Path(name).read_text()
    assert r"no\_retrieval & 0.0 & 2 & 50.0 & " in Path("out.tex").read_text()


def test_published_figures_stand_beside(
    endpoint: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answered(
        endpoint, "published.differs=the reader", "+published.rows.few={Ours: [76.4, 78.9]}"
    )
    assert found["published"]["rows"] == {
        "Ours": {"em": pytest.approx(0.764), "f1": pytest.approx(0.789)}
    }
    text = capsys.readouterr().out
    assert "published: Ours" in text
    assert "published: PolicyRAG, Tables 6 and 2; PhaseGraph, Table 6; the reader" in text


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["baseline=golden"], r"baseline=golden is not known \(did you mean gold\?\)"),
        (["k=0"], r"^k must be in \[1, inf\), got k=0"),
        (["k=abc"], r"^k must be a whole number, got k=abc"),
        (["k=[1,1]"], r"k=\[1, 1\] and controls name retrieved@1 twice"),
        (["limit=0"], r"^limit must be in"),
        (["reader.refresh=abc"], r"^reader\.refresh must be a whole number, got refresh=abc"),
        (["controls={stuffed: -1}", "baseline=null"], r"^controls\.stuffed must be in \[0"),
        (["run={gold: run.trec}"], "controls name gold twice"),
        (["run=other.trec"], "run=other.trec and dataset=few have no query in common"),
        (["run=unknown.trec"], "run=unknown.trec and dataset=few have no document in common"),
        (["split=tset"], "did you mean test"),
        (["out=x.pdf"], "ending .pdf is not known"),
    ],
)
def test_mistakes(endpoint: Scripted, overrides: list[str], message: str) -> None:
    Path("other.trec").write_text("x Q0 d0 1 1 s\n")
    Path("unknown.trec").write_text("q0 Q0 d9 1 1 s\n")
    with pytest.raises(HarnessError, match=message):
        answered(endpoint, *overrides)
    assert not endpoint.requests


def test_a_question_without_answers_is_named(endpoint: Scripted) -> None:
    path = Path("few/queries.jsonl")
    path.write_text(path.read_text().replace('"answers": ["Missoula"]', '"answers": []'))
    with pytest.raises(HarnessError, match=r"q1.*`answers`"):
        answered(endpoint)


def test_a_bound_is_of_all_conditions_together(endpoint: Scripted) -> None:
    """Each of six requests takes 110 tokens: of the first two conditions 440, so the fifth is not
    sent.
    """
    with pytest.raises(HarnessError, match=r"reader\.max_tokens_total=430.*440"):
        answered(endpoint, "k=1", "reader.parallel=1", "reader.max_tokens_total=430")
    assert len(endpoint.requests) == 4


def test_a_server_that_counts_no_tokens(endpoint: Scripted) -> None:
    def uncounted(number: int, message: str) -> Any:
        return "garbage", json.dumps(completion(play(number, message))).encode()

    endpoint.play = uncounted
    bound = ["reader.max_tokens_total=9", "controls=null", "baseline=null"]
    with pytest.raises(HarnessError, match=r"\(`usage`\).*reader\.max_tokens_total"):
        answered(endpoint, *bound)
    assert len(endpoint.requests) == 1


def test_no_baseline_is_named_where_there_is_none(
    endpoint: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = (
        "I am sorry, but from these passages I cannot say what the answer to this question is."
    )
    endpoint.play = lambda number, message: refusal
    answered(endpoint, "controls=null", "baseline=null")
    text = capsys.readouterr().out
    assert "reader m, in percent\n" in text
    assert "2 unusable (another form, cut, or refused), counted as wrong; reader.refresh=1" in text
