"""Show every sweep, trial and held-out run in MLflow's own pages, on this machine alone.

Brings MLflow up to date with the folders below paths.runs, which are the truth: what it already
holds is left as it is. Then serves it on 127.0.0.1:5000 with one worker and without job execution,
which takes 0.5 GB instead of 2.6. Ctrl-C ends it. Sweeps that were made with tracking=none are left
out unless they are named. If tracking.uri is a server, it prints that server's link instead.

  harness ui
  harness ui port=5005                             another port
  harness ui paths.runs=/scratch/runs              other runs
  harness ui sweep=runs/sweeps/NAME                one sweep; or sweep='[DIR,DIR]'
  harness ui tracking.uri=http://mlflow.lab:5000   to a server (user, password, token: MLflow's environment)
  harness ui tracking.tags.team=graph              a tag of your own

Without tracking.uri, tracking.experiment and tracking.experiment_id, MLFLOW_TRACKING_URI,
MLFLOW_EXPERIMENT_NAME and MLFLOW_EXPERIMENT_ID are used; an experiment's id goes before its name. With MLFLOW_RUN_ID, or within `mlflow.start_run()`, runs are
children of that run.

The link that it prints opens the newest sweep: its trials, best first. To find others, search for

  tags.kind = 'trial' and tags.split = 'tune' and tags.dataset = 'sample' and metrics.graph_loss = 0

Parameters and metrics have the names that configs use, with `_at_` for `@`: metrics.last_hop_at_5.
A trial's description holds the command that runs it again.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

from omegaconf import DictConfig

from harness.command import python_value
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, whole_number


def run(config: DictConfig) -> None:
    """Export missing results, start MLflow's server, and print its link when it answers."""
    from harness.report.tracking.export import Tracking, update
    from harness.report.tracking.mlflow import MLflow

    tracking: Tracking = instantiate(config.tracking)
    if not isinstance(tracking, MLflow):
        raise HarnessError("this tracking keeps no database to show; use tracking=mlflow")
    host, port = str(config.host), config.port
    whole_number("port", port, 1, 2**16 - 1)
    if not tracking.is_server and not _free(host, port):
        raise HarnessError(
            f"port {port} of {host} is in use; set another one, e.g. port={port + 1}"
        )
    runs = Path(config.paths.runs)
    newest = next(reversed(update(tracking, runs, python_value(config.sweep))), "")
    if tracking.is_server:
        print(f"{tracking.destination} has its own pages: {tracking.address(newest, runs)}")
        return
    line = command(tracking.database, tracking.artifact_root, host, port)
    # MLflow's server imports from the folder that it is started in. In a process group of its own
    # a terminal's Ctrl-C does not reach it: interrupted twice, it prints a traceback.
    server = subprocess.Popen(
        line, cwd=sys.prefix, env=environment(), stdout=sys.stderr, process_group=0
    )
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(ending, lambda *_: server.terminate())
    try:
        if _answers(f"http://{host}:{port}/health", server):
            shown = "localhost" if host == "0.0.0.0" else host
            print(f"newest sweep: http://{shown}:{port}/{newest}")
            print(f"MLflow reads {tracking.destination}; Ctrl-C ends it", flush=True)
        status = server.wait()
    except KeyboardInterrupt:
        server.terminate()
        server.wait()
        return
    if status > 0:
        raise HarnessError(f"MLflow's server ended with status {status}; its lines above say why")


def _answers(address: str, server: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers. Return False if it ended before."""
    while server.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return True
        except OSError:
            time.sleep(0.2)
    return False


def command(uri: str, artifacts: str, host: str, port: int) -> list[str]:
    """Return the server's command line. With -P nothing is imported from the working directory."""
    options = ["--backend-store-uri", uri, "--artifacts-destination", artifacts, "--workers", "1"]
    start = f"-P -m mlflow server --port {port} --host".split()
    return [sys.executable, *start, host, *options]


def environment() -> dict[str, str]:
    """Return the environment with MLflow's job execution and telemetry off, also for its child
    processes.
    """
    off = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    return {**os.environ, **off, "PYTHONSAFEPATH": "1"}


def _free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
