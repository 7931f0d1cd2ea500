"""The sweeps of one multirun (``harness sweep -m encoder=a,b``) side by side, whichever launcher ran them."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.experimental.callback import Callback

from harness.core.table import Column, Table
from harness.sweep.folder.result import SweepResult

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


def joint_table(results: list[SweepResult]) -> Table:
    """A row a sweep: what was varied, the objective of the reference, of the best single list and of the winner."""
    rows = []
    for result in results:
        winner, objective = result.lock["winner"], str(result.manifest["objective"])
        single = {row["name"]: row[objective] for row in result.lock["baselines"] if row["family"] == "single"}
        best = result.lock.get("best_single")
        rows.append(
            [result.title, result.manifest["n"], single.get(result.reference), best, single.get(best), winner["name"],
             winner[objective], winner.get("wins"), winner.get("losses"), winner.get("p"), result.folder.name]
        )  # fmt: skip
    columns = [Column("sweep", "text"), Column("n", "count"), Column("reference %"), Column("best list", "text"),
             Column("its %"), Column("winner", "text"), Column("its %"), Column("wins", "count"),
             Column("losses", "count"), Column("p", "p"), Column("folder", "text")]  # fmt: skip
    objectives = ", ".join(dict.fromkeys(str(result.manifest["objective"]) for result in results))
    return Table("multirun", f"{len(results)} sweeps, {objectives} on tune", columns, rows)


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
