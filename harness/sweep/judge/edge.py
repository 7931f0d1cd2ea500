"""Best trials at the edge of the grid, whose axes could be extended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.errors import HarnessError, is_number
from harness.fusion.fuse import check
from harness.sweep.folder.rows import Row, score
from harness.sweep.judge.choice import best_of_fusers
from harness.sweep.trial import GROUPS, Trial
from harness.sweep.trial.grid import Grid
from harness.sweep.trial.override import name, values


@dataclass(frozen=True)
class GridEdge:
    """A fuser's best trial with the lowest or highest value of an axis that could be extended.

    Attributes:
        family: the fuser.
        winner: whether that trial is the sweep's winner.
        block, knob: the axis.
        value: the trial's value.
        next: the next value of the axis, which no trial has.
    """

    family: str
    winner: bool
    block: str
    knob: str
    value: float
    next: float


def find_edges(
    grid: Grid,
    rows: Sequence[Row],
    objective: str,
    trials: Sequence[Trial],
) -> list[GridEdge]:
    """Return the edges at which the best trials of the fusers are, the winner's first.

    An edge that scores the same as the next inner value is left out, because the score does not
    rise towards it.

    Args:
        grid: the grid.
        rows: in the order of the rule.
        objective: the metric of the choice.
        trials: all scored trials; an axis that leads to one of them already goes on.
    """
    scored = {repr(trial.identity) for trial in trials}
    points = list(grid.points({}))
    groups = {group: name(grid.config[group]) for group in GROUPS}
    found: dict[tuple[Any, ...], GridEdge] = {}
    for place, row in enumerate(best_of_fusers(rows)):
        family, own = row["family"], row["parameters"]
        best = score(row, objective)
        equal = [one["parameters"] for one in rows if score(one, objective) == best]
        for block, point in points:
            known = {**groups, **point}
            if any(own[knob] != value for knob, value in known.items() if knob in own):
                continue
            for knob in point.keys() & own.keys():
                value, axis = own[knob], values(grid.blocks[block][knob])
                inner = beside(axis, value)
                if inner is None or {**own, knob: inner} in equal:
                    continue
                after = _next(grid, point, knob, axis, inner, scored)
                if after is not None:
                    edge = GridEdge(family, place == 0, block, knob, value, after)
                    found.setdefault((family, block, knob), edge)
    return sorted(
        found.values(), key=lambda edge: (not edge.winner, edge.family, edge.block, edge.knob)
    )


def beside(axis: Sequence[Any], value: Any) -> float | None:
    """Return the number next to ``value`` on its axis if ``value`` is the lowest or highest, or
    None.

    No cap (null) comes after every number.
    """
    numbers = sorted({number for number in axis if is_number(number)})
    if len(numbers) < 2 or not is_number(value):
        return None
    inner: float | None = None
    if value == numbers[0]:
        inner = numbers[1]
    elif value == numbers[-1] and None not in axis:
        inner = numbers[-2]
    return inner


def candidates(axis: Sequence[Any], value: float, inner: float) -> Iterator[float]:
    """Yield possible next values after ``value``, the best first.

    Fractions go by the step from ``inner`` (up to 0 or 1), then by the ratio; whole numbers by the
    ratio, then by the step.
    """
    step, ratio = value + (value - inner), value * value / inner if inner else value
    if all(isinstance(number, int) for number in axis if number is not None):
        tried: list[float] = [round(ratio), step]
    else:
        stops = [stop for stop in (0.0, 1.0) if min(step, value) < stop < max(step, value)]
        tried = [
            round(step, 12),
            *sorted(stops, key=lambda stop: abs(stop - step)),
            round(ratio, 12),
        ]
    return (number for number in tried if (number - value) * (value - inner) > 0)


def _next(
    grid: Grid,
    point: Mapping[str, Any],
    knob: str,
    axis: Sequence[Any],
    inner: float,
    scored: set[str],
) -> float | None:
    """Return the first candidate that the strategies accept; None if there is none or it was
    scored.
    """
    value = point[knob]
    for number in candidates(axis, value, inner):
        try:
            trial = grid.trial({**point, knob: number})
            check(trial.fuser, trial.normalizer)
        except HarnessError:
            continue
        return None if repr(trial.identity) in scored else number
    return None
