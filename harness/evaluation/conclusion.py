"""A comparison in plain sentences: what is better, by how much, whether by chance, and what could not be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.table import LEVEL, p_value, percent, points, span
from harness.evaluation.comparison import Comparison
from harness.evaluation.metric.measure import Values
from harness.evaluation.statistic.trials import mcnemar_ps

GREAT = 0.05
"""A cluster with a greater share of the questions is warned of."""
UNANSWERED = "this benchmark cannot answer whether fusion adds to its best list"


def conclude(found: Comparison, ours: str, theirs: str, p: float | None = None) -> list[str]:
    """One to three sentences.    p: Holm's, corrected for what was compared beside, decides; None: the raw one."""
    holm, p = "" if p is None else f", Holm p {p_value(p)}", found.p if p is None else p
    verdict = "no difference is shown"
    if p <= LEVEL:
        verdict = f"which is {'better' if found.difference > 0 else 'WORSE'}"
    sentences = [
        f"{ours} scores {percent(found.score)}% and {theirs} {percent(found.baseline_score)}%: "
        f"{points(found.difference)} points (95% {span(found.interval)}; "
        f"{found.wins} won, {found.losses} lost, raw p {p_value(found.p)}{holm}), {verdict}."
    ]
    low, high = found.interval
    if (p <= LEVEL) != (low > 0 or high < 0):
        rule = "Holm p rules, which is corrected for all that was compared" if holm else "The exact test's p rules"
        sentences.append(f"{rule}; the interval, of this pair alone, {'holds' if p <= LEVEL else 'excludes'} 0.")
    if p > LEVEL:
        sentences.append(_limit(found))
    return sentences


def _limit(found: Comparison) -> str:
    """What a comparison without a finding can still say."""
    margin = f"{100 * found.margin:g} points"
    if not found.wins and not found.losses:
        return "They differ on no question."
    if found.p_equivalent is not None and found.p_equivalent <= LEVEL:
        return f"They are shown to differ by less than {margin} (equivalence p {p_value(found.p_equivalent)})."
    if found.detectable is None:
        return f"With {found.n} questions that differ so seldom, even a real difference would often be missed."
    return f"A net win below {points(found.detectable)} points would often be missed with {found.n} questions."


def blind_spots(fitted: Mapping[str, Mapping[str, Any]], sizes: NDArray[np.int64]) -> list[str]:
    """What the forecast of a tune half cannot see, a sentence each; none where it sees all.

    fitted: by list, ``seen``: how many questions of tune share gold with one that its weights were chosen on. Trials
    that learn, and lists of ``harness fit``, are scored by what had not seen the question, and hide nothing.
    sizes: of tune's clusters of questions that share gold passages.
    """
    names = [name for name, one in fitted.items() if one.get("seen", {}).get("tune")]
    share = float(sizes.max(initial=0) / max(1, sizes.sum()))
    said = []
    if names:
        said.append(
            f"It cannot see that the weights of {', '.join(names)} were chosen on these tune questions, too: expect "
            "less."
        )
    if share > GREAT and sizes.max() > 1:
        said.append(
            f"One cluster of shared gold holds {percent(share)}% of tune's questions: on new clusters such intervals "
            "hold less often than they say."
        )
    return said


@dataclass(frozen=True)
class Headroom:
    """What a fusion of lists could win by choosing, for each question, the right one of them.

    best: the best single list.    wins: by other list, the questions on which it has more than the best.
    questions: those on which any of them has more; the whole claim hangs on them.
    oracle: the score of the best list for each question.    score: that of the best single list.    n: questions.
    Beside these a fusion can win a question only by a passage that no list has among its first k.
    """

    best: str
    wins: Mapping[str, int]
    questions: int
    oracle: float
    score: float
    n: int

    @classmethod
    def of(cls, values: Mapping[str, Values], best: str) -> Headroom:
        """Of the lists' values of a metric, float64[n] by list name."""
        own, every = values[best], np.stack(list(values.values()))
        wins = {name: int((other > own).sum()) for name, other in values.items() if name != best}
        oracle = every.max(axis=0)
        return cls(best, wins, int((oracle > own).sum()), float(oracle.mean()), float(own.mean()), len(own))

    def sentences(self) -> list[str]:
        """What can be won, and whether these questions can tell: the exact test of winning all and losing none."""
        if not self.questions:
            return [
                f"Headroom: {' or '.join(self.wins)} does better than {self.best} on none of {self.n} questions: "
                f"{UNANSWERED}."
            ]
        first, *others = (f"{name}{{}} on {count}" for name, count in self.wins.items())
        each = ", ".join([first.format(f" does better than {self.best}"), *(other.format("") for other in others)])
        said = [
            f"Headroom: of {self.n} questions {each}; choosing the best list for each question would score "
            f"{percent(self.oracle)}% in place of {percent(self.score)}%, so a gain of fusion hangs on "
            f"{self.questions} of them."
        ]
        p = float(mcnemar_ps(np.array(self.questions), np.array(0)))
        if p > LEVEL:
            said.append(f"Winning all of these and losing none has raw p {p_value(p)}: {UNANSWERED}.")
        return said
