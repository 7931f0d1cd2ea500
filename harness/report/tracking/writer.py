"""The update of MLflow with a group of runs, through its public client; existing runs do not
change.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunStatus
from mlflow.tracking import MlflowClient
from mlflow.utils.mlflow_tags import (
    MLFLOW_DATASET_CONTEXT,
    MLFLOW_PARENT_RUN_ID,
    MLFLOW_SOURCE_NAME,
)

from harness.core.identity import digest
from harness.core.table import counted
from harness.core.threads import map_threads
from harness.report.tracking.bulk import insert_runs
from harness.report.tracking.entry import RunGroup, TrackedRun
from harness.report.tracking.parameters import key_name
from harness.work.progress import Progress, duration
from harness.work.shared_rows import cut

GROUP, CONTENT, ENTRY = "harness.group", "harness.content", "harness.entry"
PARAMS = 100  # that MLflow takes in one request
SLOW, FIRST = 0.05, 50
"""Seconds of a request to a slow server, and the number of runs that it gets first."""
RUNNING, FINISHED, FAILED = "RUNNING", "FINISHED", "FAILED"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Writer:
    """A writer of groups into one experiment; tags: further tags of every run."""

    client: MlflowClient
    experiment: str
    threads: int
    tags: Mapping[str, str]

    def write(self, group: RunGroup, above: str | None) -> str:
        """Write a group below the run ``above``; return the id of its own run.

        A second export changes nothing. If the runs of the group have another content or another
        place, or an export was interrupted, they go to MLflow's trash and are written again.
        """
        known = self._search(f"tags.`{GROUP}` = '{_key(group)}'")
        top = _complete(group, known, above)
        if top is None:
            for run in known:
                self.client.delete_run(run.info.run_id)
            try:
                top = self._write_group(group, above)
            except BaseException:
                self._end_running(group)
                raise
        self.describe({group.page.tag: group.page.state()})
        return str(top.info.run_id)

    def _write_group(self, group: RunGroup, above: str | None) -> Any:
        """Write all runs of a group and return its own one, which is finished last."""
        entry = self._keyed(group.top, group, above)
        top = self._create(entry, group)
        began = time.perf_counter()
        self._fill(entry, top)
        self.client.log_inputs(top.info.run_id, [_dataset(group)])
        latency = (time.perf_counter() - began) / 2
        for path in group.files:
            self.client.log_artifact(top.info.run_id, str(path))
        self._write_children(group, top, latency)
        self._finish(top, group.ended)
        return top

    def _end_running(self, group: RunGroup) -> None:
        """Mark the open runs and the group's own one after an export that failed, unless MLflow can
        no longer be reached.
        """
        with contextlib.suppress(Exception):
            for run in self._search(f"tags.`{GROUP}` = '{_key(group)}'"):
                if run.info.status == RUNNING or run.data.tags.get(ENTRY) == group.top.id:
                    self.client.set_terminated(run.info.run_id, FAILED)

    def _write_children(self, group: RunGroup, top: Any, latency: float) -> None:
        """Write the runs below the group's own one, the best first.

        On a slow server the own one is finished after the first of them, and a line says how long
        the others take.

        Args:
            group: the group.
            top: its own run.
            latency: seconds of a request.
        """
        log.info("track: %s of %s to MLflow", counted(len(group.children), "run"), group.name)
        runs = [self._keyed(run, group, str(top.info.run_id)) for run in group.children]
        if engine := getattr(self.client._tracking_client.store, "engine", None):
            times = [_began(run, group) for run in runs]
            experiment = self.client.get_experiment(self.experiment)
            return insert_runs(engine, experiment, runs, times)
        first = FIRST if latency > SLOW else len(runs)
        began = time.perf_counter()
        self._write_runs(runs[:first], group)
        if rest := runs[first:]:
            self._finish(top, group.ended)
            left = (time.perf_counter() - began) / first * len(rest)
            log.info(
                "track: the sweep and its best %s are in MLflow; a request takes %.0f ms, the "
                "other %s about %s",
                counted(first, "run"),
                1000 * latency,
                counted(len(rest), "run"),
                duration(left),
            )
            self._write_runs(rest, group)

    def _write_runs(self, runs: Sequence[TrackedRun], group: RunGroup) -> None:
        """Write runs to a server, in their order: three requests each."""

        def write(run: TrackedRun) -> None:
            created = self._create(run, group)
            self._fill(run, created)
            self._finish(created)

        with Progress("track", len(runs), "run") as bar:
            for _ in map_threads(write, runs, self.threads):
                bar.update()

    def describe(self, wanted: Mapping[str, str], keep: bool = False) -> None:
        """Set tags of the experiment that have another value; keep: do not change existing ones."""
        tags = self.client.get_experiment(self.experiment).tags
        for key, value in wanted.items():
            if tags.get(key) != value and not (keep and key in tags):
                self.client.set_experiment_tag(self.experiment, key, value)

    def _search(self, query: str) -> list[Any]:
        """Return all runs of a query that are not in the trash."""
        page = self.client.search_runs([self.experiment], query, max_results=1000)
        runs: list[Any] = list(page)
        while page.token:
            page = self.client.search_runs(
                [self.experiment], query, max_results=1000, page_token=page.token
            )
            runs += page
        return runs

    def _create(self, entry: TrackedRun, group: RunGroup) -> Any:
        return self.client.create_run(
            self.experiment, _began(entry, group), dict(entry.tags), entry.name
        )

    def _keyed(self, entry: TrackedRun, group: RunGroup, above: str | None) -> TrackedRun:
        """Return the run with all its tags, under keys that MLflow accepts."""
        identity = {GROUP: _key(group), CONTENT: group.content, ENTRY: entry.id}
        tags = {**self.tags, **entry.tags, **identity, **_above(above)}
        return replace(
            entry,
            params={key_name(key): value for key, value in entry.params.items()},
            metrics={key_name(key): value for key, value in entry.metrics.items()},
            tags={key_name(key): value for key, value in tags.items()},
        )

    def _fill(self, entry: TrackedRun, run: Any) -> None:
        """Log the content of a run, in one request if it has up to ``PARAMS`` parameters."""
        run_id, began = run.info.run_id, run.info.start_time
        metrics = [Metric(key, value, began, 0) for key, value in entry.metrics.items()]
        params = list(starmap(Param, entry.params.items()))
        self.client.log_batch(run_id, metrics, params[:PARAMS])
        for part in cut(len(params[PARAMS:]), PARAMS):
            self.client.log_batch(run_id, params=params[PARAMS:][part])

    def _finish(self, run: Any, ended: float | None = None) -> None:
        """Finish a run, without a time if none is known; the client itself would set the present
        one.
        """
        time = None if ended is None else int(1000 * ended)
        store = self.client._tracking_client.store
        store.update_run_info(run.info.run_id, RunStatus.FINISHED, time, None)


def _began(entry: TrackedRun, group: RunGroup) -> int:
    """Return the start of a run: its rank in milliseconds before the group's own.

    Newest first is then the leaderboard's order.
    """
    return int(1000 * group.began) - entry.place


def _complete(group: RunGroup, known: Sequence[Any], above: str | None) -> Any:
    """Return the group's own run if all its runs are written, below the right run, otherwise
    None.
    """
    runs = {run.data.tags.get(ENTRY): run for run in known}
    written = [
        run
        for run in known
        if run.info.status == FINISHED and run.data.tags.get(CONTENT) == group.content
    ]
    wanted = {group.top.id, *(child.id for child in group.children)}
    if runs.keys() != wanted or not len(written) == len(known) == len(wanted):
        return None
    top = runs[group.top.id]
    return top if _above(above).items() <= top.data.tags.items() else None


def _above(run: str | None) -> dict[str, str]:
    return {MLFLOW_PARENT_RUN_ID: run} if run else {}


def _key(group: RunGroup) -> str:
    """Return the group's name in a form that a query can contain."""
    return digest(group.name)[:16]


def _dataset(group: RunGroup) -> DatasetInput:
    source = {
        "tags": {
            MLFLOW_SOURCE_NAME: f"harness prepare dataset={group.dataset}",
            "sha256": group.data_sha256,
        }
    }
    data = Dataset(group.dataset, group.data_sha256[:12], "code", json.dumps(source))
    return DatasetInput(data, [InputTag(MLFLOW_DATASET_CONTEXT, group.split)])
