"""`harness ui` and the links that commands print, over MLflow's API and, with Chromium, looked at
in a browser.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from harness.command.ui import command, environment
from harness.report.tracking.entry import P_TEXTS
from tests import process

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
KNOBS = [(0.3, 20, "pit"), (0.5, 30, "minmax"), (0.7, 40, "max")]

CANARY = "raise SystemExit('a file of the working directory was imported')\n"


def harness(*arguments: str, runs: Path) -> list[str]:
    script = (  # as the installed `harness` starts; a shell's job in the background ignores SIGINT
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from harness.__main__ import main; main()"
    )
    return [sys.executable, "-P", "-c", script, "ui", f"paths.runs={runs}", *arguments]


@dataclasses.dataclass(frozen=True)
class Server:
    url: str
    greeting: str
    link: str
    process: subprocess.Popen[str]

    def get(self, path: str, **body: Any) -> Any:
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(
            f"{self.url}{path}", data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())


@pytest.fixture(scope="module")
def runs(example: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of three boltzmann trials that differ in alpha, cap and normalizer alone; nothing is
    exported yet.
    """
    from tests import databases

    runs = tmp_path_factory.mktemp("runs")
    result = example.write(runs / "sweeps" / "s1")
    trials = result.trials.head(len(KNOBS)).copy()
    trials["parameters"] = [
        json.dumps(
            {"fuser": "boltzmann", "fuser.alpha": alpha, "pool.cap": cap, "normalizer": normalizer}
        )
        for alpha, cap, normalizer in KNOBS
    ]
    ranks = result.ranks[: len(KNOBS)].copy()
    trials.to_parquet(result.folder / "trials.parquet")
    np.save(result.folder / "ranks.npy", ranks)
    databases.make(runs / "mlflow.db")
    return runs


@pytest.fixture(scope="module")
def server(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`harness ui` in a folder with modules of MLflow's and the server's names, which nobody may
    import.
    """
    strange = tmp_path_factory.mktemp("strange")
    for name in ("mlflow", "uvicorn", "sqlalchemy", "fastapi", "ast"):
        (strange / f"{name}.py").write_text(CANARY)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ours = harness(f"port={port}", f"paths.reports={runs}/reports", runs=runs)
    process = subprocess.Popen(
        ours,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=strange,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        assert process.stdout is not None
        link, greeting = (process.stdout.readline() for _ in range(2))
        yield Server(url, greeting, link.partition(": ")[2].strip(), process)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)


def test_what_is_finished_is_exported_and_served(server: Server, runs: Path) -> None:
    assert (
        f"MLflow reads experiment multihop-retrieval at sqlite:///{runs}/mlflow.db"
        in server.greeting
    )
    search = {
        "experiment_ids": ["1"],
        "filter": "tags.kind = 'trial' and metrics.last_hop_at_5 > 0.7",
    }
    found = server.get("/api/2.0/mlflow/runs/search", **search)["runs"]
    (tune,) = [run for run in found if {"key": "split", "value": "tune"} in run["data"]["tags"]]
    params = {item["key"]: item["value"] for item in tune["data"]["params"]}
    assert {"fuser.alpha": "0.3", "pool.cap": "20", "normalizer": "pit"}.items() <= params.items()
    parent = server.get(
        "/api/2.0/mlflow/runs/search", experiment_ids=["1"], filter="tags.kind = 'sweep'"
    )["runs"][0]
    listed = server.get(f"/api/2.0/mlflow/artifacts/list?run_id={parent['info']['run_id']}")[
        "files"
    ]
    assert {"winner.lock.json", "trials.parquet"} <= {item["path"] for item in listed}


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: the page itself is not looked at")
def test_the_printed_link_opens_the_leaderboard(server: Server, tmp_path: Path) -> None:
    shown = browse(server.link, tmp_path)
    names = re.findall(
        r'row-index="(\d+)"[^>]*><div[^>]*col-id="attributes.`Run Name`".*?<a [^>]*>(?:<[^>]*>)*([^<]+)<',
        shown,
    )
    assert [name for _, name in names][:2] == [
        "test 1 boltzmann pit alpha=0.7 beta=0.5 cap=20",
        "test 3 rrf k=60",
    ]
    shown_columns = {*re.findall(r'col-id="((?:params|metrics)\.[^"]*)"', shown)}
    assert shown_columns >= {
        *(f"params.`{name}`" for name in P_TEXTS.values()),
        *(f"metrics.`{name}`" for name in ("last_hop_at_5", "full_sup_at_5")),
    }


def browse(url: str, folder: Path) -> str:
    """The page's DOM after its scripts have run."""
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        *quiet,
        f"--user-data-dir={folder}/profile",
    ]
    size = ["--window-size=1800,1000", "--virtual-time-budget=60000"]
    done = subprocess.run(
        [str(CHROMIUM), *options, *size, "--dump-dom", url],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_one_worker_no_jobs_and_nothing_from_the_working_directory() -> None:
    line = command("sqlite:///x.db", "x", "127.0.0.1", 5000)
    assert line[1] == "-P"
    assert line[line.index("--workers") + 1] == "1"
    assert line[line.index("--host") + 1] == "127.0.0.1"
    assert environment()["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] == "false"
    assert environment()["PYTHONSAFEPATH"] == "1"
    assert environment()["PATH"] == os.environ["PATH"]


def test_no_sweep_yet(tmp_path: Path) -> None:
    done = process.harness("ui", f"paths.runs={tmp_path}")
    assert done.returncode == 2
    assert (
        done.stderr
        == f"error: {tmp_path}: no sweep to show is there yet; run `harness sweep` first, or set paths.runs=DIR\n"
    )


def test_a_port_in_use(runs: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = process.harness("ui", f"paths.runs={runs}", f"port={port}")
    assert done.returncode == 2
    assert (
        done.stderr
        == f"error: port {port} of 127.0.0.1 is in use; set another one, e.g. port={port + 1}\n"
    )


def test_tracking_without_a_database(tmp_path: Path) -> None:
    done = process.harness("ui", f"paths.runs={tmp_path}", "tracking=none")
    assert done.returncode == 2
    assert "use tracking=mlflow" in done.stderr


def test_ctrl_c_ends_it_without_a_complaint(server: Server) -> None:
    """The last test of the server: a terminal sends SIGINT to all processes of its job."""
    os.killpg(server.process.pid, signal.SIGINT)
    _, said = server.process.communicate(timeout=30)
    assert server.process.returncode == 0
    assert not re.search("interrupted|Traceback|error", said)
