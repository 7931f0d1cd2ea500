"""The sweeps of a runs folder."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path

from harness.core.errors import HarnessError
from harness.core.table import Column, Table, counted
from harness.sweep.folder.caption import made_by
from harness.sweep.folder.result import SweepResult, differing


def sweeps(runs: Path, evaluated: Collection[str] = ()) -> Table:
    """Return a row for each sweep: name, benchmark, questions, trials, winner, evaluation, size.

    Parameters are the typed overrides in which sweeps of the benchmark differ.

    Args:
        runs: the runs folder.
        evaluated: hashes of the locks in the ledger.
    """
    rows, typed = [], _parameters(runs)
    for result in results(runs):
        folder = result.folder
        try:
            found = [
                str(result.manifest["dataset"]),
                typed[folder] or "as by default",
                ", ".join(made_by(result.manifest.get("lists") or {}, "encoder")),
                result.manifest["n"],
                len(result.trials),
                result.whole.winner_name,
            ]
            heldout = f"evaluation {result.heldout[0]['evaluation']}" if result.heldout else "no"
            heldout = (
                "its files are gone"
                if heldout == "no" and result.lock["sha256"] in evaluated
                else heldout
            )
        except HarnessError as error:
            found, heldout = ["", "", "", None, None, f"cannot be read: {error}"], ""
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        rows.append([folder.name, *found, heldout, f"{size / 1e6:.1f} MB"])
    columns = [
        Column("sweep", "text"),
        Column("benchmark", "text"),
        Column("parameters", "text"),
        Column("encoder", "text"),
        Column("questions", "count"),
        Column("trials", "count"),
        Column("winner", "text"),
        Column("held out", "text"),
        Column("size", "text"),
    ]
    return Table("sweeps", f"{counted(len(rows), 'sweep')} in {runs / 'sweeps'}", columns, rows)


def _parameters(runs: Path) -> dict[Path, str]:
    """Return by folder the overrides that not all readable sweeps of its benchmark have."""
    groups: dict[str, list[SweepResult]] = {}
    for result in results(runs):
        with contextlib.suppress(HarnessError):
            _ = result.given
            groups.setdefault(str(result.manifest["dataset"]), []).append(result)
    return {
        result.folder: " ".join(f"{name}={value}" for name, value in own.items() if value)
        for group in groups.values()
        for result, own in zip(group, differing(group), strict=True)
    }


def results(runs: Path) -> list[SweepResult]:
    """Return the finished sweeps by name; none is read yet."""
    return [SweepResult(path.parent) for path in sorted((runs / "sweeps").glob("*/trials.parquet"))]
