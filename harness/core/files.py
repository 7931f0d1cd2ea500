"""Files that are written completely or not at all, with one line for a full disk."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from harness.core.errors import HarnessError
from harness.core.input.read import packed

if TYPE_CHECKING:
    import pandas as pd


def _machine() -> str:
    """Return a hash of the host name, the time of the start and the process namespace.

    Containers may share a host name.
    """
    traits = [socket.gethostname()]
    with contextlib.suppress(OSError):  # Linux has them
        traits.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        traits.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(traits).encode()).hexdigest()[:8]


HOST = _machine()
"""The machine or container within which a process number means one process."""
ABANDONED = 86400.0
"""Seconds after which an unfinished file of another machine counts as abandoned."""
UNWRITABLE = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.ENOTDIR,
)
"""Errors that the user can mend: a full disk, a quota, a limit, or a folder without permission."""


def unwritable(error: OSError) -> str | None:
    """Return why a file cannot be written, or None for another error.

    NumPy's error for a short write has no number.
    """
    if error.errno is None and "requested and" in str(error):
        return os.strerror(errno.ENOSPC)
    return error.strerror if error.errno in UNWRITABLE else None


def mend_of(error: OSError, choose: str = "choose another folder") -> str:
    """Return the mend for an error with a reason by ``unwritable``.

    Args:
        error: the error.
        choose: how the user chooses another place.
    """
    full = (None, errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if error.errno in full:
        return f"free some space or {choose}"
    return f"{choose}, one that you may write to"


def allocate(path: Path, first: int) -> None:
    """Allocate the blocks of a sparse file from byte ``first`` on; they hold 0.

    Without blocks, writing to a memory map on a full disk would kill the process (SIGBUS).

    Raises:
        OSError: the disk is full.
    """
    size = path.stat().st_size
    with path.open("r+b") as stream:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(stream.fileno(), 0, size)
        else:
            stream.seek(first)
            for start in range(first, size, 1 << 20):
                stream.write(bytes(min(1 << 20, size - start)))


class Unwritable(HarnessError):
    """An error about a full disk or a folder that cannot be written."""


def is_stream(path: Path) -> bool:
    """Return whether a path is a device, a pipe or an open file of this process. Such a file is
    never replaced.
    """
    special = path.exists() and not path.is_file() and not path.is_dir()
    return special or str(path.absolute().parent) in ("/dev", "/dev/fd", "/proc/self/fd")


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to ``path``, which becomes ``path`` if the block succeeds.

    For a device or a pipe, such as /dev/stdout, the content is copied to it.

    Raises:
        HarnessError: the disk is full, or the folder cannot be written.
    """
    if is_stream(path):
        with tempfile.TemporaryDirectory() as folder, _writing(path):
            yield (content := Path(folder) / path.name)
            sys.stdout.flush()
            is_stdout = str(path) == "/dev/stdout"  # opening it again would empty it
            target = 1 if is_stdout else path
            with content.open("rb") as source, open(target, "wb", closefd=not is_stdout) as to:
                shutil.copyfileobj(source, to)
        return
    partial = path.with_name(f"{path.name}.{HOST}.{os.getpid()}.partial")
    with _writing(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield partial
            partial.replace(path)
        finally:
            with contextlib.suppress(OSError):  # the error of the block is reported, not this one
                partial.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Make a folder and its parents. Raise HarnessError if that is impossible."""
    with _writing(path):
        path.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let only one process at a time into a block, by the lock file ``path``.

    Raises:
        HarnessError: the disk is full, or the folder cannot be written.
    """
    from filelock import FileLock

    lock = FileLock(path)
    with _writing(path):
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason, place = unwritable(error), str(error.filename)
        if reason is None and (place.startswith(str(path)) or str(path).startswith(place)):
            reason = error.strerror  # an error of the file or a folder above, not of a file read
        if reason is None:
            raise
        raise Unwritable(f"{path}: cannot write ({reason}); {mend_of(error)}") from error


@contextlib.contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """Yield a stream of bytes. The file appears completely or not at all, packed as its ending
    says.
    """
    with whole(path) as partial, partial.open("wb") as raw, packed(path.name, raw) as stream:
        yield stream


def dead_partials(folder: Path, pattern: str = "*.partial") -> list[Path]:
    """Return the unfinished files of dead processes in a folder.

    They are named ``*.HOST.PID.partial``. Files of other machines count
    if nobody has written to them for a day (``ABANDONED``).

    Args:
        folder: the folder.
        pattern: the names to look for; ``**/*.partial`` includes folders below.
    """
    partials = []
    for path in sorted(folder.glob(pattern)):
        *_, host, number, _ = ("", *path.name.split("."))
        if not number.isdecimal() or not path.is_file():
            continue
        if host == HOST:
            dead = not is_running(int(number))
        else:
            dead = time.time() - path.stat().st_mtime > ABANDONED
        partials += [path] if dead else []
    return partials


def remove_partials(folder: Path, pattern: str = "*.partial") -> None:
    """Remove unfinished files (see ``dead_partials``) from a folder that no other process writes
    to.
    """
    for path in dead_partials(folder, pattern):
        path.unlink(missing_ok=True)


def is_running(process: int) -> bool:
    """Return whether this machine has a process of that number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def write_text(path: Path, text: str) -> Path:
    """Write a text file (UTF-8), completely or not at all, and return its path."""
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8")
    return path


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file with sorted keys."""
    write_text(path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Write a Parquet file."""
    with whole(path) as partial:
        frame.to_parquet(partial, index=False)
