"""List the sweeps of the runs folder: benchmark, queries, trials, winner, whether test was evaluated, size.

harness list
harness list paths.runs=/scratch/runs
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Print the table."""
    from pathlib import Path

    from harness.sweep.folder import sweeps

    print(sweeps(Path(config.paths.runs)).text())
