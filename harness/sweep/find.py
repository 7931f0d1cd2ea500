"""Finding a trial by what people have of it: its hash, an MLflow run id, a rank, a name in a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.core.errors import HarnessError, nearest
from harness.sweep.latest import latest
from harness.sweep.result import SweepResult

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
