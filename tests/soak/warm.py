"""Many warm sweeps in one process: memory and open files stay as they are."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.soak.work import benchmark, do_sweep

MOST = 1.0
"""KiB a sweep: the slope of the memory over the second half, at most."""


def warm(rounds: int) -> Iterator[str]:
    """The same sweep again and again, memory and open files noted 100 times."""
    with tempfile.TemporaryDirectory() as folder:
        data, runs = benchmark(Path(folder) / "data"), Path(folder) / "runs"
        every, seen, told = max(1, rounds // 100), [], time.monotonic()
        for number in range(rounds):
            do_sweep(data, runs)
            if number % every == 0:
                gc.collect()
                seen.append((number, _memory() / 1024, len(os.listdir("/proc/self/fd"))))
            if time.monotonic() - told > 60:
                told = time.monotonic()
                yield f"{number + 1} of {rounds}: {seen[-1][1] / 1024:.1f} MiB, {seen[-1][2]} files"
        half = np.array(seen[len(seen) // 2 :])
        slope = float(np.polyfit(half[:, 0], half[:, 1], 1)[0]) if len(half) > 2 else 0.0
        files = int(half[-1, 2] - half[0, 2])
        yield (
            f"{rounds} warm sweeps in one process, second half: {slope:+.3f} KiB a sweep, "
            f"{half[0, 1] / 1024:.1f} to "
            f"{half[-1, 1] / 1024:.1f} MiB, {files:+d} open files"
        )
        assert files <= 1, f"{files} more open files"
        assert slope < MOST or half[-1, 1] - half[0, 1] < 5 << 10, f"{slope:.2f} KiB more a sweep"


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
