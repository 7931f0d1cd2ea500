"""Tracking: an experiment tracker's copy of what stands in finished folders.

The folder of a sweep (``runs/sweeps/NAME``) or of answers is the truth. An export may be repeated at any time: what the
tracker already holds is left as it is, what an interrupted export left out is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from harness.core.identity import file_sha256


@dataclass(frozen=True)
class Export:
    """What a tracker shall hold.

    path: the folder of a sweep, or the file that `harness answer` keeps.    report: the folder of a report on the
    sweep, with the SHA-256 of its ``report.tex``: a folder that holds another report by now is not attached.
    """

    path: Path
    report: Path | None = None
    report_sha256: str | None = None

    @classmethod
    def with_report(cls, path: Path, report: Path) -> Export:
        """The sweep with the report that stands in the folder now."""
        return cls(path.resolve(), report.resolve(), file_sha256(report / "report.tex"))

    @property
    def has_report(self) -> bool:
        """Whether the report's folder still holds that report."""
        document = self.report / "report.tex" if self.report else None
        return document is not None and document.is_file() and file_sha256(document) == self.report_sha256


@runtime_checkable
class Tracking(Protocol):
    """A place that holds copies of finished folders."""

    @property
    def destination(self) -> str | None:
        """Where copies go, without secrets; None for nowhere."""
        ...

    def export(self, export: Export) -> str:
        """Bring the copy up to date; returns the address where a person sees it.

        Raises HarnessError, and nothing else, when the tracker cannot be reached or refuses.
        """
        ...

    def check(self) -> str:
        """A line that says that the tracker answers; HarnessError when it does not."""
        ...

    def locate(self, run: str) -> tuple[str, str]:
        """The sweep's name and the trial's hash of one of the tracker's runs; of a sweep's own run, its winner."""
        ...
