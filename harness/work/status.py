"""The state of the parts of unfinished artifacts: done or running, with machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.work.part_notes import (
    DONE,
    HELD,
    LOCK,
    PLAN,
    RECORDS,
    PartsPlan,
    is_held,
    read_note,
)

WIDTH = 30


def unfinished(runs: Path) -> Iterator[str]:
    """Yield, for each unfinished stage below a runs folder that is computed in parts, a bar and a
    line for each part that runs.
    """
    for path in sorted((runs / "artifacts").glob(f"*/*.partial/**/{RECORDS}/{PLAN}")):
        nothing = PartsPlan(what="", parts={}, made_by={})
        plan = read_note(path, PartsPlan, nothing)  # just being put together, or damaged
        states = {name: _state(path.parent, name) for name in plan["parts"]}
        if states:
            done = sum(state == "done" for state in states.values())
            bar = "#" * (WIDTH * done // len(states))
            head = f"{plan['what']}: [{bar:<{WIDTH}}] {done} of {len(states)} parts"
            lines = [
                f"  {name}  {state}"
                for name, state in states.items()
                if state.startswith("running")
            ]
            yield "\n".join([f"{head}  {path.parent.parent}", *lines])


def _state(records: Path, name: str) -> str:
    lock = records / f"{name}{LOCK}"
    if (records / f"{name}{DONE}").exists():
        return "done"
    if lock.exists() and is_held(lock):
        note: dict[str, Any] = read_note(records / f"{name}{HELD}", dict[str, Any], {})
        return f"running on {note.get('host')}, process {note.get('pid')}"
    return "missing"
