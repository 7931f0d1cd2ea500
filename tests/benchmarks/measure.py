"""Two ways to the same result, timed against each other in one process: both checked, both warm,
taken in turn.
"""

from __future__ import annotations

import importlib.metadata
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

REPEATS = 3
BUDGET = 20.0
"""Seconds that all turns of a case may take after the first ones: what takes longer has fewer of
them, or none.

A first turn starts servers, compiles and opens files: only where it is so long that this is little
is it the measure.
"""
REST = 0.2
"""Seconds before each turn: the other side's threads go on turning for a while when they have
nothing to do.
"""


@dataclass(frozen=True)
class Case:
    """What is compared.

    ours, peer: each does the work and returns what ``check`` needs; called once before they are
    timed.
    check: raises unless both results are the same; returns the tolerance in words.
    aim: the least ratio peer / ours.    scale: the peer's time times this is its whole work.
    facts: called after the check, for what else is worth telling (memory, a second peer).
    before: called before each turn of either side, not timed.
    """

    work: str
    peer: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    check: Callable[[Any, Any], str]
    aim: float
    packages: Sequence[str] = ()
    scale: float = 1.0
    facts: Callable[[], dict[str, Any]] = field(default=dict)
    before: Callable[[], object] = field(default=lambda: None)


def versions(packages: Sequence[str]) -> dict[str, str]:
    return {
        name: importlib.metadata.version(name) for name in (*packages, "numpy", "torch", "numba")
    }


def spread(seconds: Sequence[float]) -> list[float]:
    return [round(min(seconds), 6), round(max(seconds), 6)]


def processor() -> float:
    """Processor seconds of this process and the children it waited for: they do not grow when
    others are at work.
    """
    return sum(os.times()[:4])


@dataclass(frozen=True)
class Turn:
    """One turn of a side: what it returned, its seconds and those of the processor, scaled."""

    result: Any
    seconds: float
    processor: float

    @classmethod
    def of(cls, side: Callable[[], Any], scale: float) -> Turn:
        time.sleep(REST)
        begun, worked = time.perf_counter(), processor()
        result = side()
        seconds = time.perf_counter() - begun
        return cls(result, seconds * scale, (processor() - worked) * scale)


def run(case: Case, repeats: int = REPEATS, budget: float = BUDGET) -> dict[str, Any]:
    """The row of a case: medians over up to ``repeats`` turns of each side after a first one, and
    the ratio's range.

    budget: see BUDGET; one turn is taken though it is longer, but for a case whose first ones took
    three times as long.
    """
    load = os.getloadavg()[0]
    sides = ((case.ours, 1.0), (case.theirs, case.scale))

    def turns() -> list[Turn]:
        made = []
        for side, scale in sides:
            case.before()
            made.append(Turn.of(side, scale))
        return made

    first = turns()
    tolerance = case.check(first[0].result, first[1].result)
    lasted = sum(one.seconds / scale for one, (_, scale) in zip(first, sides, strict=True))
    more = 0 if lasted > 3 * budget else min(repeats, max(1, int(budget / lasted)))
    rounds = [turns() for _ in range(more)] or [first]
    ours, peer = ([one.seconds for one in own] for own in zip(*rounds, strict=True))
    busy = [[one.processor for one in own] for own in zip(*rounds, strict=True)]
    ratio = statistics.median(peer) / statistics.median(ours)
    return {
        "ours_s": round(statistics.median(ours), 6),
        "peer_s": round(statistics.median(peer), 6),
        "ratio": round(ratio, 3),
        "aim": round(case.aim, 3),
        "met": ratio >= case.aim,
        "peer": case.peer,
        "versions": versions(case.packages),
        "work": case.work,
        "same": tolerance,
        "ours_range": spread(ours),
        "peer_range": spread(peer),
        "ratio_range": [round(min(peer) / max(ours), 6), round(max(peer) / min(ours), 6)],
        "ours_cpu_s": round(statistics.median(busy[0]), 6),
        "peer_cpu_s": round(statistics.median(busy[1]), 6),
        "ratio_cpu": round(statistics.median(busy[1]) / max(statistics.median(busy[0]), 1e-9), 3),
        "repeats": len(rounds),
        "processors": len(os.sched_getaffinity(0)),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        **case.facts(),
    }
