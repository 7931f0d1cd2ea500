"""MLflow: copies of finished folders in a database or on a server, through
MLflow's public client.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.configuration.extras import program
from harness.core.errors import HarnessError, whole_number
from harness.core.escape import file_name
from harness.core.identity import digest
from harness.core.secret import hide_secrets, hide_values
from harness.report.tracking import entry
from harness.sweep.folder.result import SweepResult

if TYPE_CHECKING:
    from harness.report.tracking.writer import Writer

DATABASES = ("sqlite", "postgresql", "mysql", "mssql")
SQLITE = "sqlite:///"
SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_DISABLE_AGENT_HINT": "true",
    "MLFLOW_LOGGING_LEVEL": "CRITICAL",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "PGCONNECT_TIMEOUT": "20",
}
"""Environment variables that the user did not set: an unreachable server fails after seconds, not
hours.
"""
KIND = {
    "mlflow.experimentKind": "custom_model_development"
}  # the UI opens on runs and charts, not on traces
DESCRIPTION = """Each run is a sweep; below it is a run for each of its trials.

- `last_hop_at_5` and others: shares of questions.
- `graph_win`, `graph_loss`: questions whose last hop is in the first k passages and not in those of
  dense, and the reverse. A trial is safe if `graph_loss` is 0, and effective if `graph_win` is
  above 0. `wins`, `losses`: the same for another objective or reference.
- `p`: exact McNemar, by question; `p_cluster`: by cluster of questions that share gold passages;
  `p_holm`: the one that decides, corrected over all trials. Metrics are exact; the parameters
  `p_text` and `p_holm_text` are the same p as in tables.
- `difference`, `low`, `high`: from the reference, with its 95% interval; `wilson_low`,
  `wilson_high`: the 95% interval of the objective, by question.

