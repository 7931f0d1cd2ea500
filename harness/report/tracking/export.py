"""Tracking: an experiment tracker's copy of finished sweep folders.

The folder of a sweep (``runs/sweeps/NAME``) is the truth. An export may be repeated at any time:
what the tracker already holds is left as it is, what an interrupted export left out is added.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from omegaconf import DictConfig

from harness.core.configuration import NAME, instantiate, strategy
from harness.core.errors import HarnessError
from harness.core.table import counted
from harness.sweep.folder import SweepResult, choose, finished


@runtime_checkable
class Tracking(Protocol):
    """A place that holds copies of finished folders."""

    @property
    def destination(self) -> str | None:
        """Where copies go, without secrets; None for nowhere."""
        ...

    def export(self, folder: Path) -> str:
        """Bring the copy of a sweep up to date; returns the page of it, which follows the tracker's
        address.

        Raises HarnessError, and nothing else, when the tracker cannot be reached or refuses.
        """
        ...

    def address(self, page: str, runs: Path) -> str:
        """A page as a person opens it: a link, or what to type. runs: the folder that holds the
        sweeps.
        """
        ...

    def check(self) -> str:
        """A line that says that the tracker answers; HarnessError when it does not."""
        ...


def tracker_of(folder: Path, config: DictConfig, typed: bool) -> Tracking:
    """The tracker of a command about a sweep: none, where that was made with tracking=none and no
    other was typed.
    """
    none = not typed and untracked(folder)
    return cast("Tracking", strategy("tracking", "none") if none else instantiate(config.tracking))


def describe_tracker(config: DictConfig) -> Iterator[str]:
    """Lines for `harness doctor`: which tracker holds, and whether it answers."""
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
    """Export a sweep; when the tracker cannot be reached, one line on standard error says so."""
    try:
        page = tracking.export(folder)
        print(f"tracked: {tracking.address(page, folder.parent.parent)}", file=sys.stderr)
    except HarnessError as error:
        print(f"not tracked: {error}; results are kept, `harness ui` exports them", file=sys.stderr)


def tracked(runs: Path, sweep: object) -> list[Path]:
    """The sweeps that a tracker shall hold: those that are named, or ``all`` below ``runs``, the
    oldest first.

    Of all, those that were made with tracking=none are left out, and counted on standard error.
    """
    if sweep != "all":
        return choose(runs, sweep)
    found = finished(runs)
    if alone := [path for path in found if untracked(path)]:
        told = f"`harness ui sweep={alone[-1].name}` shows the newest of them"
        if len(alone) == len(found):
            raise HarnessError(f"{runs}: every sweep there was made with tracking=none; {told}")
        print(
            f"left out: {counted(len(alone), 'sweep')} made with tracking=none; {told}",
            file=sys.stderr,
        )
    return [path for path in found if path not in alone]


def untracked(folder: Path) -> bool:
    """Whether a sweep was made with tracking=none, which holds for all that follows from it."""
    try:
        given = SweepResult(folder).config.get("tracking") or {}
    except HarnessError:
        return False  # who reads it says what is wrong
    return str(given.get(NAME)) == "tracking/none"


def update(tracking: Tracking, runs: Path, sweep: object = "all") -> list[str]:
    """Export all that is finished (see ``tracked``); the pages, the oldest first.

    What cannot be exported is said on standard error. Raises HarnessError where there is nothing or
    no tracker answers.
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
    """Export each; returns their pages. What cannot be exported is said on standard error, and the
    others go on.
    """
    pages: list[str] = []
    for folder in folders:
        try:
            pages.append(tracking.export(folder))
        except HarnessError as error:
            print(f"not tracked: {folder.name}: {error}", file=sys.stderr)
    return pages
