"""The real server on a free port, read over its API and, where Chromium is installed, looked at in a browser."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from harness.command.ui import command, environment
from harness.sweep.result import SweepResult
from harness.tracking.mlflow import MLflow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
KNOBS = [(0.3, 20, "pit"), (0.5, 30, "minmax"), (0.7, None, "max")]


def harness(*arguments: str, runs: Path) -> list[str]:
    return [sys.executable, "-m", "harness", "ui", f"paths.runs={runs}", *arguments]


@dataclasses.dataclass(frozen=True)
class Server:
    url: str
    greeting: str

    def get(self, path: str, **body: Any) -> Any:
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"{self.url}{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())


@pytest.fixture(scope="module")
def runs(example: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of three boltzmann trials that differ in alpha, cap and normalizer alone."""
    runs = tmp_path_factory.mktemp("runs")
    result = example.write(runs / "sweeps" / "s1", heldout=False)
    trials = result.trials.head(len(KNOBS)).copy()
    trials["parameters"] = [
        json.dumps({"fuser": "boltzmann", "fuser.alpha": alpha, "pool.cap": cap, "normalizer": normalizer})
        for alpha, cap, normalizer in KNOBS
    ]
    trials.to_parquet(result.folder / "trials.parquet")
    MLflow(f"sqlite:///{runs}/mlflow.db", "multihop-retrieval", f"{runs}/mlartifacts").log_sweep(
        SweepResult(result.folder)
    )
    return runs


@pytest.fixture(scope="module")
def server(runs: Path) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        harness(f"port={port}", runs=runs), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    url = f"http://127.0.0.1:{port}"
    try:
        assert process.stdout is not None
        greeting = process.stdout.readline()
        _wait(f"{url}/health", process)
        yield Server(url, greeting)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def _wait(url: str, process: subprocess.Popen[str]) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            assert process.poll() is None, process.communicate()
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"{url} did not answer within a minute")


def test_the_runs_are_served(server: Server, runs: Path) -> None:
    assert f"MLflow on {server.url}, reading {runs}/mlflow.db" in server.greeting
    search = {"experiment_ids": ["1"], "filter": "tags.kind = 'trial' and metrics.last_hop_at_5 > 0.7"}
    (found,) = server.get("/api/2.0/mlflow/runs/search", **search)["runs"]
    assert {item["key"]: item["value"] for item in found["data"]["params"]} == {
        "fuser": "boltzmann",
        "fuser.alpha": "0.3",
        "pool.cap": "20",
        "normalizer": "pit",
    }
    parent = server.get("/api/2.0/mlflow/runs/search", experiment_ids=["1"], filter="tags.kind = 'sweep'")["runs"][0]
    listed = server.get(f"/api/2.0/mlflow/artifacts/list?run_id={parent['info']['run_id']}")["files"]
    assert "winner.lock.json" in {item["path"] for item in listed}


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: the page itself is not looked at")
def test_parallel_coordinates_over_alpha_cap_and_normalizer(server: Server, tmp_path: Path) -> None:
    found = server.get("/api/2.0/mlflow/runs/search", experiment_ids=["1"], filter="tags.kind = 'trial'")["runs"]
    ids = urllib.parse.quote(json.dumps([run["info"]["run_id"] for run in found]))
    page = f"{server.url}/#/compare-runs?runs={ids}&experiments={urllib.parse.quote(json.dumps(['1']))}"
    shown = browse(page, tmp_path)
    assert "Comparing 3 Runs from 1 Experiment" in shown
    assert "parcoords" in shown
    chart = shown[shown.index("parcoords") :]
    for axis in ("fuser.alpha", "normalizer", "pool.cap", "last_hop_at_5", "minmax"):
        assert f">{axis}<" in chart


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: the page itself is not looked at")
def test_the_runs_list_shows_the_sweep(server: Server, tmp_path: Path) -> None:
    shown = browse(f"{server.url}/#/experiments/1/runs", tmp_path)
    assert "multihop-retrieval" in shown
    assert ">sweep s1<" in shown


def browse(url: str, folder: Path) -> str:
    """The page's DOM after its scripts have run."""
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
    options = ["--headless", "--no-sandbox", "--disable-gpu", *quiet, f"--user-data-dir={folder}/profile"]
    size = ["--window-size=1600,1000", "--virtual-time-budget=30000"]
    done = subprocess.run(
        [str(CHROMIUM), *options, *size, "--dump-dom", url], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


def test_one_worker_and_no_jobs() -> None:
    line = command("sqlite:///x.db", "x", "127.0.0.1", 5000)
    assert line[line.index("--workers") + 1] == "1"
    assert line[line.index("--host") + 1] == "127.0.0.1"
    assert environment()["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] == "false"
    assert environment()["MLFLOW_DISABLE_TELEMETRY"] == "true"
    assert environment()["PATH"] == os.environ["PATH"]


def test_nothing_logged_yet(tmp_path: Path) -> None:
    done = subprocess.run(harness(runs=tmp_path), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f"error: {tmp_path}/mlflow.db: nothing is logged yet; run `harness sweep` first, or set paths.runs=DIR\n"
    )


def test_a_port_in_use(runs: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            harness(f"port={port}", runs=runs), capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 2
    assert done.stderr == f"error: port {port} of 127.0.0.1 is in use; set another one, e.g. port={port + 1}\n"


def test_tracking_without_a_database(tmp_path: Path) -> None:
    done = subprocess.run(
        harness("tracking=none", runs=tmp_path), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "use tracking=mlflow" in done.stderr
