"""The cost of a study: wall and processor seconds of every command that computes results.

``<runs>/compute.jsonl`` has a line when such a command has run for ``SECONDS`` and one when it
ends. Commands that failed, were interrupted or were killed are therefore counted, too. A command
that fails sooner, such as a mistyped one, computed nothing and is not counted.
"""

from __future__ import annotations

import functools
import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.core.resources import describe_machine, time_now

if TYPE_CHECKING:
    from omegaconf import DictConfig

FILE = "compute.jsonl"
SECONDS = 5.0
"""Seconds after which a command counts even if it fails."""
Result = TypeVar("Result")


def measured(run: Callable[[DictConfig], Result]) -> Callable[[DictConfig], Result]:
    """Return a command that also notes what it costs; a dry run and ``status=true`` note nothing.

    Processor seconds are user and system time of this process and of the processes that it has
    waited for.
    """

    @functools.wraps(run)
    def noted(config: DictConfig) -> Result:
        if config.get("dry_run") or config.get("status"):
            return run(config)
        note = _Note(Path(config.paths.runs) / FILE, run.__module__.rpartition(".")[2])
        timer = threading.Timer(SECONDS, note.begin)
        timer.daemon = True
        timer.start()
        wall, processor = time.monotonic(), _processor_seconds()
        failed = True
        try:
            result = run(config)
            failed = False
            return result
        finally:
            timer.cancel()
            spent = {
                "wall": round(time.monotonic() - wall, 2),
                "processor": round(_processor_seconds() - processor, 2),
            }
            if note.begun or not failed:  # what fails at once computed nothing
                note.begin()
                note.append({"failed": failed, **spent})

    return noted


def read_compute(runs: Path) -> list[dict[str, Any]]:
    """Return a record for each command that was begun in a runs folder.

    A record has ``command``, ``time``, ``hardware`` and, unless the command was killed, ``failed``,
    ``wall`` and ``processor`` (seconds). A line that cannot be read is passed over: a machine that
    went down may have cut it.
    """
    records: dict[str, dict[str, Any]] = {}
    try:
        lines = (runs / FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            record = json.loads(line)
            known = records.setdefault(str(record["id"]), {})
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        known.update(record)
    return [record for record in records.values() if "command" in record]


class _Note:
    """The two lines of a command in a file; command: its name."""

    def __init__(self, path: Path, command: str) -> None:
        self._path, self._id = path, uuid.uuid4().hex
        self._about = {"command": command, "time": time_now()}
        self._writing, self.begun = threading.Lock(), False

    def begin(self) -> None:
        """Write the first line, once."""
        with self._writing:
            if not self.begun:
                self.append({**self._about, "hardware": describe_machine()["hardware"]})
                self.begun = True

    def append(self, record: Mapping[str, object]) -> None:
        """Add a line in one write, so that lines of two processes are not mixed."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps({'id': self._id, **record})}\n")


def _processor_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
