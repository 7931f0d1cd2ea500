"""A lease: one process at a time works on a thing, on any machine that shares the folder, and death sets it free.

The lease is a file made by an exclusive create, which holds on NFS, too. It names host, process and a token, and its
holder touches it every ``BEAT`` seconds. One that was not touched for ``STALE`` seconds, by the file system's own
clock, or whose process on this host has ended, is taken over.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.core.files import is_running

BEAT = 5.0
STALE = 60.0


@contextlib.contextmanager
def lease(path: Path) -> Iterator[bool]:
    """Whether the lease ``path`` is held by this block; False at once where a living process holds it."""
    token = uuid.uuid4().hex
    if not _take(path, token):
        yield False
        return
    _beats.add(path)
    try:
        yield True
    finally:
        _beats.remove(path)
        if (holder(path) or {}).get("token") == token:
            path.unlink(missing_ok=True)


def holder(path: Path) -> Mapping[str, Any] | None:
    """Host, pid and token of who holds the lease; None where nobody does."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("pid"), int) else None


def is_stale(path: Path) -> bool:
    """Whether the holder is dead: its process on this host has ended, or it has not touched the file for long."""
    found = holder(path)
    if found is not None and found.get("host") == socket.gethostname() and not is_running(found["pid"]):
        return True
    clock = path.with_name(f"{path.name}.{uuid.uuid4().hex}.clock")
    try:
        clock.touch()
        return clock.stat().st_mtime - path.stat().st_mtime > STALE
    except FileNotFoundError:
        return False
    finally:
        clock.unlink(missing_ok=True)


def _take(path: Path, token: str) -> bool:
    if path.exists() and is_stale(path):
        _remove_stale(path)
    content = json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "token": token})
    own = path.with_name(f"{path.name}.{token}")
    try:
        own.write_text(content)
        os.link(own, path)  # whole at once, and fails where another was first
    except FileExistsError:
        return False
    finally:
        own.unlink(missing_ok=True)
    return True


def _remove_stale(path: Path) -> None:
    """Remove the lease of a dead holder. Of several that see it only one moves it away; a living one is put back."""
    seen = holder(path)
    moved = path.with_name(f"{path.name}.{uuid.uuid4().hex}.stale")
    try:
        path.rename(moved)
    except FileNotFoundError:
        return
    if holder(moved) != seen:
        with contextlib.suppress(FileExistsError):
            os.link(moved, path)
    moved.unlink(missing_ok=True)


class _Beats:
    """A thread that touches every lease of this process: one for all, since starting one costs more than a lease."""

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
