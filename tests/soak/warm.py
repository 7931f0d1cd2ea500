"""Many warm sweeps in one process: memory and open files stay as they are."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.soak.work import benchmark, do_sweep


def warm(rounds: int) -> Iterator[str]:
    """The same sweep again and again; the second half may not hold more than the first by 5 MiB or by one file."""
    with tempfile.TemporaryDirectory() as folder:
        data, runs = benchmark(Path(folder) / "data"), Path(folder) / "runs"
        seen = []
        for number in range(rounds):
            do_sweep(data, runs)
            if number + 1 in {rounds // 2, rounds}:
                gc.collect()
                seen.append((_memory(), len(os.listdir("/proc/self/fd"))))
        (before, files), (after, more) = seen
        assert after - before < 5 << 20, f"{(after - before) >> 10} KiB more after {rounds // 2} sweeps"
        assert more <= files + 1, f"{more - files} more open files"
        grown = f"{(after - before) / 1024:+.0f} KiB and {more - files:+d} files"
        yield f"{rounds} warm sweeps in one process: {grown} in the second half"


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
