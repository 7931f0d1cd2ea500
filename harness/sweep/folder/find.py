"""The sweeps that a command is asked for: a folder, several, all, or the latest."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from harness.core.errors import HarnessError
from harness.sweep.folder.latest_sweep import latest
from harness.sweep.folder.lock import LOCK
from harness.sweep.folder.result import SweepResult

log = logging.getLogger(__name__)


def newest(runs: Path, sweep: str | Sequence[str] | None) -> dict[str, SweepResult]:
    """The sweeps that a command is asked for, by title.

    sweep: a folder, several, ``all`` (of each title the one that was locked last), or None, the latest one. Of ``all``
    those that are damaged are left out, with a warning that names file and reason.
    """
    if sweep == "all":
        return _newest_whole(runs)
    folders = [latest(runs)] if sweep is None else [Path(sweep)] if isinstance(sweep, str) else [*map(Path, sweep)]
    found: dict[str, SweepResult] = {}
    for result in map(SweepResult, folders):
        found[f"{result.title} {result.folder.name}" if result.title in found else result.title] = result
    return {title: found[title] for title in sorted(found)}


def _newest_whole(runs: Path) -> dict[str, SweepResult]:
    found: dict[str, tuple[int, SweepResult]] = {}
    folders = sorted(path for path in (runs / "sweeps").glob("*") if path.is_dir())
    for folder in folders:
        try:
            result = SweepResult(folder)
            result.check()
        except HarnessError as error:
            log.warning("left out: %s", error)
            continue
        age = (folder / LOCK).stat().st_mtime_ns
        found[result.title] = max((age, result), found.get(result.title, (age, result)), key=lambda pair: pair[0])
    if not found:
        raise HarnessError(f"{runs / 'sweeps'}: none of {len(folders)} sweeps can be read; run `harness sweep` first")
    return {title: found[title][1] for title in sorted(found)}
