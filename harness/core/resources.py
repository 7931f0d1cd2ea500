"""The description of the machine and the time, for manifests and run files."""

from __future__ import annotations

import datetime
import os
import platform
import re
from pathlib import Path
from typing import Any

from harness.core.device import CARDS

MEMORY = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")
"""The places where Linux lists the memory of the machine and of the container of this process."""

CPU = Path("/proc/cpuinfo")
DRIVER = Path("/proc/driver/nvidia/version")
POWER = Path("/sys/class/powercap")
RELEASE = Path("/etc/os-release")
"""The places where Linux lists the processor, the driver of NVIDIA's cards, the power limit and the
distribution.
"""


def time_now() -> str:
    """Return the time as it is stored, ``2026-01-31T12:00:00+00:00``."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def describe_machine() -> dict[str, dict[str, Any]]:
    """Return hardware and operating system with the names of ir_metadata's platform.

    Unknown values, and those that only root may read, are left out. There is no name of the machine
    or of a user.
    """
    processor = {
        "model": _first(CPU, r"^model name\s*: (.+)$"),
        "architecture": platform.machine(),
        "number of cores": os.cpu_count(),
        "power limit": _watts(),
    }
    total, limit = _first(MEMORY, r"^MemTotal:\s*(\d+)"), _first(GROUP / "memory.max", r"^(\d+)$")
    sizes = [int(total or 0) << 10, int(limit or 0)]
    cards = [_first(card / "information", r"^Model:\s*(.+)$") for card in sorted(CARDS.glob("*"))]
    hardware = {
        "cpu": {key: value for key, value in processor.items() if value},
        "ram": gibibytes(min(filter(None, sizes))) if any(sizes) else None,
        "gpu": {"model": cards, "driver": _first(DRIVER, r"Module\s+([\d.]+)")} if cards else None,
    }
    system = {
        "kernel": f"{platform.system()} {platform.release()}",
        "distribution": _first(RELEASE, r'^PRETTY_NAME="?([^"\n]+)'),
    }
    return {
        "hardware": {key: value for key, value in hardware.items() if value},
        "operating system": {key: value for key, value in system.items() if value},
    }


def _watts() -> str | None:
    """Return the sum of the long-term power limits of the processor packages."""
    limits = [
        int(_first(package / "constraint_0_power_limit_uw", r"^(\d+)$") or 0)
        for package in POWER.glob("intel-rapl:[0-9]")
    ]
    return f"{sum(limits) / 1e6:.0f} W" if any(limits) else None


def _first(path: Path, pattern: str) -> str | None:
    """Return the match of a pattern in a file of the system, or None if it cannot be read."""
    try:
        match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    except (OSError, ValueError):
        return None
    return match[1].strip() if match else None


def gibibytes(size: int) -> str:
    """Return a size as text: ``1.5 GiB``."""
    return f"{size / 2**30:.1f} GiB"
