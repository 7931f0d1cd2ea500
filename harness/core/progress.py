"""What the parts of unfinished artifacts are at: done, running, failed, on which machine, in how many seconds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.lease import holder, is_stale
from harness.core.parts import DONE, PLAN, RECORDS, failures

WIDTH = 30


@dataclass(frozen=True)
class Progress:
    """An unfinished stage: its folder, what it does, and the state of each part by name."""

    folder: Path
    what: str
    states: dict[str, str]

    def __str__(self) -> str:
        """A bar, then a line for each part that runs or has failed."""
        done = sum(state.startswith("done") for state in self.states.values())
        bar = "#" * (WIDTH * done // len(self.states))
        told = [f"  {name}  {state}" for name, state in self.states.items() if state.startswith(("running", "failed"))]
        return "\n".join([f"{self.what}: [{bar:<{WIDTH}}] {done} of {len(self.states)} parts  {self.folder}", *told])


def unfinished(runs: Path) -> Iterator[Progress]:
    """The stages below a runs folder that are being computed in parts, or were left."""
    for path in sorted((runs / "artifacts").glob(f"*/*.partial/**/{RECORDS}/{PLAN}")):
        try:
            plan = json.loads(path.read_text(encoding="utf-8"))
            what, names = str(plan["what"]), [str(name) for name in plan["parts"]]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):  # just being put together, or damaged
            continue
        records = path.parent
        if names:
            yield Progress(records.parent, what, {name: _state(records, name) for name in names})


def _state(records: Path, name: str) -> str:
    lease = records / f"{name}.lease"
    if (records / f"{name}{DONE}").exists():
        told = _read(records / f"{name}{DONE}")
        return f"done on {told.get('host')} in {told.get('seconds')} s"
    if lease.exists() and not is_stale(lease):
        told = holder(lease) or {}
        return f"running on {told.get('host')}, process {told.get('pid')}"
    if why := failures(records, name):
        return f"failed {len(why)} times, last on {why[-1]['host']}: {why[-1]['error']}"
    return "missing"


def _read(path: Path) -> Any:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
