"""The folder of a sweep, ``runs/sweeps/<id>/``, with the files of the sweep and
its held-out run.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError
from harness.core.identity import varied_keys
from harness.core.input.read import parse_json, read_yaml
from harness.core.table import counted
from harness.sweep.folder.files import check_file, recorded
from harness.sweep.folder.judged_trial import (
    COMPARED,
    TRIAL,
    JudgedTrial,
    read_trials,
)
from harness.sweep.folder.list_scores import SCORES, ListScores, read_scores
from harness.sweep.folder.lock import LOCK as LOCK
from harness.sweep.folder.lock import Lock, group_of, read_lock
from harness.sweep.folder.view import View

if TYPE_CHECKING:
    import pandas as pd

FACTS = ("dataset", "data_sha256", "objective", "n", "code", "libraries", "ceiling")
"""The required keys of a manifest."""
QUERY = ("id", "hops", "type", "chain")
"""The required columns of a question's row."""
UNTITLED = (
    "paths.runs",
    "paths.data",
    "paths.reports",
    "paths.ledger",
    "paths.models",
    "paths.shared",
    "tracking",
    "device",
)
BENCHMARK = (
    "dataset",
    "dataset.path",
    "dataset.id",
    "dataset.name",
    "dataset.qrels",
    "dataset.sample",
    "dataset.corpus",
    "gold",
)
"""The keys that decide the benchmark of a sweep; its name includes them."""


