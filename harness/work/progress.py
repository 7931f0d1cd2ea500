"""What a command is doing: bars in a terminal, and a file below the runs that `harness watch` reads meanwhile."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from harness.core.files import write_json
from harness.core.secret import hide_secrets

FOLDER = "progress"
BEAT = 2.0
"""Seconds between two writings: a file that is much older is one of a process that is no more."""


class Progress:
    """The state of one process: ``what`` it does, its ``stages``, the ``bar`` that moves, the ``best`` so far."""

    def __init__(self, runs: Path, what: str) -> None:
        host, process = socket.gethostname(), os.getpid()
        self.path = runs / FOLDER / f"{host}-{process}.json"
        self.state: dict[str, Any] = {
            "what": what, "host": host, "process": process, "started": time.time(), "stages": {}, "bar": None,
            "best": None,
        }  # fmt: skip
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def begin(self) -> None:
        """Write the file, now and every two seconds."""
        self._write()
        self._thread.start()

    def end(self) -> None:
        """Remove the file."""
        self._ended.set()
        self._thread.join()
        self.path.unlink(missing_ok=True)
        self.path.parent.rmdir()  # of no other process

    def _beat(self) -> None:
        while not self._ended.wait(BEAT):
            with contextlib.suppress(Exception):  # a full disk stops the work where it writes results, not here
                self._write()

    def _write(self) -> None:
        write_json(self.path, {**self.state, "stages": dict(self.state["stages"]), "updated": time.time()})


_current: Progress | None = None


@contextlib.contextmanager
def following(runs: Path, what: str) -> Iterator[None]:
    """A block whose stages and bars `harness watch` shows; within another such block it adds nothing.

    A folder that cannot be written is no error here.
    """
    global _current
    if _current is not None:
        yield
        return
    mine = Progress(runs, what)
    with contextlib.suppress(Exception):
        mine.begin()
    _current = mine
    try:
        yield
    finally:
        _current = None
        with contextlib.suppress(Exception):
            mine.end()


def doing(command: str, given: Sequence[str]) -> str:
    """What a process does, in a line: the command with what decides its results, without passwords of addresses."""
    kept = (text for text in given if not text.startswith(("paths.", "tracking", "device=")))
    return hide_secrets(" ".join([command, *kept]))


def stage(name: str, seconds: float | None = None) -> None:
    """Note that a stage has begun, or, with its seconds, ended."""
    if _current is not None:
        _current.state["stages"][name] = seconds


class Bar(tqdm):  # type: ignore[type-arg]
    """tqdm's bar, in a terminal alone, whose state `harness watch` shows, too."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **{"disable": None, **given})
        self._done, self._from = 0, time.time()
        self._goal, self._name = given.get("total"), given.get("desc")

    @property
    def seen(self) -> bool:
        """Whether anybody looks: only then is it worth finding out what to ``tell``."""
        return not self.disable or _current is not None

    def update(self, n: float | None = 1) -> bool | None:
        """Move on by ``n``."""
        self._done += int(n or 0)
        self.n += (n or 0) if self.disable else 0
        if _current is not None:
            _current.state["bar"] = {
                "name": self._name, "done": self._done, "total": self._goal, "seconds": time.time() - self._from,
            }  # fmt: skip
        return super().update(n)

    def tell(self, best: str) -> None:
        """Say the best so far, behind the bar."""
        if _current is not None:
            _current.state["best"] = best
        self.set_postfix_str(best, refresh=False)
