"""`harness track`, and what other commands leave for it when a server is away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from harness.command.track import run
from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.report.tracking import Export
from harness.report.tracking.mlflow import MLflow
from harness.report.tracking.none import Untracked
from harness.report.tracking.pending import FOLDER, due, remember, track
from harness.report.tracking.setting import describe, tracker

AWAY = "http://127.0.0.1:9"  # nobody listens there


def sweeps(database: Path) -> list[str]:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{database}")
    ids = [experiment.experiment_id for experiment in client.search_experiments()]
    return sorted(found.data.tags["sweep"] for found in client.search_runs(ids, "tags.kind = 'sweep'"))


@pytest.fixture
def runs(example: ModuleType, tmp_path: Path) -> Path:
    for name in ("s1", "s2"):
        example.write(tmp_path / "sweeps" / name, heldout=False)
    return tmp_path


def test_all_sweeps_then_nothing(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(compose("track", [f"paths.runs={runs}", "tracking.top=1"]))
    assert sweeps(runs / "mlflow.db") == ["s1", "s2"]
    before = (runs / "mlflow.db").read_bytes()
    run(compose("track", [f"paths.runs={runs}", "tracking.top=1", f"sweep={runs}/sweeps/s1"]))
    assert (runs / "mlflow.db").read_bytes() == before
    assert "1 up to date in experiment multihop-retrieval" in capsys.readouterr().out


def test_one_bad_sweep_does_not_stop_the_others(
    runs: Path, example: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder's name has letters that MLflow takes in no key; another one is damaged, and an export of it is due."""
    example.write(runs / "sweeps" / "musique (copy)", heldout=False)
    (runs / "sweeps" / "s1" / "trials.parquet").write_text("damaged")
    config = compose("track", [f"paths.runs={runs}", "tracking.top=0"])
    remember(tracker(config, []), runs, Export(runs / "sweeps" / "s1"))
    with pytest.raises(HarnessError, match=r"1 of 3 could not be exported"):
        run(config)
    assert sweeps(runs / "mlflow.db") == ["musique (copy)", "s2"]
    said = capsys.readouterr()
    (line,) = [line for line in said.err.splitlines() if "INFO mlflow" not in line]  # of a database that is new
    assert line.startswith("not tracked: s1: ")
    assert "musique-copy-" in said.out
    assert len(list((runs / FOLDER).iterdir())) == 1  # due still


def test_a_server_that_is_away_costs_one_line_and_is_made_good(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(runs / "sweeps" / "s1")
    away = MLflow(AWAY, "x", "y")
    track(away, runs, export)
    said = capsys.readouterr().err
    assert said.startswith(f"not tracked: {AWAY}: MLflow cannot use it (")
    assert said.count("\n") == 1
    (note,) = (runs / FOLDER).iterdir()
    assert json.loads(note.read_text())["path"] == str(export.path)
    here = MLflow(f"sqlite:///{runs}/mlflow.db", "x", str(runs / "artifacts"), top=0)
    remember(here, runs, Export(runs / "sweeps" / "s2"))  # as a command that was killed leaves it
    track(here, runs, export)
    assert sweeps(runs / "mlflow.db") == ["s1", "s2"]
    assert list((runs / FOLDER).iterdir()) == [note]  # what is due elsewhere is due still


def test_a_sweep_ends_with_status_0_when_the_server_is_away(overrides: list[str], tmp_path: Path) -> None:
    """Its table and folder are printed; nothing is imported from a working directory full of other people's files."""
    for name in ("mlflow", "yaml", "hydra", "sqlalchemy", "requests", "ast"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the working directory')\n")
    small = [*(one for one in overrides if one != "tracking=none"), "grid=point"]
    environment = {**os.environ, "MLFLOW_TRACKING_URI": AWAY, "MLFLOW_EXPERIMENT_NAME": "lab"}
    line = [sys.executable, "-m", "harness", "sweep", *small]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.splitlines()[-1])
    assert (folder / "winner.lock.json").is_file()
    assert f"not tracked: {AWAY}: MLflow cannot use it" in done.stderr.splitlines()[-1]
    (note,) = (tmp_path / "runs" / FOLDER).iterdir()
    assert json.loads(note.read_text())["destination"] == f"experiment lab at {AWAY}"
    run(compose("track", [f"paths.runs={tmp_path}/runs", "tracking.top=0"]))
    assert sweeps(tmp_path / "runs" / "mlflow.db") == [folder.name]


def test_command_line_before_environment_before_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = compose("track", [f"paths.runs={tmp_path}"])
    found = tracker(config, [])
    assert isinstance(found, MLflow)
    assert (found.uri, found.experiment) == (f"sqlite:///{tmp_path}/mlflow.db", "multihop-retrieval")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "lab")
    monkeypatch.setenv("MLFLOW_RUN_NAME", "mine")
    found = tracker(config, [])
    assert isinstance(found, MLflow)
    assert (found.uri, found.experiment, found.run_name) == ("http://127.0.0.1:9", "lab", "mine")
    typed = ["tracking.uri=sqlite:///x.db"]
    found = tracker(compose("track", [f"paths.runs={tmp_path}", *typed]), typed)
    assert isinstance(found, MLflow)
    assert (found.uri, found.experiment) == ("sqlite:///x.db", "lab")
    assert isinstance(tracker(compose("track", ["tracking=none"]), []), Untracked)