@dataclass(frozen=True, repr=False)
class SweepResult:
    """A finished sweep; its files are read when they are first needed.

    ``trials`` has a row for each trial in leaderboard order, with the columns ``parameters`` (JSON
    of flat, typed knobs such as ``fuser``, ``fuser.alpha``, ``pool.cap``) and ``family``
    (``single`` for baselines, otherwise the fuser's name). ``ranks`` are int32[T, Q, H] gold ranks
    in row order. ``queries`` has ``id, hops, type, chain, cluster`` of the Q questions.
    """

    folder: Path

    def __post_init__(self) -> None:
        if not (self.folder / "trials.parquet").is_file():
            raise HarnessError(
                f"{self.folder}: not a sweep's folder (no trials.parquet); run `harness sweep` "
                "first"
            )

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """The resolved configuration of the sweep."""
        config: Mapping[str, Any] = self._load("config.yaml", lambda path: dict(read_yaml(path)))
        return config

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """The facts of the sweep: data, split, objective, code, libraries, lists, cost, ceiling."""
        manifest: Mapping[str, Any] = self._load("manifest.json", lambda path: dict(_json(path)))
        if missing := [key for key in FACTS if key not in manifest]:
            raise self._damaged("manifest.json", f"{missing[0]} is missing")
        return manifest

    @property
    def title(self) -> str:
        """``<experiment> <dataset> <other overrides>``; without an experiment ``sweep <dataset>
        ...``.
        """
        chosen, *rest = self.kind.split(" ")
        return " ".join([chosen, str(self.manifest["dataset"]), *rest])

    @property
    def size(self) -> list[str]:
        """The numbers of passages and questions of the benchmark; empty if they are unknown."""
        sizes = self.manifest.get("counts")
        if not sizes:
            return []
        return [counted(sizes["passages"], "passage"), counted(sizes["queries"], "question")]

    @property
    def libraries(self) -> str:
        """The libraries with their versions."""
        versions = sorted(self.manifest["libraries"].items())
        return ", ".join(f"{name} {version}" for name, version in versions)

    @property
    def kind(self) -> str:
        """The title without the benchmark."""
        rest = (
            f"{name}={value}"
            for name, value in self.given.items()
            if name not in ("experiment", *BENCHMARK)
        )
        return " ".join([self.given.get("experiment", "sweep"), *rest])

    @property
    def given(self) -> dict[str, str]:
        """The typed overrides by name, without paths and tracking."""
        pairs = (text.partition("=") for text in self.config.get("given", ()))
        return {
            name: value
            for name, _, value in pairs
            if name not in UNTITLED and not name.startswith("tracking.")
        }

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The leaderboard, on tune."""
        return self._table("trials.parquet", (*TRIAL, self.manifest["objective"]))

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """A row for each trial and single list that it was compared with, on tune and test.

        Test has the locked trials after `harness heldout`. Columns: trial, name, split, against,
        metric, n, and those of ``Outcome``.
        """
        import pandas as pd

        names = ["comparisons.parquet"]
        if self.heldout:
            names.append("heldout_comparisons.parquet")
        return pd.concat([self._table(name, [*COMPARED]) for name in names], ignore_index=True)

    @cached_property
    def ranks(self) -> Int32Array:
        """int32[T, Q, H] gold ranks, memory-mapped (see harness.evaluation.metric)."""
        return self._ranks("ranks.npy", len(self.trials), len(self.queries))

    @cached_property
    def queries(self) -> pd.DataFrame:
        """The tune questions, in the order of ``ranks``."""
        return self._table("queries.parquet", QUERY)

    @cached_property
    def lock(self) -> Lock:
        """``winner.lock.json`` as written; HarnessError if it is missing or changed."""
        return read_lock(self.folder / LOCK)

    @cached_property
    def heldout(self) -> Sequence[Mapping[str, Any]] | None:
        """The rows of ``heldout.json``, the locked trials on test; None before
        `harness heldout`.
        """
        name = "heldout.json"
        if not (self.folder / name).is_file():
            return None
        rows: list[dict[str, Any]] = self._load(name, lambda path: [*map(dict, _json(path))])
        return rows

    @cached_property
    def heldout_ranks(self) -> Int32Array:
        """int32[R, Q', H]: gold ranks of the locked trials on the test questions, in the order of
        ``heldout``.
        """
        return self._ranks("heldout_ranks.npy", len(self.heldout or ()), len(self.heldout_queries))

    @cached_property
    def heldout_queries(self) -> pd.DataFrame:
        """The test questions, in the order of ``heldout_ranks``."""
        return self._table("heldout_queries.parquet", QUERY)

    @cached_property
    def scores(self) -> dict[str, ListScores]:
        """The scores of every list on the tune questions, by name; empty for an older sweep."""
        name = "scores.parquet"
        if name not in self._recorded and not (self.folder / name).is_file():
            return {}
        return read_scores(self._table(name, SCORES), len(self.queries))

    @cached_property
    def whole(self) -> View:
        """Every trial on tune, in the order of the leaderboard."""
        return self._counted(self._every_tune)

    @cached_property
    def tune(self) -> View:
        """The locked trials on tune: the winner, the best of each fuser, the baselines."""
        locked = [self.lock["winner"], *self.lock["fusers"], *self.lock["baselines"]]
        places = {row.trial: place for place, row in enumerate(self.whole.rows)}
        if missing := [row["trial"] for row in locked if row["trial"] not in places]:
            raise self._damaged("trials.parquet", f"lacks the locked trial {missing[0]}")
        chosen = list(dict.fromkeys(places[row["trial"]] for row in locked))
        rows = [self.whole.rows[place] for place in chosen]
        return dataclasses.replace(self.whole, rows=rows, ranks=self.whole.ranks[chosen])

    @cached_property
    def test(self) -> View | None:
        """The locked trials on test; None before `harness heldout`."""
        return self._counted(self._every_test) if self._every_test else None

    @property
    def every_question(self) -> list[View]:
        """``whole`` and, after `harness heldout`, ``test``, also with the questions that the
        objective does not count.
        """
        return [view for view in (self._every_tune, self._every_test) if view]

    @cached_property
    def _every_tune(self) -> View:
        return self._view("tune", "trials.parquet", self.trials, self.ranks, self.queries)

    @cached_property
    def _every_test(self) -> View | None:
        if not self.heldout:
            return None
        name = "heldout.json"
        return self._view("test", name, self.heldout, self.heldout_ranks, self.heldout_queries)

    def _counted(self, view: View) -> View:
        """Return a view with the questions that the objective counts."""
        is_counted = ~np.isnan(view.values(0))
        if is_counted.all():
            return view
        queries = view.queries[is_counted].reset_index(drop=True)
        return dataclasses.replace(view, ranks=view.ranks[:, is_counted], queries=queries)

    def _view(
        self,
        split: str,
        name: str,
        rows: pd.DataFrame | Sequence[Mapping[str, Any]],
        ranks: Int32Array,
        queries: pd.DataFrame,
    ) -> View:
        """Return a view of all questions; name: the file of the rows."""
        compared = self.comparisons[self.comparisons["split"] == split]
        try:
            trials: list[JudgedTrial] = read_trials(rows, compared, self.lock["reference"])
        except (LookupError, ValueError, TypeError, RecursionError) as error:
            raise self._damaged(name, f"a row: {error!r}") from error
        winner = self.lock["winner"]["trial"]
        pairs = zip(compared["trial"], compared["against"], strict=True)
        sizes = Counter(group_of(split, trial, against, winner) for trial, against in pairs)
        return View(split, trials, ranks, queries, self.manifest, self.lock, len(queries), sizes)

    @property
    def locked(self) -> View:
        """The locked trials, on test if they were held out, otherwise on tune."""
        return self.test or self.tune

    @property
    def metrics(self) -> list[str]:
        """The metrics, with the objective, in the order of the configuration."""
        names = [*(self.config.get("metrics") or ()), self.manifest["objective"]]
        return [name for name in dict.fromkeys(map(str, names)) if name in self.trials.columns]

    def __repr__(self) -> str:
        """Return ``SweepResult(sweep sample: 218 trials on 312 tune queries)``."""
        trials = counted(len(self.trials), "trial")
        questions = counted(len(self.queries), "tune question")
        return f"{type(self).__name__}({self.title}: {trials} on {questions})"

    def check(self) -> None:
        """Read every file. Raises HarnessError for one that is missing or damaged."""
        _ = self.config, self.lock, self.ranks, self.scores, self.comparisons
        _ = self.heldout and self.heldout_ranks

    @cached_property
    def _recorded(self) -> Mapping[str, str]:
        return recorded(self.folder, self.lock)

    def _table(self, name: str, columns: Sequence[str]) -> pd.DataFrame:
        import pandas as pd

        frame: pd.DataFrame = self._load(name, pd.read_parquet)
        if missing := [column for column in columns if column not in frame]:
            raise self._damaged(name, f"no column {missing[0]}")
        return frame

    def _ranks(self, name: str, trials: int, queries: int) -> Int32Array:
        ranks: Int32Array = self._load(name, lambda path: np.lib.format.open_memmap(path, mode="r"))
        if ranks.dtype != np.int32 or ranks.ndim != 3 or ranks.shape[:2] != (trials, queries):
            raise self._damaged(
                name,
                f"expected int32[{trials}, {queries}, hops], got {ranks.dtype}{[*ranks.shape]}",
            )
        return ranks

    def _load(self, name: str, read: Callable[[Path], Any]) -> Any:
        check_file(self.folder, name, self._recorded)
        path = self.folder / name
        try:
            return read(path)
        except FileNotFoundError as error:
            raise HarnessError(
                f"{path}: missing; copy the sweep's whole folder, or sweep again"
            ) from error
        except HarnessError:
            raise
        except Exception as error:  # libraries raise many kinds over bytes that they cannot read
            raise self._damaged(name, str(error) or type(error).__name__) from error

    def _damaged(self, name: str, why: str) -> HarnessError:
        return HarnessError(
            f"{self.folder / name}: damaged ({' '.join(why.split())[:200]}); copy it again, or "
            "sweep again"
        )


def differing(results: Sequence[SweepResult]) -> list[dict[str, str]]:
    """Return for each sweep the typed parameters that differ between them."""
    typed = [result.given for result in results]
    varied = varied_keys(typed)
    return [{name: parameters.get(name, "") for name in varied} for parameters in typed]


def by_kind(results: Iterable[SweepResult]) -> dict[str, list[SweepResult]]:
    """Return the sweeps that differ only in benchmark and folders of files, by their overrides."""
    kinds: dict[str, list[SweepResult]] = {}
    for result in results:
        typed = (
            f"{name}={value.rpartition('/')[2]}"
            for name, value in result.given.items()
            if name.partition(".")[0] not in ("experiment", "dataset", "gold")
        )
        kind = " ".join([result.given.get("experiment", "sweep"), *typed])
        kinds.setdefault(kind, []).append(result)
    return kinds


def _json(path: Path) -> Any:
    return parse_json(path.read_bytes(), path, "the file of a sweep; copy it again, or sweep again")
