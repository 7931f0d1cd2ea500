"""What a runs folder holds: its sweeps, and what no sweep needs any longer."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from harness.core.artifact import MANIFEST, PARTIAL, read_manifest
from harness.core.errors import HarnessError
from harness.core.files import dead_partials
from harness.core.identity import digest, record
from harness.core.table import Column, Table
from harness.sweep.folder.lock import LOCK
from harness.sweep.folder.result import SweepResult, differing

REBUILT = ("retrieve", "index", "encode", "extract", "graph", "ids", "read")
"""The stages whose artifacts are built again from data and models at hand; others may have been paid for."""
AGE = 3600
"""Seconds after which a part of a process that does not run here is taken for left: it may run on another machine."""


@dataclass(frozen=True)
class Leftover:
    """A folder or a file that nothing needs, and why."""

    path: Path
    why: str

    @property
    def size(self) -> int:
        """Bytes."""
        return size(self.path)


def size(folder: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    files = [folder] if folder.is_file() else [path for path in folder.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files)


def megabytes(count: int) -> str:
    """``12.3 MB``."""
    return f"{count / 1e6:.1f} MB"


def sweeps(runs: Path) -> Table:
    """A row a sweep: name, benchmark, queries, trials, winner, which evaluation of test there was, size.

    parameters: what was typed, as far as sweeps of the benchmark differ in it.
    """
    rows, typed = [], _parameters(runs)
    for folder in _folders(runs):
        result = SweepResult(folder)
        try:
            found = [
                str(result.manifest["dataset"]),
                typed[folder],
                result.manifest["n"],
                len(result.trials),
                result.whole.winner_name,
            ]
            heldout = f"evaluation {result.heldout[0]['evaluation']}" if result.heldout else "no"
        except HarnessError as error:
            found, heldout = ["", "", None, None, f"cannot be read: {error}"], ""
        rows.append([folder.name, *found, heldout, megabytes(size(folder))])
    columns = [
        Column("sweep", "text"), Column("benchmark", "text"), Column("parameters", "text"), Column("queries", "count"),
        Column("trials", "count"), Column("winner", "text"), Column("held out", "text"), Column("size", "text"),
    ]  # fmt: skip
    return Table("sweeps", f"{len(rows)} sweeps in {runs / 'sweeps'}", columns, rows)


def _parameters(runs: Path) -> dict[Path, str]:
    """By folder, what was typed for it and not for all readable sweeps of its benchmark."""
    groups: dict[str, list[SweepResult]] = {}
    for result in map(SweepResult, _folders(runs)):
        with contextlib.suppress(HarnessError):
            _ = result.given
            groups.setdefault(str(result.manifest["dataset"]), []).append(result)
    return {
        result.folder: " ".join(f"{name}={value}" for name, value in own.items() if value)
        for results in groups.values()
        for result, own in zip(results, differing(results), strict=True)
    }


def leftovers(runs: Path) -> Iterator[Leftover]:
    """What can go: parts of dead processes, sweeps without a lock, and artifacts that no locked sweep stands on."""
    needed = _needed(runs)
    for path in dead_partials(runs, "**/*.partial"):
        within = any(folder.suffix == PARTIAL for folder in path.relative_to(runs).parents)
        if not within and time.time() - path.stat().st_mtime > AGE:
            yield Leftover(path, "left by a process that has ended")
    for path in sorted((runs / "artifacts").glob("*/*")):
        if path.suffix == PARTIAL and not _held(path.with_suffix(".lock")):
            yield Leftover(path, "left by a process that has ended")
        elif path.is_dir() and path.suffix != PARTIAL and path.parent.name in REBUILT and not needed.holds(path):
            yield Leftover(path, "no locked sweep uses it")
    for path in sorted((runs / "sweeps").glob("*")):
        if path.is_dir() and not (path / LOCK).is_file() and not _held(path.with_suffix(".lock")):
            yield Leftover(path, "a sweep that ended before its lock was written")


def remove(found: Leftover) -> None:
    """Delete it."""
    if found.path.is_file():
        found.path.unlink()
    else:
        shutil.rmtree(found.path)


@dataclass(frozen=True)
class _Needed:
    """What locked sweeps stand on: the hashes of their data, and the digests of their strategies."""

    data: frozenset[str]
    strategies: frozenset[str]

    def holds(self, artifact: Path) -> bool:
        manifest = read_manifest(artifact / MANIFEST)
        if manifest is None:
            return True  # not ours to judge
        data = manifest.get("inputs", {}).get("benchmark")
        if data is not None and data not in self.data:
            return False
        return not (own := _outermost(record(manifest["config"]))) or not own.isdisjoint(self.strategies)


def _needed(runs: Path) -> _Needed:
    data, strategies = set(), set()
    for folder in _folders(runs):
        if (folder / LOCK).is_file():
            manifest = SweepResult(folder).manifest
            data.add(str(manifest["data_sha256"]))
            strategies |= _strategies(record(manifest.get("lists")))
    return _Needed(frozenset(data), frozenset(strategies))


def _outermost(config: Mapping[str, Any]) -> set[str]:
    """Digests of the strategies of an artifact's configuration, without those within them."""
    if "class" in config:
        return {digest(config)}
    return set().union(*(_outermost(item) for item in config.values() if isinstance(item, Mapping)))


def _strategies(value: Any) -> set[str]:
    """Digests of all strategies of a configuration, those within others too."""
    if isinstance(value, Mapping):
        inner = set().union(*(_strategies(item) for item in value.values())) if value else set()
        return {digest(value), *inner} if "class" in value else inner
    return set().union(*map(_strategies, value)) if isinstance(value, list) and value else set()


def _folders(runs: Path) -> list[Path]:
    return sorted(path.parent for path in (runs / "sweeps").glob("*/trials.parquet"))


def _held(lock: Path) -> bool:
    """Whether a living process holds the lock."""
    if not lock.exists():
        return False
    try:
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
