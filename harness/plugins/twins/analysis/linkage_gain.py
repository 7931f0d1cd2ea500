"""What the links of a benchmark let expect of a graph's list over dense, from benchmarks where both were measured.

gain = slope x share, a line through zero with one parameter. share: of the questions whose last hop lies exactly one
step from a passage whose title the question names (``start_from_questions``); gain: last_hop@5 of graph less that of
dense, the same as (wins - losses) / questions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NotRequired

import numpy as np
from typing_extensions import TypedDict

from harness.core.errors import HarnessError

LEAST = 3
"""Benchmarks that an interval needs."""


@dataclass(frozen=True)
class Measured:
    """One benchmark's tune half: the share one step away, and last_hop@5 of both lists; each in [0, 1]."""

    share: float
    graph: float
    dense: float

    @property
    def gain(self) -> float:
        """Of graph over dense."""
        return self.graph - self.dense


def expect_gain(measured: Mapping[str, Measured], share: float) -> tuple[float, tuple[float, float]]:
    """The expected gain and the 95% prediction interval of one more benchmark.

    Least squares through zero: b = sum(x y) / sum(x^2), s^2 = sum((y - b x)^2) / (n - 1), and the interval
    b x0 -+ t(n - 1) s sqrt(1 + x0^2 / sum(x^2)), as if benchmarks were drawn at random and errors normal; all
    cut at -1 and 1, which no gain can pass. Raises HarnessError for fewer than ``LEAST`` benchmarks, or where none has
    a share above 0.
    """
    from scipy.stats import t

    x, y = (np.array([getattr(one, name) for one in measured.values()]) for name in ("share", "gain"))
    if len(x) < LEAST or not x.any():
        raise HarnessError(f"measured has {len(x)} benchmarks; an interval needs {LEAST}, one with a share above 0")
    slope, squares = float(x @ y / (x @ x)), float(x @ x)
    spread = math.sqrt(float(((y - slope * x) ** 2).sum()) / (len(x) - 1))
    half = float(t.ppf(0.975, len(x) - 1)) * spread * math.sqrt(1 + share**2 / squares)
    gain, low, high = np.clip(slope * share + np.array([0, -half, half]), -1, 1).tolist()
    return gain, (low, high)


class Expected(TypedDict):
    """A benchmark's gain as others let expect it, and as it was measured, if it was."""

    share: float
    expected: float
    interval: tuple[float, float]
    gain: NotRequired[float]


class Judged(TypedDict):
    """How well the others' gains let expect each benchmark's."""

    benchmarks: dict[str, Expected]
    error: float
    error_of_mean: float
    covered: int


def judge_expectation(measured: Mapping[str, Measured]) -> Judged:
    """Each benchmark's gain as the others let expect it (leave one benchmark out).

    ``benchmarks``: by name ``share``, ``gain``, ``expected``, ``interval``; ``error``: the mean distance of expected
    and measured gain; ``error_of_mean``: of the others' mean gain in place of the line; ``covered``: intervals that
    hold the measured gain.
    """
    rows: dict[str, Expected] = {}
    plain, errors, covered = [], [], 0
    for name, one in measured.items():
        others = {other: found for other, found in measured.items() if other != name}
        expected, interval = expect_gain(others, one.share)
        plain.append(abs(float(np.mean([found.gain for found in others.values()])) - one.gain))
        errors.append(abs(expected - one.gain))
        covered += interval[0] <= one.gain <= interval[1]
        rows[name] = {"share": one.share, "gain": one.gain, "expected": expected, "interval": interval}
    return {
        "benchmarks": rows,
        "error": float(np.mean(errors)),
        "error_of_mean": float(np.mean(plain)),
        "covered": covered,
    }
