"""Unpack a sweep that `harness export` wrote, below the runs folder.

The last line of standard output is the sweep's folder.

Only plain files of one sweep are unpacked: a link, a device or a path outside is refused, and so is a sweep that is
there already. `harness verify` then checks each file against the sweep's lock.

  harness import NAME.tar.zst
  harness import NAME.tar.zst paths.runs=/scratch/runs
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Unpack and say where."""
    from pathlib import Path

    from harness.command import complete
    from harness.sweep.folder import import_sweep

    complete(config)
    print(import_sweep(Path(config.archive), Path(config.paths.runs)))
