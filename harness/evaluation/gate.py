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

    def judge(self, found: Sequence[S]) -> list[S]:
        """Return the comparisons with the answer to each.

        Raises:
            HarnessError: two systems both score 0.
        """
        return [one.with_fields(gate=self._result(one)) for one in found]

    def _result(self, one: SystemComparison) -> GateResult:
        if one.scale.share and not one.score and not one.baseline_score:
            raise HarnessError(
                f"gate={self.kind}: {one.name} and {one.baseline} both score 0 by {one.metric}, so "
                "nothing is compared; give runs of which one finds something, or another metric"
            )
        margin = self.margin_of(one.binary)
        bound = self.bound(margin, one.scale.share)
        return GateResult(self.kind, margin, bound, self._answer(one, bound))

    def _answer(self, one: SystemComparison, bound: float) -> Answer:
        if self.kind == "no_worse" and one.identical:
            return "passes"
        if (interval := _interval(one)) is None:
            return "cannot be told"
        if interval[0] > bound:
            return "passes"
        return "fails" if interval[1] < bound else "cannot be told"


def deciding(found: Sequence[SystemComparison]) -> GateResult | None:
    """Return the worst answer to several comparisons; None without a gate."""
    results = [one.gate for one in found if one.gate is not None]
    worst = ("fails", "cannot be told", "passes")
    return min(results, key=lambda one: worst.index(one.verdict), default=None)


def gate_line(found: Sequence[SystemComparison]) -> str:
    """Return the line with the answer and the comparison that decides it; "" without a gate."""
    if (result := deciding(found)) is None:
        return ""
    same = [one for one in found if one.gate and one.gate.verdict == result.verdict]
    others = f" ({len(same)} of {len(found)} comparisons)" if len(found) > 1 else ""
    head = f"gate={result.kind} margin={result.margin:g} {result.verdict}{others}"
    return f"{head}: {_reason(same[0], result)}"


def _reason(one: SystemComparison, result: GateResult) -> str:
    pair = f"{one.name} against {one.baseline} by {one.metric}"
    if one.identical:
        return f"{pair}: the {'lists' if one.fusable else 'scores'} are identical."
    if (interval := _interval(one)) is None:
        why = "differs on nothing" if not one.differs else "has too few clusters for an interval"
        return f"{pair} {why}."
    how = f" {one.ruling.how}" if one.ruling.how else ""
    return (
        f"{pair}: {one.scale.gain(one.difference)}, 95% {one.scale.span(interval)}{how}; bound "
        f"{one.scale.gain(result.bound)}."
    )


def _interval(one: SystemComparison) -> tuple[float, float] | None:
    """Return the deciding interval, also if no question differs.

    None if clusters are too few, or if nothing differs and scores have no bounds.
    """
    return one.ruling.interval if one.differs or one.scale.share else None
