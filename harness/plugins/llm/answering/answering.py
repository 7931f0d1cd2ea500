"""Answers from retrieved passages and from controls, scored: the computation of `harness
answer`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array, Int64Array
from harness.core.artifact import Facts
from harness.core.errors import HarnessError
from harness.work.store import Store

if TYPE_CHECKING:
    from harness.plugins.llm.reader import Contexts, Reader
    from harness.run import Run

NOTHING, GOLD_PASSAGES = "no_retrieval", "gold"


@dataclass(frozen=True)
class Condition:
    """The passages of the reader: the ``k`` best of a list, none, or the supporting ones.

    Args:
        name: of the condition.
        source: a list; ``gold`` for the supporting passages (``k`` None: all of them),
            ``no_retrieval`` for none.
        k: number of passages.
        tokens: largest number of words of the passages, the first always included; None for any
            number.
    """

    name: str
    source: str
    k: int | None
    tokens: int | None = None


@dataclass(frozen=True, eq=False)
class AnswerScores:
    """The scores of a condition.

    Args:
        condition: the condition.
        answers: one for each question.
        em: float64[n].
        f1: float64[n].
        labels: int64[n], the questions' clusters, from 0 on.
        counted: counts of asking.
        passages: mean number of passages.
    """

    condition: Condition
    answers: Sequence[str]
    em: Float64Array
    f1: Float64Array
    labels: Int64Array
    counted: Facts
    passages: float

    def scores(self) -> dict[str, object]:
        """Return ``em`` and ``f1`` as shares, each with its interval.

        It is a bootstrap interval of 10,000 resamples of the questions, or, if questions share gold
        passages, the score interval by cluster (None with too few clusters).
        """
        return {
            "em": float(self.em.mean()),
            "f1": float(self.f1.mean()),
            "em_interval": self._interval(self.em),
            "f1_interval": self._interval(self.f1),
        }

    def _interval(self, values: Float64Array) -> list[float] | None:
        from harness.evaluation import statistic

        if not statistic.share(self.labels):
            return list(statistic.bootstrap(values))
        if statistic.too_few(self.labels):
            return None
        return list(
            statistic.ClusteredScore.of(values, self.labels, "any").interval(low=0.0, high=1.0)
        )

    def against(self, other: AnswerScores) -> dict[str, object]:
        """Return wins, losses, p by question and the deciding p of exact match, and the difference
        of F1.
        """
        from harness.evaluation.paired_comparison import Comparison

        exact = Comparison.of(self.em, other.em, labels=self.labels)
        overlap = Comparison.of(self.f1, other.f1, binary=False, labels=self.labels)
        return {
            "baseline": other.condition.name,
            "wins": exact.wins,
            "losses": exact.losses,
            "p": exact.p,
            "p_cluster": exact.p_deciding,
            "decides": exact.decides,
            "f1_difference": overlap.difference,
            "f1_difference_interval": None if overlap.interval is None else list(overlap.interval),
        }


def sample_questions(benchmark: Benchmark, split: str, limit: int | None) -> Int64Array:
    """Return int64[n], the first ``limit`` questions of a split by the MD5 of ``answer <id>``, in
    order.

    The sample depends on the ids alone; a greater limit contains a smaller one's questions.
    """
    members = benchmark.members(split)
    if limit is None or limit >= len(members):
        return members
    ids = benchmark.query_ids.to_pylist()
    texts = [f"answer {ids[number]}".encode() for number in members]
    hashes = [hashlib.md5(text, usedforsecurity=False).hexdigest() for text in texts]
    return np.sort(members[np.argsort(hashes)[:limit]])


def gold_answers(benchmark: Benchmark, members: Int64Array) -> list[list[str]]:
    """Return the gold answers of questions. Raise HarnessError if a question has none."""
    rows = benchmark.queries.select(members)
    for row in rows:
        if not row.get("answers"):
            raise HarnessError(
                f"dataset={benchmark.name}: query {row['id']} has no answers; give `answers`, a "
                "list of texts, in its queries.jsonl"
            )
    return list(rows["answers"])


def conditions(
    runs: Sequence[str], depths: list[int], controls: Mapping[str, int], tokens: int | None = None
) -> list[Condition]:
    """Return each run at each depth, then the controls.

    Args:
        runs: names of runs.
        depths: numbers of passages.
        controls: numbers of passages by name; ``no_retrieval`` gets none, ``gold`` the supporting
            passages, any other the best of the first run.
        tokens: the budget of each run, not of the controls.
    """
    named = []
    for run in runs:
        for depth in depths:
            name = run if len(depths) == 1 else f"{run}@{depth}"
            named.append(Condition(name, run, depth, tokens))
    for name, depth in controls.items():
        source = name if name in (NOTHING, GOLD_PASSAGES) else runs[0]
        named.append(Condition(name, source, depth))
    for name, count in Counter(condition.name for condition in named).items():
        if count > 1:
            raise HarnessError(
                f"run, k={depths} and controls name {name} twice; give each one another name"
            )
    return named


def contexts(
    condition: Condition, runs: Mapping[str, Run], benchmark: Benchmark, members: Int64Array
) -> Contexts:
    """Return the passages of each question."""
    per_question: list[list[str]] = []
    for number in members.tolist():
        docs = benchmark.gold[number][benchmark.gold[number] >= 0]
        if condition.source not in (NOTHING, GOLD_PASSAGES):
            run = runs[condition.source]
            docs = run.docs[run.indptr[number] : run.indptr[number + 1]]
        depth = 0 if condition.source == NOTHING else condition.k
        passages = [benchmark.passages[doc] for doc in docs[:depth].tolist()]
        if condition.tokens is not None:
            held = np.cumsum([len(passage.split()) for passage in passages])
            passages = passages[: max(1, int(np.sum(held <= condition.tokens)))]
        per_question.append(passages)
    return per_question


def judge(
    condition: Condition,
    reader: Reader,
    questions: Sequence[str],
    context: Contexts,
    gold: Sequence[Sequence[str]],
    labels: Int64Array,
    store: Store,
) -> AnswerScores:
    """Read and score one condition.

    Args:
        condition: the condition.
        reader: the reader.
        questions: the texts.
        context: the passages of each question.
        gold: the gold answers.
        labels: int64[n], the questions' clusters, from 0 on.
        store: the store of answers.
    """
    from harness.plugins.llm.answering.answer_scores import em, f1
    from harness.plugins.llm.reader import read

    answers, facts = read(reader, questions, context, store)
    pairs = list(zip(answers, gold, strict=True))
    return AnswerScores(
        condition,
        answers,
        np.array(list(starmap(em, pairs))),
        np.array(list(starmap(f1, pairs))),
        labels,
        facts,
        float(np.mean([len(passages) for passages in context])),
    )
