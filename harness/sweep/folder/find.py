"""Finding sweeps and trials by what people have of them: a folder, a hash, an MLflow run id, a rank, a name."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from harness.core.errors import HarnessError, nearest
from harness.sweep.folder.latest_sweep import latest
from harness.sweep.folder.lock import LOCK
from harness.sweep.folder.result import SweepResult

log = logging.getLogger(__name__)

SHORTEST = 6  # digits of a hash that name a trial


def find_trial(
    text: str, runs: Path, sweep: Path | None, locate: Callable[[str], tuple[str, str]]
) -> tuple[SweepResult, int]:
    """The sweep that holds the trial, and the trial's row in its leaderboard.

    text: a trial's hash (or its first digits), an MLflow run id (``locate`` gives the sweep's name and the
    trial's hash), a rank of the leaderboard, or the trial's name. sweep: where to look; None looks in all sweeps of
    ``runs``, the latest first.
    """
    wanted = text.strip()
    if re.fullmatch("[0-9a-f]{32}", wanted):
        name, wanted = locate(wanted)
        sweep = runs / "sweeps" / Path(name).name
    folders = [sweep] if sweep else list(_folders(runs))
    known: list[str] = []
    for number, folder in enumerate(folders):
        result = SweepResult(folder)
        names = [str(name) for name in result.trials["name"]]
        known += names
        hashes = [str(key) for key in result.trials["trial"]]
        places = [place for place, key in enumerate(hashes) if len(wanted) >= SHORTEST and key.startswith(wanted)]
        if number == 0 and wanted.isdigit() and 1 <= int(wanted) <= len(names):
            places = places or [int(wanted) - 1]
        places = places or [place for place, name in enumerate(names) if name == wanted]
        if places:
            return result, places[0]
    raise HarnessError(
        f"trial {wanted} is in none of {len(folders)} sweeps{nearest(wanted, known)}; give a trial's hash, an MLflow "
        "run id, a rank of the latest leaderboard, or a name as tables show it"
    )


def _folders(runs: Path) -> Iterator[Path]:
    """All sweeps, the latest first."""
    first = latest(runs)
    yield first
    for path in sorted((runs / "sweeps").glob("*/trials.parquet")):
        if path.parent != first:
            yield path.parent


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
