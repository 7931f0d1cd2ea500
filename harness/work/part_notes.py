"""Notes that processes share about the parts of an artifact: small files in its folder ``parts/``,
and the locks of parts that are being computed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

from filelock import lock_descriptor
from typing_extensions import TypedDict

from harness.core.input.stored import misfit

T = TypeVar("T")
RECORDS, PLAN = "parts", "plan.json"
HELD, LOCK = ".held.json", ".lock"


class PartsPlan(TypedDict):
    """The plan of a stage: the paths of its parts in the artifact's folder, and the code, libraries
    and devices that make them.
    """

    what: str
    parts: list[str]
    made_by: dict[str, object]


def read_note(path: Path, form: Any, default: T) -> T:
    """Return the content of a note about parts, or the default if it is missing, damaged or of
    another form.
    """
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return default
    return default if misfit(note, form) else cast(T, note)


@contextlib.contextmanager
def hold(lock: Path) -> Iterator[bool]:
    """Hold a lock file in a block. Yield False at once if another process or thread holds it.

    The system releases the lock when its process ends, on any machine that shares the folder.

    Raises:
        FileNotFoundError: the folder of the lock is gone.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)  # FileLock would make the folder again
    try:
        yield _take(descriptor)
    finally:
        os.close(descriptor)  # releases it


def _take(descriptor: int) -> bool:
    """Lock an open file. Return False if another process or thread holds it.

    Where the file system has no locks, each process holds it: a part is then perhaps computed
    twice, to the same bytes.
    """
    try:
        return lock_descriptor(descriptor, blocking=False)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        return True


def is_held(lock: Path) -> bool:
    """Return whether a living process holds an existing lock file."""
    with hold(lock) as free:
        return not free


WIDTH = 30


def unfinished(runs: Path) -> Iterator[str]:
    """Yield, for each unfinished stage below a runs folder that is computed in parts, a bar and a
    line for each part that runs.
    """
    for path in sorted((runs / "artifacts").glob(f"*/*.partial/**/{RECORDS}/{PLAN}")):
        nothing = PartsPlan(what="", parts=[], made_by={})
        plan = read_note(path, PartsPlan, nothing)  # just being put together, or damaged
        states = {part: _state(path.parent, part) for part in plan["parts"]}
        if states:
            done = sum(state == "done" for state in states.values())
            bar = "#" * (WIDTH * done // len(states))
            head = f"{plan['what']}: [{bar:<{WIDTH}}] {done} of {len(states)} parts"
            lines = [
                f"  {part}  {state}"
                for part, state in states.items()
                if state.startswith("running")
            ]
            yield "\n".join([f"{head}  {path.parent.parent}", *lines])


def _state(records: Path, part: str) -> str:
    path = records.parent / part
    if path.exists():
        return "done"
    name = path.name
    lock = records / f"{name}{LOCK}"
    if lock.exists() and is_held(lock):
        note: dict[str, Any] = read_note(records / f"{name}{HELD}", dict[str, Any], {})
        return f"running on {note.get('host')}, process {note.get('pid')}"
    return "missing"
