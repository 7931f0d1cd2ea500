"""Changes of files and of databases, one after the other: something is done before the n-th of
them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path

WRITES = {
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.mkdir",
    "os.truncate",
    "os.link",
    "os.symlink",
    "shutil.rmtree",
}
SPACE = {"os.mkdir", "os.link", "os.symlink"}
"""Those for which a disk can be too full, beside opening a file for writing."""
STATEMENTS = ("INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP")


def at_event(
    root: Path, number: int, act: Callable[[], None], writes: Collection[str] = WRITES
) -> Callable[[], int]:
    """Call ``act`` before the ``number``-th change below ``root``; returns how to ask how many
    there were.

    A change is: a file opened for writing, renamed or removed, a folder made or removed; a
    statement that changes a database, and a commit (of SQLite's own writes no one sees more: a
    transaction is there or not).
    """
    count = 0
    armed = True

    def event() -> None:
        nonlocal count, armed
        count += armed
        if armed and count == number:
            armed = False
            act()

    def hook(name: str, arguments: tuple[object, ...]) -> None:
        changes = name in writes or (name == "open" and _writes(arguments))
        if (
            changes
            and isinstance(arguments[0], (str, os.PathLike))
            and str(arguments[0]).startswith(str(root))
        ):
            event()

    sys.addaudithook(hook)
    if "sqlalchemy" in sys.modules:
        _watch_databases(event)
    return lambda: count


def _watch_databases(event: Callable[[], None]) -> None:
    import sqlalchemy

    def execute(connection: object, cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip().upper().startswith(STATEMENTS):
            event()

    sqlalchemy.event.listen(sqlalchemy.engine.Engine, "before_cursor_execute", execute)
    sqlalchemy.event.listen(sqlalchemy.engine.Engine, "commit", lambda connection: event())


def _writes(arguments: tuple[object, ...]) -> bool:
    mode, flags = arguments[1], arguments[2]
    return bool(set(str(mode or "")) & set("wax+")) or bool(
        int(str(flags or 0)) & (os.O_WRONLY | os.O_RDWR)
    )
