"""Places in a text, and which of them touch another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate


class Places:
    """Places [start, end) of a text; they may overlap. Asking costs what it finds, not what there is."""

    def __init__(self, places: Iterable[tuple[int, int]]) -> None:
        self._places = sorted(places)
        self._starts = [start for start, _ in self._places]
        self._reach = list(accumulate((end for _, end in self._places), max))

    def touching(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Those that share a character with [start, end)."""
        at = bisect_left(self._starts, end) - 1
        while at >= 0 and self._reach[at] > start:
            if self._places[at][1] > start:
                yield self._places[at]
            at -= 1
