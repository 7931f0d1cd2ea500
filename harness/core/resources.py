"""Room on the disk and in memory, asked for before it is taken: a line in time, in place of a full
disk or a kill.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from harness.core.errors import HarnessError

MEMORY = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")
"""Where Linux tells the memory of the machine, and of the container that this process is in."""

SMALL = 64 << 20
"""Bytes below which nothing is foreseen: others take as much meanwhile."""


def need_disk(folder: Path, size: int, what: str) -> None:
    """Raise HarnessError unless the disk of ``folder`` has so many free bytes. what: needs them."""
    free = shutil.disk_usage(folder).free
    if size > max(free, SMALL):
        raise HarnessError(
            f"{folder}: {what} needs {gibibytes(size)} on the disk, and {gibibytes(free)} are "
            "free; free some space or "
            "set paths.runs=DIR to another disk"
        )


def need_memory(size: int, what: str, mend: str) -> None:
    """Raise HarnessError unless so many bytes of memory are available, as far as the system tells.

    what: needs them.    mend: the knob, and where to turn it.
    """
    free = available_memory()
    if free is not None and size > max(free, SMALL):
        raise HarnessError(
            f"{what} needs some {gibibytes(size)} of memory, and {gibibytes(free)} are "
            f"available; {mend}"
        )


def available_memory() -> int | None:
    """Bytes that this process can still take without swapping; None where the system does not tell
    (not Linux).
    """
    try:
        fields = dict(
            line.split(":", 1) for line in MEMORY.read_text(encoding="ascii").splitlines()
        )
        whole = int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, LookupError, ValueError):
        return None
    try:
        limit, used = (
            (GROUP / name).read_text(encoding="ascii").strip()
            for name in ("memory.max", "memory.current")
        )
        counts = dict(
            line.split()
            for line in (GROUP / "memory.stat").read_text(encoding="ascii").splitlines()
        )
        left = (
            int(limit) - int(used) + int(counts["inactive_file"])
        )  # what the system keeps of files, it gives back
        return max(0, min(whole, left))
    except (OSError, LookupError, ValueError):  # a limit of "max" is none
        return whole


def gibibytes(size: int) -> str:
    """``1.5 GiB``."""
    return f"{size / 2**30:.1f} GiB"
