"""A gate for continuous integration: a condition on the difference of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from harness.core.errors import HarnessError, bounded, one_of
from harness.evaluation.system_comparison import Answer, GateResult, SystemComparison

KINDS = ("no_worse", "better")
MARGIN = 2.0
"""The default margin in points."""
S = TypeVar("S", bound=SystemComparison)


@dataclass(frozen=True)
class QualityGate:
    """A condition on the difference from the baseline: its whole 95% interval lies above a bound.

    The deciding interval is used, by cluster if questions share gold. An interval below the bound
    fails, and one that contains the bound is undecided. If no question differs, the interval has
    the same formula: few questions show little. Only identical lists are no worse without it.
    All of several comparisons must pass (an intersection-union test), so none is corrected for the
    others.

    Attributes:
        kind: ``no_worse``: the bound is minus the margin; ``better``: the margin.
        margin: in points or, for scores that are not shares, in their unit. None: 2 points for
            ``no_worse`` with a metric that is 0 or 1, otherwise 0. With a margin of 0 the gate
            fails equal systems in up to 18% of comparisons whose clusters are won as a whole but
            seldom; with 2 points in up to 2.6%.
    """

    kind: str
    margin: float | None = None

    def __post_init__(self) -> None:
        one_of("gate", self.kind, KINDS)
        if self.margin is not None:
            bounded("margin", self.margin, 0)

    def bound(self, margin: float, share: bool = True) -> float:
        """Return the bound of the interval, in shares or in the unit of the scores."""
        size = margin / 100 if share else margin
        return -size if self.kind == "no_worse" else size

    def margin_of(self, binary: bool) -> float:
        """Return the margin for a metric that is 0 or 1, or for another."""
        if self.margin is not None:
            return self.margin
        return MARGIN if self.kind == "no_worse" and binary else 0.0

    def judge(self, comparisons: Sequence[S]) -> list[S]:
        """Return the comparisons with the answer to each.

        Raises:
            HarnessError: two systems both score 0.
        """
        return [comparison.with_fields(gate=self._result(comparison)) for comparison in comparisons]

    def _result(self, comparison: SystemComparison) -> GateResult:
        if comparison.scale.share and not comparison.score and not comparison.baseline_score:
            raise HarnessError(
                f"gate={self.kind}: {comparison.name} and {comparison.baseline} both score 0 by "
                f"{comparison.metric}, so nothing is compared; give runs of which one finds "
                "something, or another metric"
            )
        margin = self.margin_of(comparison.binary)
        bound = self.bound(margin, comparison.scale.share)
        return GateResult(self.kind, margin, bound, self._answer(comparison, bound))

    def _answer(self, comparison: SystemComparison, bound: float) -> Answer:
        if self.kind == "no_worse" and comparison.identical:
            return "passes"
        if (interval := _interval(comparison)) is None:
            return "cannot be told"
        if interval[0] > bound:
            return "passes"
        return "fails" if interval[1] < bound else "cannot be told"


def deciding(comparisons: Sequence[SystemComparison]) -> GateResult | None:
    """Return the worst answer to several comparisons; None without a gate."""
    results = [comparison.gate for comparison in comparisons if comparison.gate is not None]
    worst = ("fails", "cannot be told", "passes")
    return min(results, key=lambda result: worst.index(result.verdict), default=None)


def gate_line(comparisons: Sequence[SystemComparison]) -> str:
    """Return the line with the answer and the comparison that decides it; "" without a gate."""
    if (result := deciding(comparisons)) is None:
        return ""
    same = [
        comparison
        for comparison in comparisons
        if comparison.gate and comparison.gate.verdict == result.verdict
    ]
    count = f" ({len(same)} of {len(comparisons)} comparisons)" if len(comparisons) > 1 else ""
    head = f"gate={result.kind} margin={result.margin:g} {result.verdict}{count}"
    return f"{head}: {_reason(same[0], result)}"


def _reason(comparison: SystemComparison, result: GateResult) -> str:
    pair = f"{comparison.name} against {comparison.baseline} by {comparison.metric}"
    if comparison.identical:
        return f"{pair}: the {'lists' if comparison.fusable else 'scores'} are identical."
    if (interval := _interval(comparison)) is None:
        few = "has too few clusters for an interval"
        return f"{pair} {few if comparison.differs else 'differs on nothing'}."
    how = f" {comparison.ruling.how}" if comparison.ruling.how else ""
    scale = comparison.scale
    return (
        f"{pair}: {scale.gain(comparison.difference)}, 95% {scale.span(interval)}{how}; bound "
        f"{scale.gain(result.bound)}."
    )


def _interval(comparison: SystemComparison) -> tuple[float, float] | None:
    """Return the deciding interval, also if no question differs.

    None if clusters are too few, or if nothing differs and scores have no bounds.
    """
    return comparison.ruling.interval if comparison.differs or comparison.scale.share else None
