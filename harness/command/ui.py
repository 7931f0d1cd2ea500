"""Show every sweep, trial and held-out run in MLflow's own pages and on the report's site, on this machine alone.

Brings MLflow's database up to date with the folders below paths.runs, then serves it on 127.0.0.1:5000 with one worker
and without job execution, which takes 0.5 GB instead of 2.6. Ctrl-C ends it. Where tracking.uri is a server, it prints
that server's link instead. The site that `harness report` has written into paths.reports/site is served on the next
port, 5001; MLflow's description of the experiment links to it, and its pages to MLflow.

  harness ui
  harness ui port=5005                 other ports, 5005 and 5006
  harness ui paths.runs=/scratch/runs  other runs

The link that it prints opens the newest sweep: its best trials by the objective, and charts of them. Other sweeps are
in the experiment's description, their views also in the list at the top right. To find trials, search for

  tags.kind = 'trial' and tags.split = 'tune' and params.dataset = 'sample' and metrics.losses = 0

Parameters and metrics have the names that configs use, with `_at_` for `@`: metrics.last_hop_at_5. A trial's
description holds the command that runs it again.
"""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.report.tracking import Tracking


def run(config: DictConfig) -> None:
    """Export what is missing, start the site's server, and become MLflow's."""
    from harness.command import typed
    from harness.report.site import server
    from harness.report.tracking import MLflow, tracker

    tracking = tracker(config, typed())
    if not isinstance(tracking, MLflow):
        raise HarnessError("this tracking keeps no database to show; use tracking=mlflow")
    host, site = str(config.host), Path(config.paths.reports) / "site"
    served = (site / "index.html").is_file() and not tracking.is_server
    port = _checked("port", config.port, "" if tracking.is_server else host)
    beside = config.site_port if config.site_port is not None else port + 1
    if served:
        _checked("site_port", beside, host)
    tracking = replace(tracking, site=f"http://{host}:{beside}" if served else "")
    link = _update(tracking, Path(config.paths.runs))
    if tracking.is_server:
        print(f"{tracking.destination} has pages of its own: {link}")
        return
    page = link.partition("/#")[2].partition(" ")[0]
    print(f"newest sweep: http://{host}:{port}/{page and '#'}{page}", flush=True)
    if served:
        views = f"#{page.partition('=')[0]}=" if page else ""
        server.start(site, host, beside, f"http://{host}:{port}/", views)
        print(f"site: http://{host}:{beside}/", flush=True)
    else:
        print(f"no site at {site}; `harness report` writes it", flush=True)
    print(f"MLflow reads {tracking.destination}; Ctrl-C ends it", flush=True)
    line = command(tracking.database, tracking.artifact_root, host, port)
    os.chdir(sys.prefix)  # MLflow's server imports from the folder that it is started in
    os.execve(sys.executable, line, environment())


def _update(tracking: Tracking, runs: Path) -> str:
    """Export all that is finished; the link to the newest sweep. What cannot be exported is said and not served."""
    from harness.report.tracking import export_all, finished

    exports = finished(runs, "all")
    if not exports:
        raise HarnessError(f"{runs}: no sweep is there yet; run `harness sweep` first, or set paths.runs=DIR")
    tracking.check()
    links = [link for link in export_all(tracking, runs, exports) if "viewStateShareKey=" in link]
    return links[-1] if links else ""


def command(uri: str, artifacts: str, host: str, port: int) -> list[str]:
    """The server's command line; -P: nothing is imported from the working directory."""
    options = ["--backend-store-uri", uri, "--artifacts-destination", artifacts, "--workers", "1"]
    return [sys.executable, "-P", "-m", "mlflow", "server", *options, "--host", host, "--port", str(port)]


def environment() -> dict[str, str]:
    """The environment as it is, with MLflow's job execution and telemetry off, for its child processes, too."""
    off = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    return {**os.environ, **off, "PYTHONSAFEPATH": "1"}


def _checked(name: str, port: Any, host: str) -> int:
    """The port. Raises HarnessError when it is none, or is in use on the host ("": not asked)."""
    if not isinstance(port, int) or not 0 < port < 2**16:
        raise HarnessError(f"{name} must be a whole number from 1 to 65535, got {name}={port}")
    if host and not _free(host, port):
        raise HarnessError(f"port {port} of {host} is in use; set another one, e.g. {name}={port + 1}")
    return port


def _free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
