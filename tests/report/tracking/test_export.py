"""Copies of finished sweeps: of all or some, once, and when a server was away."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.report.tracking.export import describe_tracker, track, update
from harness.report.tracking.mlflow import MLflow
from harness.report.tracking.none import Untracked
from tests.process import harness

AWAY = "http://127.0.0.1:9"  # nobody listens there


def exported(runs: Path, *given: str, sweep: str = "all") -> int:
    """How many are up to date."""
    return len(
        update(instantiate(compose("ui", [f"paths.runs={runs}", *given]).tracking), runs, sweep)
    )


def sweeps(database: Path) -> list[str]:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{database}")
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    return sorted(
        found.data.tags["sweep"] for found in client.search_runs(ids, "tags.kind = 'sweep'")
    )


@pytest.fixture
def runs(example: ModuleType, tmp_path: Path) -> Path:
    for name in ("s1", "s2"):
        example.write(tmp_path / "sweeps" / name, heldout=False)
    return tmp_path


def test_all_sweeps_then_nothing(runs: Path) -> None:
    assert exported(runs) == 2
    assert sweeps(runs / "mlflow.db") == ["s1", "s2"]
    before = (runs / "mlflow.db").read_bytes()
    assert exported(runs, sweep=f"{runs}/sweeps/s1") == 1
    assert (runs / "mlflow.db").read_bytes() == before


def test_one_bad_sweep_does_not_stop_the_others(
    runs: Path, example: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder's name has letters that are a query's own; another one is damaged."""
    example.write(runs / "sweeps" / "musique (copy)", heldout=False)
    (runs / "sweeps" / "s1" / "trials.parquet").write_text("damaged")
    assert exported(runs) == 2
    assert sweeps(runs / "mlflow.db") == ["musique (copy)", "s2"]
    said = capsys.readouterr()
    (line,) = [
        line for line in said.err.splitlines() if "INFO mlflow" not in line
    ]  # of a database that is new
    assert line.startswith("not tracked: s1: ")


def test_a_server_that_is_away_costs_one_line_and_is_made_good(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    track(MLflow(AWAY, "x", "y"), runs / "sweeps" / "s1")
    said = capsys.readouterr().err
    assert said.startswith(f"not tracked: {AWAY}: MLflow cannot use it (")
    assert said.count("\n") == 1
    assert exported(runs) == 2
    assert sweeps(runs / "mlflow.db") == ["s1", "s2"]


def test_a_sweep_ends_with_status_0_when_the_server_is_away(
    overrides: list[str], tmp_path: Path
) -> None:
    """Its table and folder are printed."""
    small = [*(one for one in overrides if one != "tracking=none"), "grid=point"]
    environment = {**os.environ, "MLFLOW_TRACKING_URI": AWAY, "MLFLOW_EXPERIMENT_NAME": "lab"}
    done = harness("sweep", *small, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.splitlines()[-1])
    assert (folder / "winner.lock.json").is_file()
    assert f"not tracked: {AWAY}: MLflow cannot use it" in done.stderr.splitlines()[-1]
    assert exported(tmp_path / "runs") == 1
    assert sweeps(tmp_path / "runs" / "mlflow.db") == [folder.name]


def test_command_line_before_environment_before_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = instantiate(compose("ui", [f"paths.runs={tmp_path}"]).tracking)
    assert isinstance(found, MLflow)
    assert (found.uri, found.experiment) == (
        f"sqlite:///{tmp_path}/mlflow.db",
        "multihop-retrieval",
    )
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "lab")
    found = instantiate(compose("ui", [f"paths.runs={tmp_path}"]).tracking)
    assert isinstance(found, MLflow)
    assert (found.uri, found.experiment) == ("http://127.0.0.1:9", "lab")
    found = instantiate(
        compose("ui", [f"paths.runs={tmp_path}", "tracking.uri=sqlite:///x.db"]).tracking
    )
    assert isinstance(found, MLflow)
    assert (found.uri, found.experiment) == ("sqlite:///x.db", "lab")
    assert isinstance(instantiate(compose("ui", ["tracking=none"]).tracking), Untracked)


@pytest.mark.parametrize(
    ("typed", "environment", "destination"),
    [
        ([], {"MLFLOW_EXPERIMENT_ID": "7", "MLFLOW_EXPERIMENT_NAME": "lab"}, "id 7"),
        (["tracking.experiment_id=8"], {"MLFLOW_EXPERIMENT_NAME": "lab"}, "id 8"),
    ],
)
def test_the_id_of_an_experiment(
    typed: list[str],
    environment: dict[str, str],
    destination: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    first, _ = describe_tracker(compose("doctor", [f"paths.runs={tmp_path}", *typed]))
    assert first.startswith(f"experiment {destination} at ")


def test_doctor_says_which_one_holds_and_whether_it_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second = describe_tracker(compose("doctor", [f"paths.runs={tmp_path}"]))
    assert first == f"experiment multihop-retrieval at sqlite:///{tmp_path}/mlflow.db"
    assert second == f"{tmp_path}/mlflow.db is not there yet; the first export makes it"
    assert not (tmp_path / "mlflow.db").exists()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", AWAY)
    first, second = describe_tracker(compose("doctor", [f"paths.runs={tmp_path}"]))
    assert first == f"experiment multihop-retrieval at {AWAY}"
    assert second.startswith(f"WARNING: {AWAY}: MLflow cannot use it")


def test_tracking_none_holds_for_what_follows_from_the_sweep(
    overrides: list[str], sweep_of: Callable[..., Any], tmp_path: Path
) -> None:
    assert "tracking=none" in overrides
    folder = sweep_of("grid=point")[0].folder
    done = harness("heldout", cwd=tmp_path, check=True)
    assert "tracked" not in done.stderr
    said = harness("ui", cwd=tmp_path)
    assert said.returncode == 2
    assert (
        f"every sweep there was made with tracking=none; `harness ui sweep={folder.name}` shows"
        in said.stderr
    )
    assert not (tmp_path / "runs" / "mlflow.db").exists()
    assert exported(tmp_path / "runs", sweep=str(folder)) == 1
    assert sweeps(tmp_path / "runs" / "mlflow.db") == [folder.name]
