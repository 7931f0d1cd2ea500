"""What is logged reads back through MLflow's own client, once, whatever happens around it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from harness.errors import HarnessError
from harness.sweep.result import SweepResult
from harness.tracking import Tracking
from harness.tracking.entry import metric_name, parameters
from harness.tracking.mlflow import MLflow
from harness.tracking.none import Untracked


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One database for this module: making one takes seconds."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def tracking(runs: Path, request: pytest.FixtureRequest) -> MLflow:
    """An experiment of its own for every test."""
    return MLflow(f"sqlite:///{runs}/mlflow.db", request.node.name, str(runs / "mlartifacts"))


def client(tracking: MLflow) -> Any:
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking.uri)


def found(tracking: MLflow, search: str = "", deleted: bool = False) -> list[Any]:
    from mlflow.entities import ViewType

    view = ViewType.DELETED_ONLY if deleted else ViewType.ACTIVE_ONLY
    experiment = client(tracking).get_experiment_by_name(tracking.experiment).experiment_id
    return list(client(tracking).search_runs([experiment], search, view, max_results=1000))


def test_a_trial_reads_back_as_it_was_logged(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    parent = tracking.log_sweep(example.write(tmp_path / "s1"))
    (trial,) = found(tracking, "tags.trial = '0000000000000000'")
    assert trial.info.run_name == "boltzmann pit alpha=0.7 beta=0.5 cap=20"
    assert trial.info.status == "FINISHED"
    assert trial.data.params == {
        "fuser": "boltzmann",
        "fuser.alpha": "0.7",
        "fuser.beta": "0.5",
        "normalizer": "pit",
        "pool.cap": "20",
    }
    assert trial.data.metrics == pytest.approx(
        {
            "last_hop_at_5": 6 / 8,
            "full_sup_at_5": 5 / 8,
            "recall_at_5": (5 * 1 + 2 / 3 + 2 * 0.5) / 8,
            "mrr": 1.0,
            "wins": 3,
            "losses": 1,
            "p": 0.625,
            "p_holm": 1,
            "p_bh": 1,
            "wins_best": 2,
            "losses_best": 1,
            "p_best": 1,
        },
        abs=1e-15,
    )
    tags = trial.data.tags
    expected = {"dataset": "sample", "split": "tune", "code": "0.1.0+abc", "sweep": "s1", "mlflow.parentRunId": parent}
    assert {key: tags[key] for key in expected} == expected
    assert len(tags["config_hash"]) == 64
    assert "harness sweep dataset=sample grid=point fuser=boltzmann fuser.alpha=0.7" in tags["mlflow.note.content"]
    (used,) = trial.inputs.dataset_inputs
    assert (used.dataset.name, used.dataset.digest) == ("sample", "5ca1ab1e5ca1")
    assert [(tag.key, tag.value) for tag in used.tags] == [("mlflow.data.context", "tune")]
    history = client(tracking).get_metric_history(trial.info.run_id, "wins")
    assert [(point.value, point.step) for point in history] == [(3, 0)]


def test_what_is_null_is_not_logged(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    tracking.log_sweep(example.write(tmp_path / "s1"))
    (dense,) = found(tracking, "params.`fuser.list` = 'dense'")
    assert "wins" not in dense.data.metrics
    assert dense.data.metrics["wins_best"] == 3
    assert dense.data.params["pool.cap"] == "null"


def test_the_sweep_holds_the_winner_and_its_files(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    run = client(tracking).get_run(tracking.log_sweep(example.write(tmp_path / "s1")))
    assert run.data.metrics["last_hop_at_5"] == 0.75
    assert run.data.tags["winner"] == "boltzmann pit alpha=0.7 beta=0.5 cap=20"
    assert run.data.tags["lock"] == "10c4" * 16
    assert "#/compare-runs?runs=[%22" in run.data.tags["mlflow.note.content"]
    names = {item.path for item in client(tracking).list_artifacts(run.info.run_id)}
    assert names == {"config.yaml", "manifest.json", "trials.parquet", "winner.lock.json"}


def test_newest_first_is_the_leaderboard(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    tracking.log_sweep(result)
    listed = sorted(found(tracking, "tags.kind = 'trial'"), key=lambda run: -run.info.start_time)
    assert [run.info.run_name for run in listed] == result.trials["name"].tolist()


def test_logging_again_changes_nothing(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    with ThreadPoolExecutor(4) as threads:
        ids = set(threads.map(lambda _: tracking.log_heldout(result), range(4)))
    assert len(ids) == 1
    tracking.log_sweep(SweepResult(result.folder))
    assert len(found(tracking)) == 1 + 8 + 1 + 5
    assert not found(tracking, deleted=True)


def test_other_numbers_of_the_same_sweep_take_its_place(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    before = tracking.log_sweep(result)
    changed = result.trials.assign(mrr=0.5)
    changed.to_parquet(result.folder / "trials.parquet")
    after = tracking.log_sweep(SweepResult(result.folder))
    assert after != before
    assert len(found(tracking)) == len(found(tracking, deleted=True)) == 9
    assert {run.data.metrics["mrr"] for run in found(tracking, "tags.kind = 'trial'")} == {0.5}


def test_a_sweep_in_the_trash_comes_back(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    client(tracking).delete_run(tracking.log_sweep(result))
    tracking.log_sweep(result)
    assert len(found(tracking)) == 9


def test_two_sweeps_stand_beside_each_other(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    for name in ("s1", "s2"):
        tracking.log_sweep(example.write(tmp_path / name))
    assert len(found(tracking)) == 18


def test_heldout_stands_below_its_sweep(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "s1")
    evaluation = client(tracking).get_run(tracking.log_heldout(result))
    assert evaluation.data.tags["mlflow.parentRunId"] == tracking.log_sweep(result)
    assert evaluation.data.tags["evaluation"] == "1"
    assert evaluation.data.metrics["last_hop_at_5"] == 5 / 6
    assert evaluation.data.metrics["wilson_low"] == 0.4365
    (winner,) = found(tracking, "tags.split = 'test' and tags.trial = '0000000000000000'")
    assert winner.data.metrics["odds_ratio"] == 10
    assert winner.inputs.dataset_inputs[0].tags[0].value == "test"


def test_heldout_needs_rows(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="run `harness heldout"):
        tracking.log_heldout(example.write(tmp_path / "s1", heldout=False))


def test_a_report_is_attached(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "report" / "tables").mkdir(parents=True)
    (tmp_path / "report" / "tables" / "heldout.tex").write_text("table")
    (tmp_path / "report" / "index.html").write_text("page")
    result = example.write(tmp_path / "s1")
    tracking.log_report(result, tmp_path / "report")
    run = tracking.log_sweep(result)
    attached = {item.path for item in client(tracking).list_artifacts(run, "report")}
    assert attached == {"report/tables", "report/index.html"}


def test_bulk_rows_are_those_of_mlflow_itself(tracking: MLflow, example: ModuleType, tmp_path: Path) -> None:
    """The same run logged through MLflow's public API has the same columns filled."""
    import sqlalchemy
    from mlflow.entities import Metric, Param, RunTag

    tracking.log_sweep(example.write(tmp_path / "s1"))
    (trial,) = found(tracking, "tags.trial = '0000000000000000'")
    public = client(tracking)
    peer = public.create_run(trial.info.experiment_id, run_name=trial.info.run_name)
    public.log_batch(
        peer.info.run_id,
        [Metric(key, value, 1, 0) for key, value in trial.data.metrics.items()],
        [Param(key, value) for key, value in trial.data.params.items()],
        [RunTag(key, value) for key, value in trial.data.tags.items()],
    )
    public.set_terminated(peer.info.run_id)
    logged = public.get_run(peer.info.run_id)
    assert logged.data.params == trial.data.params
    assert logged.data.metrics == trial.data.metrics
    assert {key: logged.data.tags[key] for key in trial.data.tags} == trial.data.tags
    free = {"run_uuid", "artifact_uri", "start_time", "end_time", "timestamp", "user_id"}
    with sqlalchemy.create_engine(tracking.uri).connect() as connection:
        for table in ("runs", "params", "metrics", "latest_metrics"):
            frame = pd.read_sql(sqlalchemy.text(f"select * from {table}"), connection)
            ours, theirs = (
                frame[frame["run_uuid"] == run].drop(columns=list(free & set(frame))).to_dict("records")
                for run in (trial.info.run_id, peer.info.run_id)
            )
            assert sorted(map(str, ours)) == sorted(map(str, theirs))


