"""The questions that choosing the right one of several systems for each question could win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from harness.core.table import LEVEL, SHARES, Scale, p_value
from harness.evaluation.comparison import EQUAL
from harness.evaluation.metric.measure import Values
from harness.evaluation.statistic import mcnemar


@dataclass(frozen=True)
class Headroom:
    """The gain from choosing, for each question, the right one of several systems.

    A fusion can also win a question by a passage that no list has among its first k.

    Attributes:
        best: the best single system.
        equal: other systems with the same score.
        wins: by other system, the number of questions on which it scores more than the best.
        questions: number of questions on which any of them scores more.
        oracle: the mean of the best score for each question.
        score: the score of the best single system.
        n: number of questions.
    """

    best: str
    equal: tuple[str, ...]
    wins: Mapping[str, int]
    questions: int
    oracle: float
    score: float
    n: int

    @classmethod
    def of(cls, values: Mapping[str, Values], best: str) -> Headroom:
        """Return the headroom of the systems' values of a metric, float64[n] by name."""
        own, every = values[best], np.stack(list(values.values()))
        mean = float(own.mean())
        near = EQUAL * max(1.0, abs(mean))
        others = {name: one for name, one in values.items() if name != best}
        equal = (name for name, one in others.items() if abs(float(one.mean()) - mean) <= near)
        wins = {name: int((other > own).sum()) for name, other in others.items()}
        oracle = every.max(axis=0)
        more = int((oracle > own).sum())
        return cls(best, tuple(equal), wins, more, float(oracle.mean()), mean, len(own))

    @property
    def p(self) -> float:
        """The exact p of winning all of these questions and losing none; 1 if there is none."""
        return mcnemar(self.questions, 0)

    @property
    def answers(self) -> bool:
        """Whether a system that wins all of these questions could be shown to be better."""
        return self.p <= LEVEL

    def addition(self, scale: Scale = SHARES, settled: bool = False, metric: str = "") -> str:
        """Return on how many questions another system scores more than the best one.

        Args:
            scale: the unit of the scores.
            settled: whether a fusion is already shown to be better than the best system.
            metric: named in the sentence.
        """
        others = " or ".join([name for name, count in self.wins.items() if count] or self.wins)
        by = f" by {metric}" if metric else ""
        few = "" if self.answers or settled else ", too few to show a gain"
        equal = f" (as good as {' and '.join(self.equal)})" if self.equal else ""
        items = f"{self.questions} of {self.n} {scale.item}s"
        return f"On {items} {others} finds more than {self.best}{equal}{by}{few}."

    def explanation(
        self, scale: Scale = SHARES, fusable: bool = True, settled: bool = False
    ) -> str:
        """Return the score of the best choice, and whether these questions could show it.

        Args:
            scale: the unit of the scores.
            fusable: whether the systems are ranked lists, which could be fused.
            settled: whether a fusion is already shown to be better than the best system.
        """
        item = scale.item
        each = ", ".join(f"{name} on {count}" for name, count in self.wins.items())
        beyond = f"; a fusion can also win {item}s that no list answers" if fusable else ""
        sentence = (
            f"More than {self.best} have {each}; choosing the best "
            f"{'list' if fusable else 'system'} for each {item} would score "
            f"{scale.score(self.oracle)} in place of {scale.score(self.score)}{beyond}."
        )
        if self.answers or settled:
            return sentence
        best = f"Winning all of these and losing none has raw p by {item} {p_value(self.p)}."
        return f"{sentence} {best}"
