"""The folder of a sweep, ``runs/sweeps/<id>/``: what a sweep and its held-out run leave behind."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml
from numpy.typing import NDArray

from harness.errors import HarnessError

if TYPE_CHECKING:
    import pandas as pd

LOCK = "winner.lock.json"
UNTITLED = ("paths.runs", "paths.data", "paths.reports", "tracking", "device")


@dataclass(frozen=True)
class SweepResult:
    """A finished sweep, read lazily from its folder.

    ``trials``: a row a trial in leaderboard order; beside the stable columns ``parameters`` (JSON of flat, typed knobs
    such as ``fuser``, ``fuser.alpha``, ``pool.cap``), ``family`` (``single`` for baselines, else the fuser's name) and
    ``losses_best``/``wins_best``/``p_best`` (against the best single list on tune).
    ``ranks``: int32[T, Q, H] gold ranks in row order. ``queries``: ``id, hops, type, chain, cluster`` of the Q queries.
    """

    folder: Path

    def __post_init__(self) -> None:
        if not (self.folder / "trials.parquet").is_file():
            raise HarnessError(f"{self.folder}: not a sweep's folder (no trials.parquet); run `harness sweep` first")

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """The resolved configuration of the sweep."""
        config: Mapping[str, Any] = yaml.safe_load((self.folder / "config.yaml").read_text())
        return config

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """``dataset, data_sha256, split, n, objective, code, libraries, seconds, ceiling, single, facts``."""
        manifest: Mapping[str, Any] = json.loads((self.folder / "manifest.json").read_text())
        return manifest

    @property
    def title(self) -> str:
        """``<experiment> <dataset> <other overrides>``, of a sweep of no experiment ``sweep <dataset> ...``."""
        given = [text for text in self.config.get("given", ()) if text.partition("=")[0] not in UNTITLED]
        chosen = next((text.partition("=")[2] for text in given if text.startswith("experiment=")), "sweep")
        rest = (text for text in given if text.partition("=")[0] not in ("experiment", "dataset"))
        return " ".join([chosen, str(self.manifest["dataset"]), *rest])

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The leaderboard, on tune."""
        import pandas as pd

        return pd.read_parquet(self.folder / "trials.parquet")

    @cached_property
    def ranks(self) -> NDArray[np.int32]:
        """int32[T, Q, H], memory-mapped. See harness.metric for what a gold rank is."""
        ranks: NDArray[np.int32] = np.load(self.folder / "ranks.npy", mmap_mode="r", allow_pickle=False)
        return ranks

    @cached_property
    def queries(self) -> pd.DataFrame:
        """The tune queries, in the order of ``ranks``."""
        import pandas as pd

        return pd.read_parquet(self.folder / "queries.parquet")

    @cached_property
    def lock(self) -> Mapping[str, Any]:
        """``winner.lock.json``."""
        lock: Mapping[str, Any] = json.loads((self.folder / LOCK).read_text())
        return lock

    @cached_property
    def heldout(self) -> Sequence[Mapping[str, Any]] | None:
        """The rows of ``heldout.json``: the locked trials on test. None before `harness heldout`."""
        path = self.folder / "heldout.json"
        return json.loads(path.read_text()) if path.is_file() else None

    @cached_property
    def heldout_ranks(self) -> NDArray[np.int32]:
        """int32[R, Q', H]: gold ranks of the locked trials on the test queries, in the order of ``heldout``."""
        ranks: NDArray[np.int32] = np.load(self.folder / "heldout_ranks.npy", allow_pickle=False)
        return ranks

    @cached_property
    def heldout_queries(self) -> pd.DataFrame:
        """The test queries, in the order of ``heldout_ranks``."""
        import pandas as pd

        return pd.read_parquet(self.folder / "heldout_queries.parquet")


def newest(runs: Path, sweep: str | Sequence[str] | None) -> dict[str, SweepResult]:
    """The sweeps that a command is asked for, by title.

    sweep: a folder, several, ``all`` (of each title the one that was locked last), or None, the latest one.
    """
    if sweep == "all":
        locks = sorted((runs / "sweeps").glob(f"*/{LOCK}"), key=lambda path: (path.stat().st_mtime_ns, path))
        folders = [path.parent for path in locks] or [latest(runs)]
    else:
        folders = [latest(runs)] if sweep is None else [Path(sweep)] if isinstance(sweep, str) else [*map(Path, sweep)]
    found: dict[str, SweepResult] = {}
    for result in map(SweepResult, folders):
        again = sweep != "all" and result.title in found
        found[f"{result.title} {result.folder.name}" if again else result.title] = result
    return {title: found[title] for title in sorted(found)}


def latest(runs: Path) -> Path:
    """The folder of the sweep that ended last below ``runs/sweeps``."""
    pointer = runs / "sweeps" / "latest"
    if not pointer.is_file():
        raise HarnessError(f"{runs / 'sweeps'}: there is no sweep yet; run `harness sweep` first")
    return runs / "sweeps" / pointer.read_text().strip()
