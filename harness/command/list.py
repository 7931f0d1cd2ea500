"""List the sweeps of the runs folder: benchmark, queries, trials, winner, whether test was evaluated, size.

harness list
harness list paths.runs=/scratch/runs
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Print the table."""
    from harness.sweep.folder import sweeps
    from harness.sweep.heldout import Ledger

    looks = {str(entry.get("lock_sha256")) for entry in Ledger(Path(config.paths.ledger)).entries()}
    print(sweeps(Path(config.paths.runs), looks).text())
