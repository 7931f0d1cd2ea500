"""MLflow: a run for each sweep, below it a run for each trial, in a database that ``harness ui`` shows."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.sweep.result import LOCK, SweepResult
from harness.tracking import entry
from harness.tracking.answers import answers

QUIET = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_LOGGING_LEVEL": "WARNING", "MLFLOW_DISABLE_AGENT_HINT": "true"}
SQLITE = "sqlite:///"
MAGIC = b"SQLite format 3\0"
KIND = {"mlflow.experimentKind": "custom_model_development"}  # the UI opens on runs and charts, not on traces
_opening = threading.Lock()


@dataclass(frozen=True)
class MLflow:
    """Logs into an MLflow database.

    uri: SQLAlchemy address of the database, e.g. ``sqlite:///runs/mlflow.db``.    experiment: its MLflow experiment.
    artifacts: the folder (or any MLflow artifact location) of locks, tables and figures.
    """

    uri: str
    experiment: str
    artifacts: str

    def __post_init__(self) -> None:
        if "://" not in self.uri or self.uri.startswith(("http://", "https://", "file://", "databricks")):
            raise HarnessError(f"tracking.uri must name a database such as sqlite:///runs/mlflow.db, got {self.uri!r}")

    def prepare(self) -> None:
        """Import MLflow, make or open the database and the experiment."""
        with self._exclusive():
            self._experiment(self._store)

    def log_sweep(self, result: SweepResult) -> str:
        """Log the sweep, its trials on tune, its data and its files; returns the id of the sweep's MLflow run."""
        files = [result.folder / name for name in ("config.yaml", "manifest.json", LOCK, "trials.parquet")]
        return self._log(entry.sweep(result, self.experiment), float(result.manifest.get("seconds") or 0), files)

    def log_heldout(self, result: SweepResult) -> str:
        """Log the held-out rows below their sweep, which is logged too when it is not there."""
        if not result.heldout:
            raise HarnessError(
                f"{result.folder}: nothing was held out yet; run `harness heldout sweep={result.folder}`"
            )
        self.log_sweep(result)
        return self._log(
            entry.heldout(result, self.experiment), 0, [result.folder / "heldout.json", result.folder / LOCK]
        )

    def log_report(self, result: SweepResult, folder: Path) -> None:
        """Attach ``tables/``, ``figures/``, ``index.html`` and ``report.pdf`` of a report to the sweep's MLflow run."""
        run = self.log_sweep(result)
        places = self._place(run)
        for name in ("tables", "figures"):
            if (folder / name).is_dir():
                places.log_artifacts(str(folder / name), f"report/{name}")
        for name in ("index.html", "report.pdf"):
            if (folder / name).is_file():
                places.log_artifact(str(folder / name), "report")

    def log_answers(self, found: Mapping[str, Any]) -> str:
        """Log answers, a run a condition; returns the id of the MLflow run above them."""
        return self._log(answers(found, self.experiment), 0, [])

    def _log(self, group: entry.Group, seconds: float, files: Iterable[Path]) -> str:
        with self._exclusive():
            from harness.tracking.bulk import write

            store = self._store
            ended = time.time_ns() // 1_000_000
            write(store, self._experiment(store), group, ended - int(1000 * seconds), ended)
        run = group.entries[0].id
        places = self._place(run)
        for path in files:
            if path.is_file():
                places.log_artifact(str(path))
        return run

    def _place(self, run: str) -> Any:
        from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

        return get_artifact_repository(self._store.get_run(run).info.artifact_uri)

    @cached_property
    def _store(self) -> Any:
        with _opening:
            for key, value in QUIET.items():
                os.environ.setdefault(key, value)
            from mlflow.exceptions import MlflowException
            from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

            open_store: Any = SqlAlchemyStore
            try:
                return open_store(self.uri, self._artifacts())
            except MlflowException as error:
                raise self._unusable(str(error).partition(". ")[0]) from error

    def _unusable(self, why: str) -> HarnessError:
        return HarnessError(
            f"{self.uri}: MLflow cannot use it ({why}); move it away, run `mlflow db upgrade {self.uri}`, "
            "or set tracking=none (the sweep's folder holds all results)"
        )

    def _artifacts(self) -> str:
        return self.artifacts if "://" in self.artifacts else str(Path(self.artifacts).resolve())

    def _experiment(self, store: Any) -> Any:
        found = store.get_experiment_by_name(self.experiment)
        if found is None:
            from mlflow.entities import ExperimentTag

            tags = [ExperimentTag(key, value) for key, value in KIND.items()]
            made = store.create_experiment(self.experiment, f"{self._artifacts()}/{self.experiment}", tags)
            return store.get_experiment(made)
        if found.lifecycle_stage != "active":
            store.restore_experiment(found.experiment_id)
        return found

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """One writer at a time, also across processes: SQLite has one writer, and its tables are made once."""
        if not self.uri.startswith(SQLITE):
            yield
            return
        from filelock import FileLock

        path = Path(self.uri.removeprefix(SQLITE))
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            if path.is_file() and _head(path) not in (b"", MAGIC):
                raise self._unusable("it is not an SQLite database")
            yield


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(len(MAGIC))
