"""A lease: one process at a time works on a thing, on any machine that shares the folder, and death
sets it free.

The lease is a file made by an exclusive create, which every file system has, NFS and those without
hard links, too. It names host, machine, process and a token, and its holder touches it every
``BEAT`` seconds. One that was not touched for ``STALE`` seconds, by the file system's own clock, or
whose process on this machine has ended, is taken over.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Required

from typing_extensions import TypedDict

from harness.core.files import HOST, is_running
from harness.core.input import value_at

BEAT = 5.0
STALE = 60.0


class Holder(TypedDict, total=False):
    """Who holds a lease."""

    host: str
    machine: str
    pid: Required[int]
    token: str


@contextlib.contextmanager
def lease(path: Path) -> Iterator[bool]:
    """Whether the lease ``path`` is held by this block; False at once where a living process holds
    it.
    """
    token = uuid.uuid4().hex
    if not _take(path, token):
        yield False
        return
    _beats.add(path)
    try:
        yield True
    finally:
        _beats.remove(path)
        if (held := holder(path)) is not None and held.get("token") == token:
            path.unlink(missing_ok=True)


def holder(path: Path) -> Holder | None:
    """Who holds the lease; None where nobody does."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(value_at(found, ("pid",)), int) else None


def is_stale(path: Path) -> bool:
    """Whether the holder is dead: its process on this machine has ended, or it has not touched the
    file for long.

    A date in the future is set to now: a living holder touches the file again, a dead one's then
    grows old.
    """
    found = holder(path)
    if found is not None and found.get("machine") == HOST and not is_running(found["pid"]):
        return True
    clock = path.with_name(f"{path.name}.{uuid.uuid4().hex}.clock")
    try:
        clock.touch()
        age = clock.stat().st_mtime - path.stat().st_mtime
        if age < -BEAT:
            os.utime(path)
        return age > STALE
    except FileNotFoundError:
        return False
    finally:
        clock.unlink(missing_ok=True)


def _take(path: Path, token: str) -> bool:
    if path.exists() and is_stale(path):
        _remove_stale(path)
    found = {"host": socket.gethostname(), "machine": HOST, "pid": os.getpid(), "token": token}
    return _create(path, json.dumps(found))


def _create(path: Path, content: str) -> bool:
    """Whether the file was not there and is made: whole at once where the file system has hard
    links.

    Elsewhere a lease is for a moment one of nobody known, and one whose writer dies then has to
    grow old.
    """
    own = path.with_name(f"{path.name}.{uuid.uuid4().hex}.own")
    try:
        own.write_text(content, encoding="utf-8")
        try:
            os.link(own, path)
        except FileExistsError:
            return False
        except OSError:
            with path.open("xb") as stream:
                stream.write(own.read_bytes())
    except FileExistsError:
        return False
    finally:
        own.unlink(missing_ok=True)
    return True


def _remove_stale(path: Path) -> None:
    """Remove the lease of a dead holder. Of several that see it only one moves it away; a living
    one is put back.
    """
    seen = holder(path)
    moved = path.with_name(f"{path.name}.{uuid.uuid4().hex}.stale")
    try:
        path.rename(moved)
    except FileNotFoundError:
        return
    if holder(moved) != seen:
        _create(path, moved.read_text(encoding="utf-8"))
    moved.unlink(missing_ok=True)


class _Beats:
    """A thread that touches every lease of this process: one for all, since starting one costs more
    than a lease.
    """

    def __init__(self) -> None:
        self._held: set[Path] = set()
        self._thread: threading.Thread | None = None

    def add(self, path: Path) -> None:
        self._held.add(path)
        if self._thread is None or not self._thread.is_alive():  # a forked process has none
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def remove(self, path: Path) -> None:
        self._held.discard(path)

    def _run(self) -> None:
        while True:
            time.sleep(BEAT)
            for path in list(self._held):
                with contextlib.suppress(OSError):
                    os.utime(path)


_beats = _Beats()
