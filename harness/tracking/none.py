"""No tracking: the sweep's folder is all there is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.sweep.result import SweepResult


@dataclass(frozen=True)
class Untracked:
    """Logs nothing."""

    def prepare(self) -> None:
        """Nothing to open."""

    def log_sweep(self, result: SweepResult) -> None:
        """Nothing."""

    def log_heldout(self, result: SweepResult) -> None:
        """Nothing."""

    def log_report(self, result: SweepResult, folder: Path) -> None:
        """Nothing."""
