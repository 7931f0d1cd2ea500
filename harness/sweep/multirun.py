"""The sweeps of one multirun (``harness sweep -m encoder=a,b``) side by side, whichever launcher ran them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from hydra.experimental.callback import Callback

from harness.core.table import Column, Table, counted
from harness.evaluation.statistic import holm_ps
from harness.sweep.folder.result import SweepResult, differing

if TYPE_CHECKING:
    from omegaconf import DictConfig

VARIABLE = "HARNESS_MULTIRUN"
"""The environment variable by which jobs know their multirun: launchers hand it on."""


def note(result: SweepResult, runs: Path) -> None:
    """In a job of a multirun, note which sweep it made."""
    if name := os.environ.get(VARIABLE):
        place = _place(runs, name)
        place.mkdir(parents=True, exist_ok=True)
        (place / result.folder.name).touch()


def joint_table(results: Sequence[SweepResult]) -> Table:
    """A row a sweep: the parameters that differ, its lists and its winner on tune, the correction.

    Best first, by the better of winner and best list. Holm p is over the trials of all these sweeps, each against the
    reference list of its own.
    """
    ps = [result.trials["p"].dropna().to_numpy(dtype=float) for result in results]
    corrected = iter(np.split(holm_ps(np.concatenate(ps)), np.cumsum([len(own) for own in ps])[:-1]))
    rows = []
    for result, given in zip(results, differing(results), strict=True):
        view, objective = result.whole, str(result.manifest["objective"])
        own = dict(zip(result.trials["trial"][result.trials["p"].notna()], next(corrected).tolist(), strict=True))
        single = {row["name"]: row[objective] for row in result.lock["baselines"] if row["family"] == "single"}
        best, winner = result.lock.get("best_single"), view.rows[view.winner_place]
        rows.append(
            [*given.values(), result.manifest["n"], single.get(view.reference), best, single.get(best),
             view.winner_name, view.score(winner), winner["wins"], winner["losses"], winner["p"],
             own.get(winner["trial"]), result.folder.name]
        )  # fmt: skip
    names = list(differing(results)[0])
    first = len(names)
    rows.sort(key=lambda row: (-max(row[first + 5], row[first + 3] or 0), row[-1]))
    columns = [*(Column(name, "text") for name in names), Column("n", "count"), Column("reference %"),
               Column("best list", "text"), Column("its %"), Column("winner", "text"), Column("its %"),
               Column("W", "count"), Column("L", "count"), Column("p", "p"), Column("Holm p", "p"),
               Column("folder", "text")]  # fmt: skip
    objectives = ", ".join(dict.fromkeys(str(result.manifest["objective"]) for result in results))
    trials = sum(len(result.trials) for result in results)
    title = (
        f"{counted(len(results), 'sweep')}, {objectives} on tune, best first; W, L: against the sweep's reference; p: "
        f"raw, exact McNemar by query; Holm p: over the {trials} trials of all these sweeps"
    )
    return Table("multirun", title, columns, rows)


class JointTable(Callback):
    """Hydra's callback: prints the joint table when the last job has ended, and the folders, one a line."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Name the multirun for its jobs."""
        os.environ[VARIABLE] = uuid.uuid4().hex

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """Print what the jobs made; nothing where they made no sweep (a dry run)."""
        runs = Path(config.paths.runs)
        place = _place(runs, os.environ.pop(VARIABLE))
        names = sorted(path.name for path in place.glob("*"))
        if names:
            results = [SweepResult(runs / "sweeps" / name) for name in names]
            print(joint_table(results).text(), *(result.folder for result in results), sep="\n")


def _place(runs: Path, name: str) -> Path:
    return runs / "multirun" / name