@pytest.mark.parametrize(
    ("typed", "environment", "destination", "source"),
    [
        ([], {"MLFLOW_EXPERIMENT_ID": "7"}, "id 7", "MLFLOW_EXPERIMENT_ID"),
        ([], {"MLFLOW_EXPERIMENT_ID": "7", "MLFLOW_EXPERIMENT_NAME": "lab"}, "id 7", "MLFLOW_EXPERIMENT_ID"),
        (["tracking.experiment=x"], {"MLFLOW_EXPERIMENT_ID": "7"}, "x", "command line"),
        (["tracking.experiment_id=8"], {"MLFLOW_EXPERIMENT_ID": "7"}, "id 8", "command line"),
        (["tracking.experiment_id=8"], {"MLFLOW_EXPERIMENT_NAME": "lab"}, "id 8", "command line"),
    ],
)
def test_the_id_of_an_experiment(
    typed: list[str],
    environment: dict[str, str],
    destination: str,
    source: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    first, _ = describe(compose("doctor", [f"paths.runs={tmp_path}", *typed]), typed)
    assert first.startswith(f"experiment {destination} at ")
    assert first.endswith(f"experiment: {source})")


def test_doctor_says_which_one_holds_and_whether_it_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = compose("doctor", [f"paths.runs={tmp_path}"])
    first, second = describe(config, [])
    assert first.endswith(f"sqlite:///{tmp_path}/mlflow.db (uri: configuration, experiment: configuration)")
    assert second == f"{tmp_path}/mlflow.db is not there yet; the first export makes it"
    assert not (tmp_path / "mlflow.db").exists()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", AWAY)
    remember(tracker(config, []), tmp_path, Export(tmp_path))
    first, second, due = describe(config, ["tracking.experiment=x"])
    assert first.endswith("(uri: MLFLOW_TRACKING_URI, experiment: command line)")
    assert second.startswith(f"WARNING: {AWAY}: MLflow cannot use it")
    assert due == "1 exports are due; `harness track` makes them"


def test_nowhere_to_copy_to(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="tracking=none keeps no copies"):
        run(compose("track", [f"paths.runs={tmp_path}", "tracking=none"]))


@pytest.mark.parametrize("note", ["{", "[]", "{}", '{"destination": "d", "path": 1}', f'{{"path": "{"9" * 5000}"}}'])
def test_a_damaged_note_is_one_line(tmp_path: Path, note: str) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "a.json").write_text(note.replace("}", ', "destination": "d", "report": null}', 1))
    with pytest.raises(HarnessError, match=r"a\.json: not a note of an export that is due"):
        due(MLflow(f"sqlite:///{tmp_path}/mlflow.db", "x", "y"), tmp_path)


@pytest.mark.parametrize("content", ["{", "{}", "[]", '{"dataset": "d", "split": "tune", "reader": 1}'])
def test_damaged_answers_are_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "answers" / "a.json"
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(HarnessError, match=r"a\.json.*`harness answer` kept"):
        MLflow(f"sqlite:///{tmp_path}/mlflow.db", "x", str(tmp_path)).export(Export(path))
