"""The sweeps of a runs folder."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from harness.core.configuration.stored_strategy import leaves
from harness.core.errors import HarnessError, MissingFile
from harness.core.table import Column, Table, counted
from harness.sweep.folder.lock import LOCK, locked_winner
from harness.sweep.folder.result import SweepResult, differing


def sweeps(runs: Path, evaluated: Collection[str] = ()) -> Table:
    """Return a row for each sweep: its name, which has the benchmark, trials, winner, evaluation.

    Parameters are the typed overrides in which sweeps of the benchmark differ, or all of a sweep.

    Args:
        runs: the runs folder.
        evaluated: hashes of the locks in the ledger.
    """
    sweep_results = results(runs)
    parameters = _parameters(sweep_results)
    rows: list[list[object]] = []
    for result in sweep_results:
        try:
            held_out, trials = _held_out(result, evaluated), len(result.trials)
            facts = [parameters[result.folder], trials, locked_winner(result.lock), held_out]
        except HarnessError as error:
            facts = ["", None, f"cannot be read: {error}", ""]
        rows.append([result.folder.name, *facts])
    columns = [
        Column("sweep", "text"),
        Column("parameters", "text"),
        Column("trials", "count"),
        Column("winner", "text"),
        Column("held out", "text"),
    ]
    return Table("sweeps", f"{counted(len(rows), 'sweep')} in {runs / 'sweeps'}", columns, rows)


def _parameters(sweep_results: Sequence[SweepResult]) -> dict[Path, str]:
    """Return the parameters of each sweep that can be read, by its folder."""
    groups: dict[str, list[SweepResult]] = {}
    for result in sweep_results:
        with contextlib.suppress(HarnessError):
            _ = result.given
            groups.setdefault(str(result.manifest["dataset"]), []).append(result)
    parameters: dict[Path, str] = {}
    for group in groups.values():
        for result, settings in zip(group, differing(group), strict=True):
            typed = {name: value for name, value in result.given.items() if name != "dataset"}
            shown = {name: value for name, value in settings.items() if value} or typed
            text = " ".join(f"{name}={value}" for name, value in shown.items())
            parameters[result.folder] = text or "none typed"
    return parameters


def _held_out(result: SweepResult, evaluated: Collection[str]) -> str:
    """Return whether a sweep was held out, by its own files or by the ledger."""
    if result.heldout:
        return f"evaluation {result.heldout[0]['evaluation']}"
    return "its files are gone" if result.lock["sha256"] in evaluated else "no"


def results(runs: Path) -> list[SweepResult]:
    """Return the finished sweeps by name; none is read yet."""
    return [SweepResult(path.parent) for path in sorted((runs / "sweeps").glob("*/trials.parquet"))]


log = logging.getLogger(__name__)


def latest(runs: Path) -> Path:
    """Return the folder of the sweep that this user finished last; without one, the only sweep.

    Raises:
        HarnessError: there is no sweep, or there are several of other users.
    """
    folders = finished(runs)
    of_this_user = [folder for folder in folders if (folder / LOCK).stat().st_uid == os.getuid()]
    if of_this_user or len(folders) == 1:
        return (of_this_user or folders)[-1]
    fault = "there is no sweep yet; run `harness sweep` first"
    if folders:
        fault = (
            f"{len(folders)} sweeps, all of other users; choose one of `harness list` with sweep="
        )
    raise HarnessError(f"{runs / 'sweeps'}: {fault}")


def finished(runs: Path) -> list[Path]:
    """Return the folders of all sweeps with a lock, the oldest first."""
    folders = [path.parent for path in (runs / "sweeps").glob(f"*/{LOCK}")]
    return sorted(folders, key=lambda path: ((path / LOCK).stat().st_mtime_ns, path))


def choose(runs: Path, sweep: object) -> list[Path]:
    """Return the folders of the requested sweeps.

    Args:
        runs: the runs folder.
        sweep: the name of a sweep in ``runs``, a folder, or the path of its lock; several of these;
            or None, the latest.
    """
    if sweep is None:
        return [latest(runs)]
    requested = sweep if isinstance(sweep, Sequence) and not isinstance(sweep, str) else [sweep]
    names = [re.sub(rf"(?:^|/){LOCK}$", "", str(name)) or "." for name in requested if name != ""]
    below = runs / "sweeps"
    if len(names) < max(len(requested), 1) or not all(
        (below / name).exists() or Path(name).exists() for name in names
    ):
        raise HarnessError(
            f"sweep={sweep if requested else '[]'} names no sweep; give a name (`harness list` "
            "has them) or a folder, or leave it out for the latest"
        )
    return [below / name if (below / name).is_dir() else Path(name) for name in names]


def choose_one(runs: Path, sweep: object) -> Path:
    """Return the folder of the requested sweep (see ``choose``)."""
    folders = choose(runs, sweep)
    if len(folders) > 1:
        raise HarnessError(f"sweep={sweep}: expected one sweep, got {len(folders)}")
    return folders[0]


@contextlib.contextmanager
def name_origin(folder: Path) -> Iterator[None]:
    """Add to errors over missing files that the configuration of a sweep names a relative path."""
    try:
        yield
    except MissingFile as error:
        relative = not Path(error.given).expanduser().is_absolute()
        if relative and error.given in (
            str(value) for _, value in leaves(SweepResult(folder).config)
        ):
            error.args = (
                f"{error}; {error.given} is relative to the folder that the sweep was made in: run "
                "it there, or sweep again with an absolute path",
            )
        raise


def newest(runs: Path, sweep: object) -> dict[str, SweepResult]:
    """Return the requested sweeps by title.

    Args:
        runs: the runs folder.
        sweep: as in ``choose``, or ``all``: the last locked sweep of each title. With ``all``,
            damaged sweeps are left out and a warning names file and reason.
    """
    folders = {path for path in (runs / "sweeps").glob("*") if path.is_dir()}
    latest: dict[tuple[str, str | None], SweepResult] = {}
    if sweep == "all":
        for folder in (*sorted(folders - {*finished(runs)}), *finished(runs)):
            try:
                result = SweepResult(folder)
                result.check()
                latest[result.title, result.given.get("dataset.path")] = result
            except HarnessError as error:
                log.warning("left out: %s", error)
        if not latest:
            raise HarnessError(
                f"{runs / 'sweeps'}: none of {len(folders)} sweeps can be read; run `harness "
                "sweep` first"
            )
    chosen = latest.values() if sweep == "all" else map(SweepResult, choose(runs, sweep))
    by_title: dict[str, SweepResult] = {}
    for result in chosen:
        title = result.title
        by_title[f"{title} {result.folder.name}" if title in by_title else title] = result
    return {title: by_title[title] for title in sorted(by_title)}
