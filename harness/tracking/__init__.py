"""Tracking: telling an experiment tracker what a sweep and its held-out run found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from harness.sweep.result import SweepResult


@runtime_checkable
class Tracking(Protocol):
    """Every method may be called again with the same result, from any thread, and changes nothing then."""

    def prepare(self) -> None:
        """Open the tracker ahead of time: MLflow takes seconds to import, so call this while trials are scored."""
        ...

    def log_sweep(self, result: SweepResult) -> str | None:
        """Log a sweep and all its trials; the tracker's id of the sweep."""
        ...

    def log_heldout(self, result: SweepResult) -> str | None:
        """Log the held-out rows of a sweep below it; the tracker's id of that evaluation."""
        ...

    def log_report(self, result: SweepResult, folder: Path) -> None:
        """Attach the tables and figures of a report folder to the sweep."""
        ...

    def log_answers(self, found: Mapping[str, Any]) -> str | None:
        """Log what `harness answer` found (``harness.report.answers.result``); the tracker's id of it."""
        ...
