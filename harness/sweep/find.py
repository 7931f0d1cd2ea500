"""Finding a trial by what people have of it: its hash, an MLflow run id, a rank, a name in a table."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from harness.errors import HarnessError, nearest
from harness.sweep.result import SweepResult, latest

SQLITE = "sqlite:///"
SHORTEST = 6  # digits of a hash that name a trial


def found(text: str, runs: Path, sweep: Path | None, uri: str | None) -> tuple[SweepResult, int]:
    """The sweep that holds the trial, and the trial's row in its leaderboard.

    text: a trial's hash (or its first digits), an MLflow run id (``uri`` names MLflow's database), a rank of the
    leaderboard, or the trial's name. sweep: where to look; None looks in all sweeps of ``runs``, the latest first.
    """
    wanted = text.strip()
    if re.fullmatch("[0-9a-f]{32}", wanted):
        name, wanted = _tracked(wanted, uri)
        sweep = runs / "sweeps" / name
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


def _tracked(run: str, uri: str | None) -> tuple[str, str]:
    """The sweep's name and the trial's hash of an MLflow run; of a sweep's own run, its winner."""
    path = Path((uri or "").removeprefix(SQLITE))
    if not (uri or "").startswith(SQLITE) or not path.is_file():
        raise HarnessError(f"{run} looks like an MLflow run id, but there is no MLflow database at tracking.uri={uri}")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tags = dict(database.execute("select key, value from tags where run_uuid = ?", (run,)))
    if "sweep" not in tags:
        raise HarnessError(f"{path}: MLflow has no run {run} of a sweep or a trial")
    return tags["sweep"], tags.get("trial") or tags.get("winner", "")
