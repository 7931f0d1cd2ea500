"""The time of one question that is asked alone, measured after all questions were answered
together.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from harness.core.arrays import evenly
from harness.work.shared_rows import building
from harness.work.store import note_alone

SAMPLE = 32
"""Number of questions, evenly chosen."""
LIMIT = 10.0
"""Seconds after which no further question is asked."""


def time_alone(ask: Callable[[int], object], count: int) -> None:
    """Ask ``SAMPLE`` of ``count`` questions one by one. The unfinished artifact records the
    milliseconds.

    Args:
        ask: answers the question of a number, as the loop over all questions does. Its result is
            dropped.
        count: number of questions.
    """
    began = time.perf_counter()
    chosen = evenly(count, SAMPLE).tolist()
    with building(None):  # its loops are not shared
        for place in chosen[:1]:
            ask(place)  # not measured: the first question loads what it needs
        for place in chosen:
            started = time.perf_counter()
            ask(place)
            note_alone(1000 * (time.perf_counter() - started))
            if time.perf_counter() - began > LIMIT:
                return
