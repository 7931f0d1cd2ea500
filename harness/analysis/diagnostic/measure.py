"""Measures of a list's texts; a measure is a value, as a metric is: ``answer_supported@5``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.benchmark.text import normal, words
from harness.core.errors import HarnessError, bounded, nearest
from harness.run import Run

ARTICLES = frozenset(("a", "an", "the"))
JUDGED = frozenset(("yes", "no", "noanswer"))
"""Answers that no passage states."""


def plain_words(text: str) -> str:
    """The words of a text, case-folded, without articles and punctuation, a blank before, between and after them."""
    return f" {' '.join(word for word in words(text).texts if word not in ARTICLES)} "


def answer_supported(answers: Sequence[str], chain: Sequence[str], read: Sequence[str], gold: bool) -> bool:
    """Whether an answer stands in one of the passages; a ``yes`` or ``no`` is derived, so it takes all gold passages.

    answers, chain, read (the passages): as ``plain_words`` makes them.    gold: whether all gold passages are read.
    """
    stated = [answer for answer in answers if answer.strip() and answer.strip() not in JUDGED]
    if not stated:
        return gold
    return any(answer in text for answer in stated for text in read)


def hops_recovered(answers: Sequence[str], chain: Sequence[str], read: Sequence[str], gold: bool) -> bool:
    """Whether every entity of the chain, the titles of the gold passages, stands in a passage, and the answer too.

    Less than all gold passages can do: a bridge is discoverable where another passage names it.
    """
    named = all(any(entity in text for text in read) for entity in chain)
    return named and answer_supported(answers, chain, read, gold)


FORMULAS: dict[str, Callable[[Sequence[str], Sequence[str], Sequence[str], bool], bool]] = {
    formula.__name__: formula for formula in (answer_supported, hops_recovered)
}


@dataclass(frozen=True, order=True)
class Diagnostic:
    """A measure with its depth. ``Diagnostic.parse(str(m)) == m``.

    name: ``answer_supported`` or ``hops_recovered``.    k: how many passages are read, at least 1.
    """

    name: str
    k: int

    @classmethod
    def parse(cls, text: str) -> Diagnostic:
        """The measure of that name, e.g. ``answer_supported@5``."""
        name, _, depth = str(text).strip().partition("@")
        if name not in FORMULAS:
            known = ", ".join(f"{known}@k" for known in FORMULAS)
            raise HarnessError(f"measure {text} is not known{nearest(name, FORMULAS)}; known: {known}")
        if not (depth.isascii() and depth.isdigit() and int(depth) >= 1):
            raise HarnessError(f"measure {text}: k must be a whole number, at least 1, got k={depth or 'nothing'}")
        return cls(name, int(depth))

    def __str__(self) -> str:
        """The name that ``parse`` reads."""
        return f"{self.name}@{self.k}"

    def __call__(self, run: Run, benchmark: Benchmark, texts: Sequence[str]) -> NDArray[np.float64]:
        """float64[Q], 0 or 1 a query.    run: over all queries and passages of the benchmark.

        texts: its passages as ``plain_words`` makes them.
        """
        titles, found = benchmark.corpus["title"][:], np.zeros(len(run))
        for query, row in enumerate(rows(benchmark)):
            docs = run.docs[run.indptr[query] : run.indptr[query + 1]][: self.k].tolist()
            gold = [doc for doc in benchmark.gold[query].tolist() if doc >= 0]
            chain = [plain_words(normal(titles[doc] or "")) for doc in gold if normal(titles[doc] or "")]
            answers = [plain_words(answer) for answer in row["answers"] or []]
            held = bool(gold) and set(gold) <= set(docs)
            found[query] = FORMULAS[self.name](answers, chain, [texts[doc] for doc in docs], held)
        return found


def rows(benchmark: Benchmark) -> list[dict[str, Any]]:
    """The queries, a dictionary each."""
    return list(benchmark.queries)


def plain_passages(benchmark: Benchmark) -> list[str]:
    """The passages as ``plain_words`` makes them."""
    return [plain_words(text) for text in benchmark.passages]


def overlap(one: Sequence[int], other: Sequence[int], p: float = 0.9) -> float:
    """RBO_ext of Webber, Moffat and Zobel (2010, eq. 32), in [0, 1]; 1 for equal lists, 0 for disjoint ones.

    With l >= s the two lengths, X_d what the first d of both share:
    (1 - p) / p (sum_{d <= l} X_d / d p^d + sum_{s < d <= l} X_s (d - s) / (s d) p^d) + ((X_l - X_s) / l + X_s / s) p^l.
    Two empty lists are equal; an empty one shares nothing with another.    p: in (0, 1); .9 gives the first ten 86%.
    """
    bounded("diagnose.p", p, 0, 1, open_low=True)
    short, long = sorted((one, other), key=len)
    if not long:
        return 1.0
    if not short:
        return 0.0
    s, size = len(short), len(long)
    shared, seen_short, seen_long = 0, set[int](), set[int]()
    agreed: list[int] = []
    for depth in range(1, size + 1):
        seen_long.add(long[depth - 1])
        shared += long[depth - 1] in seen_short
        if depth <= s:
            seen_short.add(short[depth - 1])
            shared += short[depth - 1] in seen_long
        agreed.append(shared)
    whole = sum(agreed[d - 1] / d * p**d for d in range(1, size + 1))
    whole += sum(agreed[s - 1] * (d - s) / (s * d) * p**d for d in range(s + 1, size + 1))
    return (1 - p) / p * whole + ((agreed[-1] - agreed[s - 1]) / size + agreed[s - 1] / s) * p**size
