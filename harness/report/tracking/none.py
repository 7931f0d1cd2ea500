"""No tracking: the sweep's folder is all there is."""

from __future__ import annotations

from dataclasses import dataclass

from harness.core.errors import HarnessError
from harness.report.tracking import Export


@dataclass(frozen=True)
class Untracked:
    """Exports nothing."""

    destination = None

    def export(self, export: Export) -> str:
        """Nothing."""
        return ""

    def check(self) -> str:
        """Nothing to reach."""
        return "no tracker"

    def locate(self, run: str) -> tuple[str, str]:
        """There are no runs."""
        raise HarnessError(f"{run} looks like an MLflow run id, but tracking=none keeps no runs; use tracking=mlflow")
