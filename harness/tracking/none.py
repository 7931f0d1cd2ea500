"""No tracking: the sweep's folder is all there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

    def log_answers(self, found: Mapping[str, Any]) -> None:
        """Nothing."""
