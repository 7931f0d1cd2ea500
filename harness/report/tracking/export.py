"""Tracking: an experiment tracker's copy of finished sweep folders.

The folder of a sweep (``runs/sweeps/NAME``) is the truth. An export may be repeated at any time: what the tracker
already holds is left as it is, what an interrupted export left out is added.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from omegaconf import DictConfig

from harness.core.configuration import instantiate
from harness.core.errors import HarnessError
from harness.sweep.folder import LOCK


@runtime_checkable
class Tracking(Protocol):
    """A place that holds copies of finished folders."""

    @property
    def destination(self) -> str | None:
        """Where copies go, without secrets; None for nowhere."""
        ...

    def export(self, folder: Path) -> str:
        """Bring the copy of a sweep up to date; returns the address where a person sees it.

        Raises HarnessError, and nothing else, when the tracker cannot be reached or refuses.
        """
        ...

    def check(self) -> str:
        """A line that says that the tracker answers; HarnessError when it does not."""
        ...


def tracker(config: DictConfig) -> Tracking:
    """The tracker of ``config.tracking``."""
    return cast("Tracking", instantiate(config.tracking))


def describe(config: DictConfig) -> Iterator[str]:
    """Lines for `harness doctor`: which tracker holds, and whether it answers."""
    tracking = tracker(config)
    if not tracking.destination:
        yield "none: finished folders are not copied"
        return
    yield tracking.destination
    try:
        yield tracking.check()
    except HarnessError as error:
        yield f"WARNING: {error}"


def track(tracking: Tracking, folder: Path) -> None:
    """Export a sweep; when the tracker cannot be reached, one line on standard error says so."""
    if not tracking.destination:
        return
    try:
        print(f"tracked: {tracking.export(folder)}", file=sys.stderr)
    except HarnessError as error:
        print(f"not tracked: {error}; results are kept, `harness track` exports them", file=sys.stderr)


def finished(runs: Path, sweep: str | Sequence[str]) -> list[Path]:
    """The sweeps that a tracker shall hold: given folders, or ``all`` below ``runs``, the oldest first."""
    if sweep != "all":
        return [Path(one) for one in ([sweep] if isinstance(sweep, str) else sweep)]
    found = [path.parent for path in (runs / "sweeps").glob(f"*/{LOCK}")]
    return sorted(found, key=lambda path: (path.stat().st_mtime, path))


def export_all(tracking: Tracking, folders: Sequence[Path]) -> list[str]:
    """Export each; returns their links. What cannot be exported is said on standard error, and the others go on."""
    links: list[str] = []
    for folder in folders:
        try:
            links.append(tracking.export(folder))
        except HarnessError as error:
            print(f"not tracked: {folder.name}: {error}", file=sys.stderr)
    return links
