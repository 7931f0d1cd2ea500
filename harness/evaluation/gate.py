"""A gate for continuous integration: a condition on the difference of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from harness.core.errors import bounded, one_of

if TYPE_CHECKING:
    from harness.evaluation.system_comparison import SystemComparison

Answer = Literal["passes", "fails", "cannot be told"]
STATUS: dict[Answer, int] = {"passes": 0, "fails": 1, "cannot be told": 2}
"""The exit status of each answer."""
KINDS = ("no_worse", "better")
MARGIN = 2.0
"""The default margin in points."""


@dataclass(frozen=True)
class QualityGate:
    """A condition on the difference from the baseline: its whole 95% interval lies above a bound.

    The deciding interval is used, by cluster if questions share gold. An interval below the bound
    fails, and one that contains the bound is undecided. If no question differs, nothing is worse.
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

    def bound(self, one: SystemComparison) -> float:
        """Return the bound of the interval, in shares or in the unit of the scores."""
        points = self._margin(one)
        margin = points / 100 if one.scale.share else points
        return -margin if self.kind == "no_worse" else margin

    def _margin(self, one: SystemComparison) -> float:
        if self.margin is not None:
            return self.margin
        return MARGIN if self.kind == "no_worse" and one.binary else 0.0

    def answer(self, one: SystemComparison) -> Answer:
        """Return whether a comparison passes."""
        if not one.wins + one.losses:
            return "passes" if self.kind == "no_worse" else "cannot be told"
        if one.interval is None:
            return "cannot be told"
        low, high = one.interval
        bound = self.bound(one)
        if low > bound:
            return "passes"
        return "fails" if high < bound else "cannot be told"

    def answer_all(self, found: Sequence[SystemComparison]) -> tuple[Answer, str]:
        """Return the answer to all comparisons, and a line with the one that decides it."""
        answers = [self.answer(one) for one in found]
        worst: Answer = next(
            (name for name in ("fails", "cannot be told") if name in answers), "passes"
        )
        deciding = found[answers.index(worst)]
        others = f" ({answers.count(worst)} of {len(found)} comparisons)" if len(found) > 1 else ""
        margin = self._margin(deciding)
        line = f"gate={self.kind} margin={margin:g} {worst}{others}: {self._reason(deciding)}"
        return worst, line

    def _reason(self, one: SystemComparison) -> str:
        pair = f"{one.name} against {one.baseline} by {one.metric}"
        if not one.wins + one.losses:
            return f"{pair} differs on no {one.scale.item}."
        if one.interval is None:
            return f"{pair} has too few clusters for an interval."
        how = f" {one.ruling.how}" if one.ruling.how else ""
        bound = f"{one.scale.gain(self.bound(one))}"
        return (
            f"{pair}: {one.scale.gain(one.difference)}, 95% {one.scale.span(one.interval)}{how}; "
            f"bound {bound}."
        )
