"""Draws that are the same in every process and on every version of Python."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of draws, named by a seed and a word.

    It stands on ``random.Random(int).random()`` alone, whose sequence Python promises to keep; the
    other methods of that class may change between versions.
    """

    def __init__(self, seed: int, stream: str) -> None:
        number = int.from_bytes(hashlib.sha256(f"{seed}/{stream}".encode()).digest()[:8], "big")
        self._draw = random.Random(number).random

    def below(self, count: int) -> int:
        """An integer in [0, count)."""
        return int(self._draw() * count)

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high]."""
        return low + self.below(high - low + 1)

    def chance(self, share: float) -> bool:
        """True in this share of the draws."""
        return self._draw() < share

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def skewed(self, items: Sequence[T]) -> T:
        """One of the items, the first ones far more often: the first hundredth takes a fifth of the
        draws.
        """
        draw = self._draw()
        return items[int(draw * draw * draw * len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in a drawn order."""
        order = list(items)
        for place in range(len(order) - 1, 0, -1):
            other = self.below(place + 1)
            order[place], order[other] = order[other], order[place]
        return order
