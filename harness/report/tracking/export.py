"""Tracking: copies of finished sweep folders in an experiment tracker.

The folder of a sweep (``runs/sweeps/NAME``) is authoritative. An export may be repeated: existing
runs do not change, and missing ones are added.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from omegaconf import DictConfig

from harness.core.configuration.conf_files import strategy
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.stored_strategy import NAME
from harness.core.errors import HarnessError
from harness.core.table import counted
from harness.sweep.folder.inventory import choose, finished
from harness.sweep.folder.result import SweepResult


@runtime_checkable
class Tracking(Protocol):
    """A destination for copies of finished folders."""

    @property
    def destination(self) -> str | None:
        """The destination of copies, without secrets; None for none."""
        ...

    def export(self, folder: Path) -> str:
        """Update the copy of a sweep; return its page, relative to the tracker's address.

        Raises only HarnessError, if the tracker cannot be reached or refuses.
        """
        ...

    def address(self, page: str, runs: Path) -> str:
        """Return the page as a link, or the command that opens it; runs: the
        folder of the sweeps.
        """
        ...

    def check(self) -> str:
        """Return a line that the tracker answers; raise HarnessError if it does not."""
        ...


def tracker_of(folder: Path, config: DictConfig, typed: bool) -> Tracking:
    """Return the tracker of a command: none for a sweep with tracking=none, unless another was
    typed.
    """
    if not typed and untracked(folder):
        return cast("Tracking", strategy("tracking", "none"))
    return cast("Tracking", instantiate(config.tracking))


def describe_tracker(config: DictConfig) -> Iterator[str]:
    """Yield lines for `harness doctor`: the tracker, and whether it answers."""
    tracking: Tracking = instantiate(config.tracking)
    if not tracking.destination:
        yield "none: finished folders are not copied"
        return
    yield tracking.destination
    try:
        yield tracking.check()
    except HarnessError as error:
        yield f"WARNING: {error}"


def track(tracking: Tracking, folder: Path) -> None:
    """Export a sweep; log one line if the tracker cannot be reached."""
    try:
        page = tracking.export(folder)
        print(f"tracked: {tracking.address(page, folder.parent.parent)}", file=sys.stderr)
    except HarnessError as error:
        print(f"not tracked: {error}; results are kept, `harness ui` exports them", file=sys.stderr)


def tracked(runs: Path, sweep: object) -> list[Path]:
    """Return the sweeps to track: the named ones, or ``all`` below ``runs``, the oldest first.

    Sweeps with tracking=none are left out of ``all``, and their number is logged.
    """
    if sweep != "all":
        return choose(runs, sweep)
    sweeps = finished(runs)
    if alone := [path for path in sweeps if untracked(path)]:
        message = f"`harness ui sweep={alone[-1].name}` shows the newest of them"
        if len(alone) == len(sweeps):
            raise HarnessError(f"{runs}: every sweep there was made with tracking=none; {message}")
        print(
            f"left out: {counted(len(alone), 'sweep')} made with tracking=none; {message}",
            file=sys.stderr,
        )
    return [path for path in sweeps if path not in alone]


def untracked(folder: Path) -> bool:
    """Return whether a sweep was made with tracking=none, which also holds for later commands."""
    try:
        settings = SweepResult(folder).config.get("tracking") or {}
    except HarnessError:
        return False  # its reader reports the error
    return str(settings.get(NAME)) == "tracking/none"


def update(tracking: Tracking, runs: Path, sweep: object = "all") -> list[str]:
    """Export all finished sweeps (see ``tracked``); return the pages, the oldest first.

    Failures are logged. Raises HarnessError if there is nothing to export or no tracker answers.
    """
    folders = tracked(runs, sweep)
    if not folders:
        raise HarnessError(
            f"{runs}: no sweep to show is there yet; run `harness sweep` first, or set "
            "paths.runs=DIR"
        )
    tracking.check()
    return export_all(tracking, folders)


def export_all(tracking: Tracking, folders: Sequence[Path]) -> list[str]:
    """Export each sweep and return the pages; failures are logged, and the others continue."""
    pages: list[str] = []
    for folder in folders:
        try:
            pages.append(tracking.export(folder))
        except HarnessError as error:
            print(f"not tracked: {folder.name}: {error}", file=sys.stderr)
    return pages
