"""No tracking: only the sweep's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Untracked:
    """A tracker that exports nothing."""

    destination = None

    def export(self, folder: Path) -> str:
        """Return ""."""
        return ""

    def address(self, page: str, runs: Path) -> str:
        """Return ""."""
        return ""

    def check(self) -> str:
        """Return a line that there is no tracker."""
        return "no tracker"