The description of a trial has the command that runs it again."""
"""The description of an experiment that has none."""
WAIT = 600  # seconds for another exporter on this machine


@dataclass(frozen=True)
class MLflow:
    """The export to an MLflow tracking server, database or file store.

    User, password and token come from MLflow's own environment variables. MLFLOW_RUN_ID, or an
    active run of this process, becomes the parent of the exported runs.

    Attributes:
        experiment_id: id of an existing experiment, used instead of the name.
        artifacts: folder of the files of a new experiment in a database; a server decides that
            itself.
        tags: tags of every run.
        threads: number of simultaneous requests.
    """

    uri: str
    experiment: str
    artifacts: str
    experiment_id: str | int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    threads: int = 8

    def __post_init__(self) -> None:
        if not self.uri.strip():
            raise HarnessError(
                "tracking.uri is empty; give e.g. sqlite:///runs/mlflow.db or http://host:5000"
            )
        whole_number("tracking.threads", self.threads, 1)

    @property
    def destination(self) -> str:
        """The experiment and the address, without user and password."""
        name = self.experiment if self.experiment_id is None else f"id {self.experiment_id}"
        return f"experiment {name} at {hide_secrets(self.uri)}"

    @property
    def is_server(self) -> bool:
        """Whether the destination is a tracking server, which shows the copies and stores
        artifacts.
        """
        return _scheme(self.uri) in ("http", "https", "databricks") or self.uri == "databricks"

    @property
    def database(self) -> str:
        """The address, independent of the working directory."""
        path = self.uri.removeprefix(SQLITE)
        plain = self.uri.startswith(SQLITE) and not path.startswith("file:")
        return f"{SQLITE}{Path(path).resolve()}" if plain else self.uri

    @property
    def artifact_root(self) -> str:
        """The folder of a database's artifacts, independent of the working directory."""
        return self.artifacts if "://" in self.artifacts else str(Path(self.artifacts).resolve())

    def export(self, folder: Path) -> str:
        """Update MLflow from a sweep's folder; return the page of its trials, on test after
        `heldout`.
        """
        with self._one_line_errors(), self._exclusive():
            _probe(self.uri)
            result = SweepResult(folder)
            writer = self._writer(_source(str(result.manifest["code"])))
            writer.describe({entry.NOTE: DESCRIPTION}, keep=True)
            group = entry.run_group(result, result.whole, writer.experiment)
            run = writer.write(group, _parent())
            if result.test:
                group = entry.run_group(result, result.test, writer.experiment)
                writer.write(group, run)
            return group.page.address(writer.experiment)

    def address(self, page: str, runs: Path) -> str:
        """Return a link if a server shows these copies, otherwise the command to type.

        runs: the folder of the sweeps.
        """
        if self.is_server:
            return f"{hide_secrets(self.uri).rstrip('/')}/{page}"
        typed = "" if str(runs) == os.environ.get("HARNESS_RUNS", "runs") else f" paths.runs={runs}"
        return f"{self.destination}; `{program('harness')} ui{typed}` shows it"

    def check(self) -> str:
        """Return a line that MLflow answers, with the number of its experiments; nothing is
        changed.
        """
        path = Path(self.uri.removeprefix(SQLITE))
        if self.uri.startswith(SQLITE) and not path.is_file():
            return f"{path} is not there yet; the first export makes it"
        with self._one_line_errors():
            _probe(self.uri)
            return f"answers: {len(self._client.search_experiments())} experiments"

    @property
    def _client(self) -> Any:
        from mlflow.tracking import MlflowClient

        return MlflowClient(self.database)

    def _writer(self, tags: Mapping[str, str]) -> Writer:
        client, parent = self._client, _parent()
        from harness.report.tracking.writer import Writer

        experiment = (
            client.get_run(parent).info.experiment_id if parent else self._experiment(client)
        )
        threads = 1 if self.uri.startswith("sqlite") else self.threads
        further = {str(key): str(value) for key, value in self.tags.items()}
        return Writer(client, experiment, threads, {**tags, **further})

    def _experiment(self, client: Any) -> str:
        """Return the id of the experiment, which is created, or restored from the trash."""
        from mlflow.exceptions import MlflowException

        if self.experiment_id is None:
            experiment = client.get_experiment_by_name(self.experiment)
        else:
            experiment = client.get_experiment(str(self.experiment_id))
        if experiment is None:
            place = None if self.is_server else f"{self.artifact_root}/{file_name(self.experiment)}"
            try:
                client.create_experiment(self.experiment, place, KIND)
            except MlflowException as error:
                if (
                    error.error_code != "RESOURCE_ALREADY_EXISTS"
                ):  # or another process has created it
                    raise
            experiment = client.get_experiment_by_name(self.experiment)
        if experiment.lifecycle_stage != "active":
            client.restore_experiment(experiment.experiment_id)
        return str(experiment.experiment_id)

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Allow one exporter at a time for each user of this machine and destination."""
        from filelock import FileLock, Timeout

        name = f"harness-track-{os.getuid()}-{digest(self.destination)[:16]}.lock"
        try:
            with FileLock(Path(tempfile.gettempdir()) / name, timeout=WAIT):
                yield
        except Timeout:
            raise HarnessError(
                f"another process has exported to {self.destination} for {WAIT} s; try again"
            ) from None

    @contextlib.contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        """Turn errors of MLflow, its database or the network into one line."""
        for key, value in SETTINGS.items():
            os.environ.setdefault(key, value)
        logging.getLogger("urllib3").setLevel(logging.ERROR)  # no messages about retries
        from mlflow.exceptions import MlflowException
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (MlflowException, SQLAlchemyError, OSError) as error:
            message = hide_values(str(error)).strip() or type(error).__name__
            why = hide_secrets(message.splitlines()[0])
            raise HarnessError(
                f"{hide_secrets(self.uri)}: MLflow cannot use it ({why[:400]})"
            ) from error


def _parent() -> str | None:
    """Return the active run of this process, or MLFLOW_RUN_ID."""
    active = sys.modules["mlflow"].active_run() if "mlflow" in sys.modules else None
    return str(active.info.run_id) if active else os.environ.get("MLFLOW_RUN_ID") or None


def _source(code: str) -> dict[str, str]:
    """Return user, source and git tags as MLflow sets them; git's only if the code
    has not changed.
    """
    from mlflow.tracking.context.registry import resolve_tags

    from harness.core.identity import code_version

    same = code == code_version()
    return {key: value for key, value in resolve_tags().items() if same or ".git." not in key}


def _scheme(uri: str) -> str:
    """Return ``postgresql`` of ``postgresql+psycopg://...``; empty for a path."""
    match = re.match(r"([A-Za-z][\w.-]*)(\+[\w-]+)?:", uri)
    return match[1].lower() if match else ""


def _probe(uri: str) -> None:
    """Raise HarnessError if a database does not open; MLflow itself would try again for minutes."""
    if _scheme(uri) not in DATABASES:
        return
    if uri.startswith(SQLITE) and not uri.startswith(f"{SQLITE}file:"):
        Path(uri.removeprefix(SQLITE)).parent.mkdir(parents=True, exist_ok=True)
    import sqlalchemy

    engine = sqlalchemy.create_engine(uri, poolclass=sqlalchemy.pool.NullPool)
    with engine.connect() as connection:
        if uri.startswith(SQLITE):
            connection.exec_driver_sql("pragma schema_version")  # reads the file
