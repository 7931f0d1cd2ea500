"""Which sweeps a command is about: those of ``sweep=``; without it the last one of this user in this working folder."""

from __future__ import annotations

import getpass
import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from harness.core.errors import HarnessError
from harness.core.files import locked, remove_partials, write_text
from harness.sweep.folder.lock import LOCK
from harness.sweep.folder.result import SweepResult

log = logging.getLogger(__name__)

POINTER = "latest"
"""The file beside the sweeps: a line for each user and working folder, tab-separated, the last sweep at the end."""


def remember(folder: Path) -> None:
    """Note that the sweep in ``folder`` is the last one of this user in this working folder."""
    pointer = folder.parent / POINTER
    with locked(pointer.with_suffix(".lock")):
        remove_partials(folder.parent, f"{POINTER}.*.partial")
        others = [line for line in _lines(pointer) if line[1:] != _here()]
        write_text(pointer, "".join("\t".join(line) + "\n" for line in [*others, [folder.name, *_here()]]))


def latest(runs: Path) -> Path:
    """The folder of the last sweep below ``runs/sweeps`` of this user in this working folder.

    Where there is none, that of the only other user or folder that has one, or the only sweep that is there (it was
    copied here). Raises HarnessError when there is no sweep, or when several others have one.
    """
    lines = _lines(runs / "sweeps" / POINTER)
    if not lines and len(found := [path.parent for path in runs.glob(f"sweeps/*/{LOCK}")]) == 1:
        return found[0]
    if not lines:
        raise HarnessError(
            f"{runs / 'sweeps'}: there is no sweep yet; run `harness sweep` first, or choose one of "
            "`harness list` with sweep="
        )
    own = [line for line in lines if line[1:] in ([], _here())] or (lines if len(lines) == 1 else [])
    if not own:
        others = "; ".join(f"{name} (by {' in '.join(who)})" for name, *who in lines)
        raise HarnessError(f"no sweep was run from this folder, and several from others: {others}; choose with sweep=")
    return runs / "sweeps" / own[-1][0]


def named_or_latest(config: DictConfig) -> Path:
    """The folder of the sweep in the key ``sweep``, a name below ``paths.runs`` or a folder; without it the latest."""
    runs = Path(config.paths.runs)
    if OmegaConf.is_missing(config, "sweep"):
        return latest(runs)
    named = runs / "sweeps" / str(config.sweep)
    return named if named.is_dir() else Path(config.sweep)


def newest(runs: Path, sweep: str | Sequence[str] | None) -> dict[str, SweepResult]:
    """The sweeps that a command is asked for, by title.

    sweep: a folder, several, ``all`` (of each title the one that was locked last), or None, the latest one. Of ``all``
    those that are damaged are left out, with a warning that names file and reason.
    """
    if sweep == "all":
        return _newest_whole(runs)
    folders = [latest(runs)] if sweep is None else [Path(sweep)] if isinstance(sweep, str) else [*map(Path, sweep)]
    if not folders:
        raise HarnessError("sweep=[] names no sweep; give a folder, several, `all`, or leave it out for the latest")
    return _titled(map(SweepResult, folders))


def _titled(results: Iterable[SweepResult]) -> dict[str, SweepResult]:
    """By title; one whose title another has, too, by its folder as well."""
    found: dict[str, SweepResult] = {}
    for result in results:
        found[f"{result.title} {result.folder.name}" if result.title in found else result.title] = result
    return {title: found[title] for title in sorted(found)}


def _newest_whole(runs: Path) -> dict[str, SweepResult]:
    found: dict[tuple[str, str | None], tuple[int, SweepResult]] = {}
    folders = sorted(path for path in (runs / "sweeps").glob("*") if path.is_dir())
    for folder in folders:
        try:
            result = SweepResult(folder)
            result.check()
        except HarnessError as error:
            log.warning("left out: %s", error)
            continue
        age = (folder / LOCK).stat().st_mtime_ns
        place = result.title, result.given.get("dataset.path")
        found[place] = max((age, result), found.get(place, (age, result)), key=lambda pair: pair[0])
    if not found:
        raise HarnessError(f"{runs / 'sweeps'}: none of {len(folders)} sweeps can be read; run `harness sweep` first")
    return _titled(result for _, result in found.values())


def _here() -> list[str]:
    try:
        return [getpass.getuser(), os.getcwd()]
    except (KeyError, OSError):  # a user id without a name
        return [str(os.getuid()), os.getcwd()]


def _lines(pointer: Path) -> list[list[str]]:
    if not pointer.is_file():
        return []
    return [line.split("\t") for line in pointer.read_text(encoding="utf-8", errors="replace").splitlines() if line]
