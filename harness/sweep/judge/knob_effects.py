"""The importance of knobs: the share of the variance of scores that each knob explains.

On a full grid these are the main effects and interactions of functional ANOVA by group means,
exact, and add up to 1 with the interactions of more than two knobs. A grid is seldom full: RRF has
no alpha. So a knob is judged among the trials that have it, by what it adds to the other knobs of
all of these: the reduction of the residual sum of squares, as in type II sums of squares. On a full
grid the two are the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.sweep.folder.result import BENCHMARK, SweepResult, differing
from harness.sweep.folder.rows import Setting, Settings
from harness.sweep.folder.view import View

Codes = Int64Array


@dataclass(frozen=True)
class Level:
    """A value of a knob: its trials, their mean score, and the best one."""

    value: Setting
    trials: int
    mean: float
    best: float


@dataclass(frozen=True)
class KnobEffect:
    """The share of the variance of all trials that a knob, or an interaction of two, explains.

    Attributes:
        trials: trials with the knob, or both.
        share: share of the sum of squares.
        levels: values of one knob, the best first.
    """

    knobs: tuple[str, ...]
    trials: int
    share: float
    levels: Sequence[Level] = ()


@dataclass(frozen=True)
class Importance:
    """The effects of a grid, the largest first.

    Attributes:
        full: whether every trial has every knob, and all cells have the same size.
    """

    main: Sequence[KnobEffect]
    pairs: Sequence[KnobEffect]
    full: bool


def importance(trials: Sequence[Settings], scores: Sequence[float]) -> Importance:
    """Return the effect of each knob with several values, and of each pair in addition to its
    knobs.

    Args:
        trials: the settings of each trial; a trial does not read the knobs that it lacks.
        scores: float[T], the values to explain.

    Returns:
        The effects; none if all trials score the same.
    """
    codes = _own(
        {
            knob: _codes(trials, knob)
            for knob in dict.fromkeys(knob for one in trials for knob in one)
        }
    )
    y = np.asarray(scores, dtype=np.float64)
    total = float(((y - y.mean()) ** 2).sum()) if len(y) else 0.0
    if not total > 1e-12 * len(y):
        return Importance((), (), False)
    main = [
        KnobEffect(
            (knob,),
            int((code >= 0).sum()),
            _gain(codes, y, (knob,)) / total,
            _levels(trials, knob, y),
        )
        for knob, code in codes.items()
    ]
    pairs = [
        KnobEffect(
            pair,
            int(((codes[pair[0]] >= 0) & (codes[pair[1]] >= 0)).sum()),
            _gain(codes, y, pair) / total,
        )
        for pair in combinations(codes, 2)
    ]
    main, pairs = (
        sorted(found, key=lambda one: (-one.share, one.knobs)) for found in (main, pairs)
    )
    return Importance(main, pairs, full=_full(list(codes.values())))


def of_view(view: View) -> Importance:
    """Return the importance for the fusions of a sweep by its objective."""
    rows = [view.rows[place] for place in view.fused]
    return importance([row["parameters"] for row in rows], [view.score(row) for row in rows])


def of_sweeps(results: Sequence[SweepResult]) -> Importance:
    """Return the importance for the fusions of several sweeps of one benchmark.

    Overrides that differ, such as encoder, are knobs.
    """
    typed = [
        {knob: value or "default" for knob, value in one.items() if knob not in BENCHMARK}
        for one in differing(results)
    ]
    rows = [
        ({**own, **view.rows[place]["parameters"]}, view.score(view.rows[place]))
        for own, view in zip(typed, (result.whole for result in results), strict=True)
        for place in view.fused
    ]
    return importance([settings for settings, _ in rows], [score for _, score in rows])


def _own(codes: Mapping[str, Codes]) -> dict[str, Codes]:
    """Return the knobs with several values, except those that follow from another, as a fuser's
    weights.
    """
    varied = [(knob, code) for knob, code in codes.items() if code.max() > 0]
    found: dict[str, Codes] = {}
    for place, (knob, code) in enumerate(varied):
        members = code >= 0
        others = [
            (number, other[members]) for number, (_, other) in enumerate(varied) if number != place
        ]
        whole = ((number < place, other) for number, other in others if (other >= 0).all())
        if not any(_follows(code[members], other, earlier) for earlier, other in whole):
            found[knob] = code
    return found


def _follows(code: Codes, other: Codes, earlier: bool) -> bool:
    """Return whether each value of another knob has one of this one; of two such
    the earlier stays.
    """
    values, pairs = len(np.unique(other)), len(np.unique(np.stack([other, code]), axis=1).T)
    return pairs == values and (earlier or values > len(np.unique(code)))


def _codes(trials: Sequence[Settings], knob: str) -> Codes:
    """Return int64[T], the number of each trial's value, -1 if it has none."""
    texts = [json.dumps(one[knob], sort_keys=True) if knob in one else None for one in trials]
    numbers: dict[str | None, int] = {None: -1}
    return np.array([numbers.setdefault(text, len(numbers) - 1) for text in texts], dtype=np.int64)


def _gain(codes: Mapping[str, Codes], y: Float64Array, knobs: tuple[str, ...]) -> float:
    """Return the reduction of the residual sum of squares by a knob, or by the cells of two.

    It is computed over the trials that have them.
    """
    members = np.logical_and.reduce([codes[knob] >= 0 for knob in knobs])
    if not members.any():
        return 0.0
    others = [
        code[members]
        for knob, code in codes.items()
        if (code[members] >= 0).all() and knobs != (knob,)
    ]
    own = [codes[knob][members] for knob in knobs]
    cells = own[0] if len(own) == 1 else own[0] * (own[1].max() + 1) + own[1]
    without, with_ = (_residual(y[members], factors) for factors in (others, [*others, cells]))
    return max(0.0, without - with_)


def _residual(y: Float64Array, factors: Sequence[Codes]) -> float:
    """Return the residual sum of squares of y in a linear model of these factors."""
    columns = [
        np.ones((len(y), 1)),
        *((code[:, None] == np.unique(code)).astype(np.float64) for code in factors),
    ]
    design = np.concatenate(columns, axis=1)
    return float(((y - design @ np.linalg.lstsq(design, y, rcond=1e-10)[0]) ** 2).sum())


def _levels(trials: Sequence[Settings], knob: str, y: Float64Array) -> list[Level]:
    code = _codes(trials, knob)
    found = []
    for number in range(int(code.max()) + 1):
        places = np.flatnonzero(code == number)
        scores, value = y[places], trials[places[0]][knob]
        found.append(Level(value, len(places), float(scores.mean()), float(scores.max())))
    return sorted(found, key=lambda level: (-level.best, -level.mean))


def _full(codes: Sequence[Codes]) -> bool:
    if any((code < 0).any() for code in codes):
        return False
    _, counts = np.unique(np.stack(codes, axis=1), axis=0, return_counts=True)
    return (
        len(counts) == int(np.prod([code.max() + 1 for code in codes]))
        and len(set(counts.tolist())) == 1
    )
