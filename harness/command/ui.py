"""Show every sweep, trial and held-out run in MLflow's own pages, on this machine alone.

Reads the database that `harness sweep` logs to (tracking.uri, runs/mlflow.db) and serves it on 127.0.0.1:5000 with one
worker and without job execution, which takes 0.5 GB instead of 2.6. Ctrl-C ends it.

  harness ui
  harness ui port=5001                 another port
  harness ui paths.runs=/scratch/runs  other runs

In the pages: open the experiment `multihop-retrieval`, then "Training runs". A sweep is a run, its trials are below it
(the + beside its name), best first. The sweep's description links to the parallel coordinates of its best trials: add
parameters such as pool.cap and normalizer there, and drag along an axis to keep a range. To find trials, search for

  tags.kind = 'trial' and tags.split = 'tune' and tags.dataset = 'sample' and metrics.losses = 0

Parameters and metrics have the names that configs use, with `_at_` for `@`: metrics.last_hop_at_5. A trial's
description holds the command that runs it again.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import HarnessError

if TYPE_CHECKING:
    from omegaconf import DictConfig

SQLITE = "sqlite:///"


def run(config: DictConfig) -> None:
    """Become the server."""
    if "uri" not in config.tracking:
        raise HarnessError("this tracking keeps no database to show; use tracking=mlflow")
    uri, host, port = str(config.tracking.uri), str(config.host), int(config.port)
    database = Path(uri.removeprefix(SQLITE))
    if uri.startswith(SQLITE) and not database.is_file():
        raise HarnessError(f"{database}: nothing is logged yet; run `harness sweep` first, or set paths.runs=DIR")
    if not _free(host, port):
        raise HarnessError(f"port {port} of {host} is in use; set another one, e.g. port={port + 1}")
    print(f"MLflow on http://{host}:{port}, reading {uri.removeprefix(SQLITE)}; Ctrl-C ends it", flush=True)
    os.execve(sys.executable, command(uri, str(config.tracking.artifacts), host, port), environment())


def command(uri: str, artifacts: str, host: str, port: int) -> list[str]:
    """The server's command line."""
    options = ["--backend-store-uri", uri, "--artifacts-destination", artifacts, "--workers", "1"]
    return [sys.executable, "-m", "mlflow", "server", *options, "--host", host, "--port", str(port)]


def environment() -> dict[str, str]:
    """The environment as it is, with MLflow's job execution and telemetry off."""
    off = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    return {**os.environ, **off}


def _free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
