"""Coordinate search: one number at a time moves up or down by its step, until a round gains too
little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.core.errors import HarnessError, bounded, check_fields
from harness.plugins.mentions.target import Knobs, Weights

DECIMALS = 6


@dataclass(frozen=True)
class Search:
    """A maximiser of objective(w) - penalty x sum over numbers of ((w - start) / (high - low))^2.

    A round visits every number once, in an order drawn with ``seed``; a number moves by its step to
    the better side if that gains. A round that gains less than ``stop`` halves all steps. The
    search ends after ``halvings`` halvings or ``rounds`` rounds: at most 1 + 2 rounds x numbers
    evaluations. The order of ``knobs`` does not matter.

    Args:
        rounds: >= 1.
        halvings: >= 0.
        stop: >= 0.
        penalty: >= 0.
        seed: >= 0.
    """

    rounds: int = 8
    halvings: int = 2
    stop: float = 0.001
    penalty: float = 0.01
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(
            "fit",
            self,
            rounds="whole [1, inf)",
            halvings="whole [0, inf)",
            seed="whole [0, inf)",
            stop="[0, inf)",
            penalty="[0, inf)",
        )

    def __call__(self, objective: Callable[[Weights], float], knobs: Knobs) -> dict[str, float]:
        """Return the best weights by name."""
        check_knobs(knobs)
        names, random = sorted(knobs), np.random.default_rng(self.seed)
        weights = {name: float(knobs[name][0]) for name in names}
        best, factor, halved = objective(weights), 1.0, 0
        for _ in range(self.rounds):
            before = best
            for place in random.permutation(len(names)):
                name, old = names[place], weights
                _, low, high, step = knobs[name]
                for change in (factor * step, -factor * step):
                    value = round(min(max(old[name] + change, low), high), DECIMALS)
                    if value != old[name]:
                        moved = {**old, name: value}
                        gain = objective(moved) - self._cost(moved, knobs)
                        if gain > best:
                            best, weights = gain, moved
            if best - before < self.stop:
                factor, halved = factor / 2, halved + 1
                if halved > self.halvings:
                    break
        return weights

    def _cost(self, weights: Weights, knobs: Knobs) -> float:
        cost = 0.0
        for name, (start, low, high, _) in sorted(knobs.items()):
            cost += ((weights[name] - start) / (high - low)) ** 2
        return self.penalty * cost


def check_knobs(knobs: Knobs) -> None:
    """Raise HarnessError unless each is [start, low, high, step] with low <= start <= high, low <
    high, step > 0.
    """
    for name, knob in knobs.items():
        if isinstance(knob, str) or not isinstance(knob, Sequence) or len(knob) != 4:
            raise HarnessError(
                f"target.stages: {name} must be [start, low, high, step], got {knob!r}"
            )
        start, low, high, step = knob
        for value in knob:
            bounded(f"target.stages: {name}", value)
        bounded(f"target.stages: {name}", high, low, open_low=True)
        bounded(f"target.stages: {name}", start, low, high)
        bounded(f"target.stages: {name} step", step, 0, open_low=True)
