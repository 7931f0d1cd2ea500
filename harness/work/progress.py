"""Progress of long work: a bar in a terminal, otherwise a line every half minute."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)
EVERY = 30.0
"""Seconds between two lines."""
DELAY = 2.0
"""Seconds before a bar is shown."""


class Progress:
    """A block of long work:
    ``with Progress("encode", 2000, "passage") as bar: ... bar.update(32)``.

    Only the innermost of nested blocks reports.
    """

    open: ClassVar[list[Progress]] = []

    def __init__(self, what: str, total: int | None = None, unit: str = "") -> None:
        """Create a block.

        Args:
            what: the work.
            total: number of units; None if unknown. The line then has the time spent.
            unit: the name of a unit.
        """
        self.what, self.total, self.unit, self.done = what, total, unit, 0
        self.bar: Any = None
        self.before = 0
        self.started = time.perf_counter()
        self._end = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        if self.total and sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(
                total=self.total, desc=self.what, unit=self.unit or "it", leave=False, delay=DELAY
            )
        Progress.open.append(self)
        threading.Thread(target=self._speak, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end.set()
        Progress.open.remove(self)
        if self.bar is not None:
            self.bar.close()

    def skip(self, count: int) -> None:
        """Count units that existed before. They do not enter the estimate of the remaining time."""
        self.before += count
        self.update(count)

    def update(self, count: int = 1) -> None:
        """Count finished units."""
        with self._lock:  # parts are computed by several threads
            self.done += count
        if self.bar is not None:
            self.bar.update(count)

    def line(self) -> str:
        """Return ``encode: 12,800 of 24,000 passages (53%), about 1 min 10 s left``.

        Before the first unit the line has the time spent.
        """
        spent = time.perf_counter() - self.started
        here = self.done - self.before
        part = (
            f"{self.done:,} of {self.total:,} {self.unit}".rstrip()
            if self.total and self.total > 1
            else ""
        )
        if not (part and self.total and here):
            return f"{self.what}: {f'{part}, ' if part else ''}at work for {duration(spent)}"
        left = duration(spent / here * (self.total - self.done))
        return f"{self.what}: {part} ({100 * self.done // self.total}%), about {left} left"

    def _speak(self) -> None:
        while not self._end.wait(EVERY):
            if Progress.open[-1:] == [self] and self.bar is None:
                log.info("%s", self.line())


def over(what: str, items: Sequence[T]) -> Iterator[T]:
    """Yield the items. Each one counts as done when the next one is asked for."""
    with Progress(what, len(items)) as bar:
        for item in items:
            yield item
            bar.update()


def duration(seconds: float) -> str:
    """Return a duration as text: ``45 s``, ``1 min 10 s``, ``2 h 5 min``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