def test_two_processes_may_make_the_database(example: ModuleType, tmp_path: Path) -> None:
    result = example.write(tmp_path / "sweeps" / "s1")
    script = (
        "import sys; from pathlib import Path; from harness.sweep.result import SweepResult\n"
        "from harness.tracking.mlflow import MLflow\n"
        "runs = sys.argv[1]\n"
        "tracking = MLflow(f'sqlite:///{runs}/mlflow.db', 'two', f'{runs}/mlartifacts')\n"
        "tracking.log_sweep(SweepResult(Path(sys.argv[2])))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), str(result.folder)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ended = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0, 0], ended
    assert ended == [("", ""), ("", "")]
    assert len(found(MLflow(f"sqlite:///{tmp_path}/mlflow.db", "two", "unused"))) == 9


def test_a_server_is_not_a_database() -> None:
    with pytest.raises(HarnessError, match=r"tracking\.uri must name a database.*got 'http://host:5000'"):
        MLflow("http://host:5000", "x", "y")


def test_a_file_that_is_no_database_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_text("something else")
    with pytest.raises(HarnessError, match=r"mlflow\.db: MLflow cannot use it \(it is not an SQLite database\); move"):
        MLflow(f"sqlite:///{tmp_path}/mlflow.db", "x", "y").prepare()


def test_a_database_of_another_mlflow_is_named(tmp_path: Path) -> None:
    import sqlite3

    tracking = MLflow(f"sqlite:///{tmp_path}/mlflow.db", "x", str(tmp_path / "y"))
    tracking.prepare()
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        database.execute("update alembic_version set version_num = 'another'")
    with pytest.raises(HarnessError, match=r"out-of-date database schema.*mlflow db upgrade"):
        replace(tracking).prepare()


def test_no_tracking_logs_nothing(example: ModuleType, tmp_path: Path) -> None:
    tracking: Tracking = Untracked()
    assert isinstance(tracking, Tracking)
    tracking.prepare()
    result = example.write(tmp_path / "s1")
    tracking.log_sweep(result)
    tracking.log_heldout(result)
    tracking.log_report(result, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s1"]


@pytest.mark.parametrize(("metric", "name"), [("last_hop@5", "last_hop_at_5"), ("mrr", "mrr")])
def test_metric_names(metric: str, name: str) -> None:
    from mlflow.utils.validation import _validate_metric_name

    assert metric_name(metric) == name
    _validate_metric_name(name)


def test_parameters_are_flat_and_typed() -> None:
    knobs = {"fuser.alpha": 0.1 + 0.2, "pool.cap": 20, "x": True, "y": None, "z": "rrf", "lists": ["dense", "graph"]}
    texts = parameters({"parameters": json.dumps(knobs)})
    assert texts == {
        "fuser.alpha": "0.30000000000000004",
        "pool.cap": "20",
        "x": "true",
        "y": "null",
        "z": "rrf",
        "lists": '["dense", "graph"]',
    }
    assert math.isclose(float(texts["fuser.alpha"]), 0.1 + 0.2, rel_tol=0)


def test_what_was_foreseen_is_in_the_sweeps_own_run(example: ModuleType, tmp_path: Path) -> None:
    from harness.tracking import entry

    found = entry.sweep(example.write(tmp_path / "s1"), "x").entries[0].metrics
    told = {"expected_on_test": 0.7, "expected_low": 0.4, "expected_high": 0.8, "winners_curse": 0.05,
            "power_on_test": 0.031, "queries_for_power_80": 66}  # fmt: skip
    assert told.items() <= found.items()
    assert "smallest_detectable" not in found  # null: none is
