"""Killed, or out of space, at every change of a file: what is done again gives the same bytes, and
one evaluation.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

from tests.soak.events import SPACE, WRITES, at_event
from tests.soak.steps import STEPS, Command, Reference, reference
from tests.soak.work import Outcome, in_fork

OFTEN = 60
"""Seconds between two lines that tell how far a step is."""
Ways = Mapping[str, Callable[[], None]]


def kill(most: int) -> Iterator[str]:
    """kill -9 before each change of a file in every step; then what a user types next."""
    yield from _at_events(most, lambda: os.kill(os.getpid(), signal.SIGKILL), ("killed",))


def full(most: int) -> Iterator[str]:
    """No space at each file or folder that is made: one line, and the same command afterwards goes
    on.
    """

    def refuse() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    yield from _at_events(most, refuse, ("error", "done"), SPACE)


def limit(most: int) -> Iterator[str]:
    """No file may grow beyond a size, from 0 to that of the largest: writes end in the middle."""

    def ways(known: Reference, name: str) -> Ways:
        files = [
            path for path in known.runs.parent.rglob("*") if path.is_file() and path.suffix != ".db"
        ]
        largest = max(path.stat().st_size for path in files)
        sizes = sorted({int(largest * (number / most) ** 3) for number in range(most)})
        return {
            f"files of {size} bytes": partial(_limited, size, STEPS[name].run, known)
            for size in sizes
        }

    yield from _campaign(ways, ("error", "done"))


def _at_events(
    most: int, act: Callable[[], None], expected: tuple[str, ...], writes: Collection[str] = WRITES
) -> Iterator[str]:
    def ways(known: Reference, name: str) -> Ways:
        events = _count(known, name, writes)
        numbers = sorted(
            {1 + place * events // most for place in range(most)} & set(range(1, events + 1))
        )
        command = STEPS[name].run
        return {
            f"event {number} of {events}": partial(_broken, number, act, command, known, writes)
            for number in numbers
        }

    yield from _campaign(ways, expected)


def _campaign(ways: Callable[[Reference, str], Ways], expected: tuple[str, ...]) -> Iterator[str]:
    """Break each step off in each way, finish it, and compare; what is wrong is told at once, and
    again at the end.
    """
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        known = reference(Path(folder))
        for name in known.wanted:
            ends: Counter[str] = Counter()
            before, told, mine = len(faults), time.monotonic(), ways(known, name)
            for way, work in mine.items():
                with known.before(name):
                    outcome = in_fork(work)
                    ends[outcome.kind] += 1
                    found = _check(outcome, expected, known, name, f"{name}, {way}")
                yield from found
                faults += found
                if time.monotonic() - told > OFTEN:
                    told = time.monotonic()
                    yield f"{name}: {ends.total()} of {len(mine)}, {len(faults) - before} faults"
            last = next(reversed(mine), "none")
            same = ends.total() - (len(faults) - before)
            yield (
                f"{name}: {ends.total()} times up to {last}, {dict(ends)}; the same results "
                f"afterwards in {same}"
            )
    assert not faults, "\n".join(faults)


def _broken(
    number: int,
    act: Callable[[], None],
    command: Command,
    known: Reference,
    writes: Collection[str],
) -> None:
    at_event(known.runs, number, act, writes)
    command(known.data, known.runs)


def _limited(size: int, command: Command, known: Reference) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    command(known.data, known.runs)


def _count(known: Reference, name: str, writes: Collection[str]) -> int:
    """How many changes of files a step makes."""
    place = known.runs.parent / "count"

    def work() -> None:
        ask = at_event(known.runs, 0, lambda: None, writes)
        STEPS[name].run(known.data, known.runs)
        place.write_text(str(ask()))

    with known.before(name):
        outcome = in_fork(work)
        assert outcome.kind == "done", f"{name}: {outcome.text}"
    return int(place.read_text())


def _check(
    outcome: Outcome, expected: tuple[str, ...], known: Reference, name: str, where: str
) -> list[str]:
    """What is wrong, after what a user types next."""
    if outcome.kind not in expected:
        return [f"{where}: {outcome}"]
    place = known.runs.parent / "differ"

    def finish() -> None:
        STEPS[name].finish(known.data, known.runs)
        wanted, found = known.wanted[name], STEPS[name].contents(known.runs)
        place.write_text(
            " ".join(key for key in sorted({*wanted, *found}) if wanted.get(key) != found.get(key))
        )

    again = in_fork(finish)
    if again.kind != "done":
        return [f"{where}, then again: {again.text}"]
    return [f"{where}: other contents in {place.read_text()}"] if place.read_text() else []
