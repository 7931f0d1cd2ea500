"""MLflow as its users run it: databases, servers over HTTP, all on 127.0.0.1 and ended with the
test.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.report.tracking.mlflow import MLflow

QUIET = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}


@pytest.fixture(scope="session", autouse=True)
def tables_made_once() -> None:
    """MLflow takes seconds to make its tables; every new database here gets a copy."""
    importlib.import_module("tests.databases")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class MlflowServer:
    """`mlflow server` with artifacts through the server; it can be killed and brought back on the
    same port.
    """

    folder: Path
    options: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> MlflowServer:
        self.folder.mkdir(exist_ok=True)
        from tests import databases

        if not (self.folder / "server.db").exists():
            databases.make(self.folder / "server.db")
        command = [
            *(sys.executable, "-P", "-m", "mlflow", "server"),
            *("--host", "127.0.0.1", "--port", str(self.port)),
            *("--backend-store-uri", f"sqlite:///{self.folder}/server.db", "--workers", "1"),
            *("--artifacts-destination", str(self.folder / "artifacts"), *self.options),
        ]
        log = (self.folder / "server.log").open("ab")
        self.process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            env={**os.environ, **QUIET, **self.environment},
            start_new_session=True,
            cwd=self.folder,  # basic auth keeps its users in the working directory
        )
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{self.url}/health", timeout=5).close()
            except OSError:
                assert self.process.poll() is None, (self.folder / "server.log").read_text()
                time.sleep(0.2)
            else:
                return self
        raise AssertionError((self.folder / "server.log").read_text())

    def kill(self) -> None:
        """The server and its workers, at once."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


@pytest.fixture(scope="session")
def mlflow_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MlflowServer]:
    """One server for all tests that do not kill it."""
    server = MlflowServer(tmp_path_factory.mktemp("server")).start()
    yield server
    server.kill()


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., MlflowServer]]:
    """``start_server(options, environment)``: a server of the test's own."""
    started: list[MlflowServer] = []

    def start(
        options: list[str] | None = None, environment: dict[str, str] | None = None
    ) -> MlflowServer:
        server = MlflowServer(tmp_path / "server", options or [], environment or {})
        started.append(server)
        return server.start()

    yield start
    for server in started:
        server.kill()


def client(tracking: MLflow) -> Any:
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking.uri)


@pytest.fixture
def find_runs() -> Callable[..., list[Any]]:
    """``find_runs(tracking, query, deleted)``: what the experiment holds, as MLflow's own client
    reads it.
    """

    def find(tracking: MLflow, query: str = "", deleted: bool = False) -> list[Any]:
        from mlflow.entities import ViewType

        view = ViewType.DELETED_ONLY if deleted else ViewType.ACTIVE_ONLY
        experiment = client(tracking).get_experiment_by_name(tracking.experiment)
        return list(
            client(tracking).search_runs([experiment.experiment_id], query, view, max_results=5000)
        )

    return find
