"""The update of MLflow with a group of runs, through its public client; existing runs do not
change.
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, Run, ViewType
from mlflow.tracking import MlflowClient
from mlflow.utils.mlflow_tags import (
    MLFLOW_DATASET_CONTEXT,
    MLFLOW_PARENT_RUN_ID,
    MLFLOW_SOURCE_NAME,
)

from harness.core.identity import digest
from harness.core.table import counted
from harness.core.threads import map_threads
from harness.report.tracking.bulk import FinishedRun, insert_runs
from harness.report.tracking.entry import RunGroup, TrackedRun
from harness.work.progress import Progress

GROUP, CONTENT, ENTRY = "harness.group", "harness.content", "harness.entry"
FIGURES = "figures"
"""The folder of pictures in a run's artifacts."""
PARAMS = 100  # that MLflow takes in one request
FINISHED = "FINISHED"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Writer:
    """A writer of groups into one experiment; tags: further tags of every run."""

    client: MlflowClient
    experiment: str
    threads: int
    tags: Mapping[str, str]

    def write(self, group: RunGroup, above: str | None) -> str:
        """Update a group below the run ``above``; return the id of its own run.

        A run is found by the hash in its tags and is complete if it is FINISHED, which is set last.
        So a second export changes nothing, and an interrupted one continues. Two exporters on two
        machines may write a run twice; the next export removes one of them.
        """
        found = self._existing(group)
        top = found.get(group.top.id) or self._create(group.top, group, above)
        own = str(top.info.run_id)
        self._write_children(group, own, found)
        if not _complete(top, above):
            self._attach(group, own)
            self._fill(group.top, group, top)
        self._update_tags(top, {**group.top.tags, **self.tags, **_above(above)})
        self.describe({group.page.tag: group.page.state()})
        return own

    def _write_children(self, group: RunGroup, own: str, found: Mapping[str, Run]) -> None:
        """Update the runs below the group's own one; found: the existing ones by entry."""
        missing = [entry for entry in group.children if not _complete(found.get(entry.id), own)]
        if missing:
            log.info("track: %s of %s to MLflow", counted(len(missing), "run"), group.name)
            # Logged here first, so that threads do not make the same dataset at once.
            self.client.log_inputs(own, [_dataset(group)])
        if engine := getattr(self.client._tracking_client.store, "engine", None):
            new = [entry for entry in missing if entry.id not in found]
            missing = [entry for entry in missing if entry.id in found]
            insert_runs(
                engine,
                self.experiment,
                [self._finished(one, group, own) for one in new],
                _dataset(group),
            )
        with Progress("track", len(missing), "run") as bar:
            for _ in map_threads(
                lambda one: self._child(one, group, own, found.get(one.id)), missing, self.threads
            ):
                bar.update()

    def _attach(self, group: RunGroup, run: str) -> None:
        """Log the files and pictures of a group into the artifacts of its own run."""
        for name, path in group.files.items():
            self.client.log_artifact(run, str(path), name.rpartition("/")[0] or None)
        with tempfile.TemporaryDirectory() as place:
            for picture in group.pictures:
                (image,) = picture.save(Path(place), endings=[".png"])
                self.client.log_artifact(run, str(image), FIGURES)

    def describe(self, wanted: Mapping[str, str], keep: bool = False) -> None:
        """Set tags of the experiment that have another value; keep: do not change existing ones."""
        tags = self.client.get_experiment(self.experiment).tags
        for key, value in wanted.items():
            if tags.get(key) != value and not (keep and key in tags):
                self.client.set_experiment_tag(self.experiment, key, value)

    def _existing(self, group: RunGroup) -> dict[str, Run]:
        """Return the runs of this content by the hash in their tags; others go to
        MLflow's trash.
        """
        found: dict[str, Run] = {}
        for run in self._search(f"tags.`{GROUP}` = '{_key(group)}'"):
            entry, active = run.data.tags.get(ENTRY), run.info.lifecycle_stage == "active"
            double = entry in found
            if (run.data.tags.get(CONTENT) != group.content or double) and active:
                self.client.delete_run(run.info.run_id)
            elif run.data.tags.get(CONTENT) == group.content and not double:
                if not active:
                    self.client.restore_run(run.info.run_id)
                found[entry] = run
        return found

    def _search(self, query: str) -> Iterator[Any]:
        """Yield all runs of a query: active before deleted ones, FINISHED ones
        first, then by id.
        """
        page = self.client.search_runs([self.experiment], query, ViewType.ALL, 1000)
        runs: list[Any] = list(page)
        while page.token:
            page = self.client.search_runs(
                [self.experiment], query, ViewType.ALL, 1000, page_token=page.token
            )
            runs += page
        yield from sorted(
            runs,
            key=lambda run: (
                run.info.lifecycle_stage != "active",
                run.info.status != FINISHED,
                run.info.run_id,
            ),
        )

    def _create(self, entry: TrackedRun, group: RunGroup, above: str | None) -> Any:
        return self.client.create_run(
            self.experiment, _began(entry, group), self._tags(entry, group, above), entry.name
        )

    def _tags(self, entry: TrackedRun, group: RunGroup, above: str | None) -> dict[str, str]:
        found = {GROUP: _key(group), CONTENT: group.content, ENTRY: entry.id}
        return {**self.tags, **entry.tags, **found, **_above(above)}

    def _child(self, entry: TrackedRun, group: RunGroup, above: str, found: Any) -> None:
        run = found or self._create(entry, group, above)
        self._update_tags(run, _above(above))
        if run.info.status != FINISHED:
            self._fill(entry, group, run)

    def _finished(self, entry: TrackedRun, group: RunGroup, above: str) -> FinishedRun:
        began, ended, tags = (
            _began(entry, group),
            int(1000 * group.ended),
            self._tags(entry, group, above),
        )
        return FinishedRun(entry.name, began, ended, tags, entry.params, entry.metrics)

    def _fill(self, entry: TrackedRun, group: RunGroup, run: Any) -> None:
        """Log the content of a run, then finish it. Logging the same again changes nothing."""
        own, began = run.info.run_id, run.info.start_time
        metrics = [Metric(key, value, began, 0) for key, value in entry.metrics.items()]
        params = [Param(key, value) for key, value in entry.params.items()]
        self.client.log_batch(own, metrics, params[:PARAMS])
        for start in range(PARAMS, len(params), PARAMS):
            self.client.log_batch(own, params=params[start : start + PARAMS])
        self.client.log_inputs(own, [_dataset(group)])
        self.client.set_terminated(own, FINISHED, int(1000 * group.ended))

    def _update_tags(self, run: Any, wanted: Mapping[str, str]) -> None:
        for key, value in wanted.items():
            if run.data.tags.get(key) != value:
                self.client.set_tag(run.info.run_id, key, value)


def _began(entry: TrackedRun, group: RunGroup) -> int:
    """Return the start of a run: its rank in milliseconds before the group's own.

    Newest first is then the leaderboard's order.
    """
    return int(1000 * (group.ended - group.seconds)) - entry.place


def _complete(run: Any, above: str | None) -> bool:
    """Return whether everything is logged, below the right run."""
    return (
        run is not None
        and run.info.status == FINISHED
        and _above(above).items() <= run.data.tags.items()
    )


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
