"""A winner at the edge of the grid, whose axes could be extended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.configuration.overrides import STRATEGIES
from harness.core.errors import HarnessError, is_number
from harness.evaluation.metric import Metric
from harness.fusion.fuse import check
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.trial.grid import Grid
from harness.sweep.trial.override import name, values
from harness.sweep.trial.trial import Trial


@dataclass(frozen=True)
class GridEdge:
    """The winner's lowest or highest value of an axis that could be extended.

    Attributes:
        block, knob: the axis.
        value: the winner's value.
        next: the next value of the axis, which no trial has.
    """

    block: str
    knob: str
    value: float
    next: float


def find_edges(
    grid: Grid, rows: Sequence[JudgedTrial], objective: Metric, trials: Sequence[Trial]
) -> list[GridEdge]:
    """Return the edges at which the winner is.

    An edge that scores the same as the next inner value is left out, because the score does not
    rise towards it.

    Args:
        grid: the grid.
        rows: in the order of the rule.
        objective: the metric of the choice.
        trials: all scored trials; an axis that leads to one of them already goes on.
    """
    winner = next((row for row in rows if not row.is_single), None)
    if winner is None:
        return []
    parameters, best = winner.parameters, winner.scores[str(objective)]
    equal = [row.parameters for row in rows if row.scores[str(objective)] == best]
    scored = {repr(trial.identity) for trial in trials}
    edges: dict[tuple[str, str], GridEdge] = {}
    for block, point, knob in _axes(grid, parameters):
        value, axis = parameters[knob], values(grid.blocks[block][knob])
        inner = beside(axis, value)
        if inner is None or {**parameters, knob: inner} in equal:
            continue
        after = _next(grid, {**point, knob: value}, knob, candidates(axis, value, inner))
        if after is not None and repr(after[1].identity) not in scored:
            edges.setdefault((block, knob), GridEdge(block, knob, value, after[0]))
    return [edges[key] for key in sorted(edges)]


def _axes(
    grid: Grid, parameters: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Yield the points of the grid that a trial with these parameters is one of, each with its
    block and one of the knobs that it varies.
    """
    groups = {group: name(grid.config[group]) for group in STRATEGIES}
    for block, point in grid.points({}):
        settings = {**groups, **point}
        if all(parameters[knob] == value for knob, value in settings.items() if knob in parameters):
            yield from ((block, point, knob) for knob in point.keys() & parameters.keys())


def beside(axis: Sequence[Any], value: Any) -> float | None:
    """Return the number next to ``value`` on its axis if ``value`` is the lowest or highest, or
    None.

    No cap (null) comes after every number.
    """
    numbers = sorted({number for number in axis if is_number(number)})
    if len(numbers) < 2 or not is_number(value):
        return None
    ends = {numbers[0]: numbers[1]}
    if None not in axis:
        ends[numbers[-1]] = numbers[-2]
    return ends.get(value)


def candidates(axis: Sequence[Any], value: float, inner: float) -> Iterator[float]:
    """Yield possible next values after ``value``, the best first.

    Fractions go by the step from ``inner`` (up to 0 or 1), then by the ratio; whole numbers by the
    ratio, then by the step.
    """
    step, ratio = value + (value - inner), value * value / inner if inner else value
    tried: list[float] = [round(ratio), step]
    if not all(isinstance(number, int) for number in axis if number is not None):
        stops = [stop for stop in (0.0, 1.0) if min(step, value) < stop < max(step, value)]
        tried = [round(step, 12), *stops, round(ratio, 12)]
    return (number for number in tried if (number - value) * (value - inner) > 0)


def _next(
    grid: Grid, point: Mapping[str, Any], knob: str, numbers: Iterator[float]
) -> tuple[float, Trial] | None:
    """Return the first number that the strategies accept, with its trial; None if there is none."""
    for number in numbers:
        try:
            trial = grid.trial({**point, knob: number})
            check(trial.fuser, trial.normalizer)
        except HarnessError:
            continue
        return number, trial
    return None
