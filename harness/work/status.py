"""The state of the parts of unfinished artifacts: done, running or failed, with machines and
seconds.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.core.table import counted
from harness.work.part_notes import (
    DONE,
    HELD,
    LOCK,
    PLAN,
    RECORDS,
    PartsPlan,
    failures,
    is_held,
    read_note,
)

WIDTH = 30


@dataclass(frozen=True)
class PartStates:
    """The state of an unfinished stage.

    Attributes:
        folder: its folder.
        what: the work.
        states: the state of each part by name.
        seconds: seconds of each finished part, by machine.
    """

    folder: Path
    what: str
    states: dict[str, str]
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return a bar, then a line for each machine with finished parts and for each running or
        failed part.
        """
        done = sum(state == "done" for state in self.states.values())
        bar = "#" * (WIDTH * done // len(self.states))
        machines = [
            f"  done on {host}: {len(each)}, {statistics.median(each):.3g} s each (median)"
            for host, each in sorted(self.seconds.items())
        ]
        messages = [
            f"  {name}  {state}"
            for name, state in self.states.items()
            if state.startswith(("running", "failed"))
        ]
        head = f"{self.what}: [{bar:<{WIDTH}}] {done} of {len(self.states)} parts  {self.folder}"
        return "\n".join([head, *machines, *messages])


def unfinished(runs: Path) -> Iterator[PartStates]:
    """Yield the unfinished stages below a runs folder that are computed in parts."""
    for path in sorted((runs / "artifacts").glob(f"*/*.partial/**/{RECORDS}/{PLAN}")):
        records, nothing = path.parent, PartsPlan(what="", parts={}, made_by={})
        plan = read_note(path, PartsPlan, nothing)  # just being put together, or damaged
        if plan["parts"]:
            states = {name: _state(records, name) for name in plan["parts"]}
            yield PartStates(records.parent, plan["what"], states, _seconds(records, states))


def _state(records: Path, name: str) -> str:
    lock = records / f"{name}{LOCK}"
    if (records / f"{name}{DONE}").exists():
        return "done"
    if lock.exists() and is_held(lock):
        note: dict[str, Any] = read_note(records / f"{name}{HELD}", dict[str, Any], {})
        return f"running on {note.get('host')}, process {note.get('pid')}"
    if why := failures(records, name):
        return f"failed {counted(len(why), 'time')}, last on {why[-1]['host']}: {why[-1]['error']}"
    return "missing"


def _seconds(records: Path, states: Mapping[str, str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for name in (name for name, state in states.items() if state == "done"):
        note: dict[str, Any] = read_note(records / f"{name}{DONE}", dict[str, Any], {})
        if isinstance(took := note.get("seconds"), (int, float)):
            found.setdefault(str(note.get("host")), []).append(took)
    return found
