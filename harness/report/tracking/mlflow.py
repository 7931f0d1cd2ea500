"""MLflow: a copy of finished folders in a database or on a server, through MLflow's public client."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError, bounded
from harness.core.identity import digest, file_sha256
from harness.core.secret import hide_secrets
from harness.report.tracking import Export, answers, entry, views
from harness.report.tracking.address import SQLITE, check_uri, is_server, probe, without_secrets
from harness.report.tracking.parameters import metric_name
from harness.sweep.folder import SweepResult

if TYPE_CHECKING:
    from harness.report.tracking.writer import Writer

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
"""Environment variables where the user set none: a server that is away is given up after seconds, not hours."""
KIND = {"mlflow.experimentKind": "custom_model_development"}  # the UI opens on runs and charts, not on traces
NEWEST = 10
WAIT = 600  # seconds for another exporter on this machine


@dataclass(frozen=True)
class MLflow:
    """Exports to an MLflow tracking server, database or file store.

    uri: as MLFLOW_TRACKING_URI.    experiment, run_name: as MLFLOW_EXPERIMENT_NAME and MLFLOW_RUN_NAME.
    experiment_id: as MLFLOW_EXPERIMENT_ID, of an experiment that is there; it holds in place of the name.    artifacts:
    where a new experiment in a database keeps its files; a server decides that itself.    tags: of every run.
    top: how many of a sweep's best trials become runs, None for all.    metrics: how many of a run's metrics are
    logged, None for all; a table holds all.    threads: requests at a time.
    site: where `harness ui` serves the site, for links to it; a server's pages have none.
    User, password and token come from MLflow's own environment variables; MLFLOW_RUN_ID, or a run that is active in
    this process, becomes the parent of what is exported.
    """

    uri: str
    experiment: str
    artifacts: str
    experiment_id: str | int | None = None
    run_name: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    top: int | None = 50
    metrics: int | None = 12
    threads: int = 8
    site: str = "http://127.0.0.1:5001"

    def __post_init__(self) -> None:
        check_uri(self.uri)
        bounded("tracking.threads", self.threads, 1)
        if self.top is not None:
            bounded("tracking.top", self.top, 0)
        if self.metrics is not None:
            bounded("tracking.metrics", self.metrics, 1)

    @property
    def destination(self) -> str:
        """The experiment and the address, without user and password."""
        name = self.experiment if self.experiment_id is None else f"id {self.experiment_id}"
        return f"experiment {name} at {without_secrets(self.uri)}"

    @property
    def is_server(self) -> bool:
        """Whether a tracking server holds the copies, which shows them and keeps artifacts by itself."""
        return is_server(self.uri)

    @property
    def database(self) -> str:
        """The address as it holds in any working directory."""
        path = self.uri.removeprefix(SQLITE)
        plain = self.uri.startswith(SQLITE) and not path.startswith("file:")
        return f"{SQLITE}{Path(path).resolve()}" if plain else self.uri

    @property
    def artifact_root(self) -> str:
        """Where a database's artifacts are, as it holds in any working directory."""
        return self.artifacts if "://" in self.artifacts else str(Path(self.artifacts).resolve())

    def export(self, export: Export) -> str:
        """Bring MLflow up to date with a folder; returns the link that shows it."""
        with self._one_line_errors(), self._exclusive():
            probe(self.uri)
            if export.path.is_dir():
                return self._export_sweep(SweepResult(export.path), export)
            group, writer = answers.read(export.path), self._writer({})
            run = writer.write(group, _parent())
            return self._link(f"#/experiments/{writer.experiment}/runs/{run}")

    def check(self) -> str:
        """That MLflow answers, with the number of its experiments; nothing is made."""
        path = Path(self.uri.removeprefix(SQLITE))
        if self.uri.startswith(SQLITE) and not path.is_file():
            return f"{path} is not there yet; the first export makes it"
        with self._one_line_errors():
            probe(self.uri)
            return f"answers: {len(self._client.search_experiments())} experiments"

    def locate(self, run: str) -> tuple[str, str]:
        """The sweep's name and the trial's hash of an MLflow run; of a sweep's own run, its winner."""
        if self.uri.startswith(SQLITE) and not Path(self.uri.removeprefix(SQLITE)).is_file():
            raise HarnessError(f"{run} looks like an MLflow run id, but there is no MLflow database at {self.uri}")
        with self._one_line_errors():
            probe(self.uri)
            tags = self._client.get_run(run).data.tags
        if "sweep" not in tags:
            raise HarnessError(f"{without_secrets(self.uri)}: MLflow's run {run} is none of a sweep or a trial")
        return tags["sweep"], tags.get("trial") or tags.get("winner_trial") or tags.get("winner", "")

    def _export_sweep(self, result: SweepResult, export: Export) -> str:
        writer = self._writer(_source(str(result.manifest["code"])))
        group = entry.sweep(result, self.top, self.metrics)
        run = writer.write(group, _parent())
        if self.run_name and self._client.get_run(run).info.run_name != self.run_name:
            self._client.update_run(run, name=self.run_name)
        if result.test:
            writer.write(entry.heldout(result, result.test, self.metrics), run)
        if export.report and export.has_report:
            self._attach(run, export.report)
        self._show(writer.experiment, result, group)
        return self._link(views.page(writer.experiment, views.key(result.folder.name)))

    def _attach(self, run: str, report: Path) -> None:
        """Tables, figures and document of a report, once for the same files."""
        files = [
            path for name in ("tables", "figures") for path in sorted((report / name).rglob("*")) if path.is_file()
        ]
        files += [path for name in ("report.tex", "report.pdf") if (path := report / name).is_file()]
        named = {path.relative_to(report): path for path in files}
        content = digest([[str(name), file_sha256(path)] for name, path in named.items()])
        if self._client.get_run(run).data.tags.get("report") != content:
            for name, path in named.items():
                self._client.log_artifact(run, str(path), str(Path("report") / name.parent))
            self._client.set_tag(run, "report", content)

    def _show(self, experiment: str, result: SweepResult, group: entry.Group) -> None:
        """Views of the sweep and the experiment's description, which stays when a person wrote another one."""
        runs = self._client.search_runs(
            [experiment], "tags.kind = 'sweep'", order_by=["attributes.start_time DESC"], max_results=NEWEST
        )
        newest = [{**run.data.tags, "run": run.info.run_id} for run in runs]
        tags = self._client.get_experiment(experiment).tags
        objective = str(result.manifest["objective"])
        wanted = {
            **views.overview(objective),
            **views.sweep_views(result, group),
            "mlflow.experiment.primaryMetric.name": metric_name(objective),
            "mlflow.experiment.primaryMetric.greaterIsBetter": "True",
        }
        if tags.get(entry.NOTE, views.OWN).startswith(views.OWN):
            wanted[entry.NOTE] = views.description(experiment, newest, "" if self.is_server else self.site)
        for key, value in wanted.items():
            if tags.get(key) != value:
                self._client.set_experiment_tag(experiment, key, value)

    def _link(self, page: str) -> str:
        if is_server(self.uri):
            return f"{without_secrets(self.uri).rstrip('/')}/{page}"
        return f"http://127.0.0.1:5000/{page} (while `harness ui` runs)"

    @property
    def _client(self) -> Any:
        from mlflow.tracking import MlflowClient

        return MlflowClient(self.database)

    def _writer(self, tags: Mapping[str, str]) -> Writer:
        client, parent = self._client, _parent()
        from harness.report.tracking.writer import Writer

        experiment = client.get_run(parent).info.experiment_id if parent else self._experiment(client)
        threads = 1 if self.uri.startswith("sqlite") else self.threads
        own = {str(key): str(value) for key, value in self.tags.items()}
        return Writer(client, experiment, threads, {**tags, **own})

    def _experiment(self, client: Any) -> str:
        """The id of the experiment, which is made, or brought back from the trash."""
        from mlflow.exceptions import MlflowException

        if self.experiment_id is None:
            found = client.get_experiment_by_name(self.experiment)
        else:
            found = client.get_experiment(str(self.experiment_id))
        if found is None:
            place = None if is_server(self.uri) else f"{self.artifact_root}/{self.experiment}"
            try:
                client.create_experiment(self.experiment, place, KIND)
            except MlflowException as error:
                if error.error_code != "RESOURCE_ALREADY_EXISTS":  # else another process has made it meanwhile
                    raise
            found = client.get_experiment_by_name(self.experiment)
        if found.lifecycle_stage != "active":
            client.restore_experiment(found.experiment_id)
        return str(found.experiment_id)

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """One exporter at a time for each user of this machine and destination."""
        from filelock import FileLock, Timeout

        name = f"harness-track-{os.getuid()}-{digest(self.destination)[:16]}.lock"
        try:
            with FileLock(Path(tempfile.gettempdir()) / name, timeout=WAIT):
                yield
        except Timeout:
            raise HarnessError(f"another process has exported to {self.destination} for {WAIT} s; try again") from None

    @contextlib.contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        """What MLflow, its database or the network raises, in one line."""
        for key, value in SETTINGS.items():
            os.environ.setdefault(key, value)
        logging.getLogger("urllib3").setLevel(logging.ERROR)  # what it tries again is no news
        from mlflow.exceptions import MlflowException
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (MlflowException, SQLAlchemyError, OSError) as error:
            why = hide_secrets((str(error).strip() or type(error).__name__).splitlines()[0])
            raise HarnessError(f"{without_secrets(self.uri)}: MLflow cannot use it ({why[:400]})") from error


def _parent() -> str | None:
    """The run that is active in this process, or MLFLOW_RUN_ID."""
    active = sys.modules["mlflow"].active_run() if "mlflow" in sys.modules else None
    return str(active.info.run_id) if active else os.environ.get("MLFLOW_RUN_ID") or None


def _source(code: str) -> dict[str, str]:
    """User, source and git tags as MLflow sets them; git's only while the code is still that of the sweep."""
    from mlflow.tracking.context.registry import resolve_tags

    from harness.core.identity import code_version

    same = code == code_version()
    return {key: value for key, value in resolve_tags().items() if same or ".git." not in key}
