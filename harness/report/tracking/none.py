"""No tracking: the sweep's folder is all there is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Untracked:
    """Exports nothing."""

    destination = None

    def export(self, folder: Path) -> str:
        """Nothing."""
        return ""

    def address(self, page: str, runs: Path) -> str:
        """Nowhere."""
        return ""

    def check(self) -> str:
        """Nothing to reach."""
        return "no tracker"
