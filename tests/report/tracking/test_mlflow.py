"""What is exported to a database reads back through MLflow's own client, once, whatever happens
around it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from harness.core.errors import HarnessError
from harness.core.identity import digest, sealed
from harness.report.tracking.entry import FILES
from harness.report.tracking.export import Tracking
from harness.report.tracking.mlflow import MLflow
from harness.report.tracking.none import Untracked
from harness.sweep.folder.files import ENTRY
from harness.sweep.folder.result import SweepResult
from tests.process import python

Find = Callable[..., list[Any]]
EXPORT = """if True:
    import sys
    from pathlib import Path
    from harness.report.tracking.mlflow import MLflow
    uri, experiment, artifacts, folder = sys.argv[1:]
    print(MLflow(uri, experiment, artifacts).export(Path(folder)))
"""


def client(tracking: MLflow) -> Any:
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking.uri)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One database for this module: making one takes seconds."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where MLflow's own client makes ./mlruns


@pytest.fixture
def tracking(runs: Path, request: pytest.FixtureRequest) -> MLflow:
    """An experiment of its own for every test."""
    return MLflow(f"sqlite:///{runs}/mlflow.db", request.node.name, str(runs / "mlartifacts"))


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    return example.write(tmp_path / "sweeps" / "s1", heldout=False)  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def exported(
    runs: Path, example: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> SimpleNamespace:
    """A sweep on tune in an experiment that no test changes: its tracking, its result, its page."""
    folder = tmp_path_factory.mktemp("exported")
    result = example.write(folder / "sweeps" / "s1", heldout=False)
    path = result.folder / "manifest.json"
    cost = {"seconds": {"lists": {"graph": 40.0}}, "peak_memory_mb": 573}
    path.write_text(json.dumps({**json.loads(path.read_text()), "cost": cost}))
    tracking = MLflow(f"sqlite:///{runs}/mlflow.db", "read alone", str(runs / "mlartifacts"))
    with contextlib.chdir(folder):
        page = tracking.export(result.folder)
    return SimpleNamespace(tracking=tracking, result=result, page=page)


def test_a_trial_reads_back_as_it_stands_in_the_folder(
    exported: SimpleNamespace, find_runs: Find
) -> None:
    tracking = exported.tracking
    (parent,) = find_runs(tracking, "tags.kind = 'sweep'")
    (trial,) = find_runs(tracking, "tags.trial = '0000000000000000'")
    assert trial.info.run_name == "1 boltzmann pit alpha=0.7 beta=0.5 cap=20"
    assert trial.info.status == "FINISHED"
    params = {"strategy": "boltzmann pit alpha=0.7 beta=0.5 cap=20", "fuser": "boltzmann"}
    params |= {"dataset": "sample", "split": "tune", "fuser.alpha": "0.7"}
    params |= {"normalizer": "pit", "pool.cap": "20"}
    assert params.items() <= trial.data.params.items()
    constant = {"dataset": "sample", "split": "tune", "n": "8", "objective": "last_hop@5"}
    assert constant.items() <= parent.data.params.items()
    recall = (5 * 1 + 2 / 3 + 2 * 0.5) / 8
    metrics = {"last_hop_at_5": 6 / 8, "full_sup_at_5": 5 / 8, "recall_at_5": recall, "mrr": 1.0}
    metrics |= {"wins": 3, "losses": 1, "p": 0.625, "p_holm": 1}
    assert trial.data.metrics == pytest.approx(metrics, abs=1e-15)
    tags = trial.data.tags
    expected = {"dataset": "sample", "split": "tune", "code": "0.6.0+abc", "sweep": "s1"}
    assert {key: tags[key] for key in expected} == expected
    assert tags["mlflow.parentRunId"] == parent.info.run_id
    command = tags["mlflow.note.content"]
    fence, *lines, end = command.partition("\n\n")[2].split("\n")
    typed = shlex.split("\n".join(lines))
    start = "harness sweep dataset=sample grid=point fuser=boltzmann fuser.alpha=0.7"
    assert typed[:6] == start.split()
    assert max(map(len, lines)) < 80
    assert fence == end == "```"
    (used,) = parent.inputs.dataset_inputs
    assert (used.dataset.name, used.dataset.digest) == ("sample", "5ca1ab1e5ca1")
    assert [(tag.key, tag.value) for tag in used.tags] == [("mlflow.data.context", "tune")]
    history = client(tracking).get_metric_history(trial.info.run_id, "wins")
    assert [(point.value, point.step) for point in history] == [(3, 0)]


def test_names_that_mlflow_refuses(tracking: MLflow, result: SweepResult, find_runs: Find) -> None:
    path = result.folder / "manifest.json"
    lists = {"c++": {"class": "a.trec.TREC", "depth": 7}, "tf,idf": {"class": "a.trec.TREC"}}
    path.write_text(json.dumps({**json.loads(path.read_text()), "lists": lists}))
    named = replace(tracking, experiment="Müller's (lab) #1?", tags={"of=us": "x"})
    named.export(result.folder)
    (run,) = find_runs(named, "tags.kind = 'sweep'")
    assert run.data.params["lists.c_x2B__x2B_.depth"] == "7"
    assert run.data.params["lists.tf_x2C_idf"] == "trec"
    assert run.data.tags["of_x3D_us"] == "x"
    (trial,) = find_runs(named, "tags.trial = '0000000000000000'")
    assert trial.data.params["retriever"] == "c++: trec, tf,idf: trec"


def test_a_failed_export_leaves_no_run_running(
    tracking: MLflow, result: SweepResult, find_runs: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweep's own run has its parameters by then, and the next export replaces it."""
    from harness.report.tracking import writer

    def fail(*_: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr(writer, "insert_runs", fail)
    with pytest.raises(HarnessError, match="no space"):
        tracking.export(result.folder)
    (run,) = find_runs(tracking)
    assert run.info.status == "FAILED"
    assert run.data.params["fuser.alpha"] == "0.7"
    monkeypatch.undo()
    tracking.export(result.folder)
    assert {run.info.status for run in find_runs(tracking)} == {"FINISHED"}
    assert len(find_runs(tracking)) == 9


def test_a_setting_that_a_trial_lacks_is_a_dash(exported: SimpleNamespace, find_runs: Find) -> None:
    (rrf,) = find_runs(exported.tracking, "params.fuser = 'rrf'")
    assert [rrf.data.params[key] for key in ("fuser.k", "fuser.beta")] == ["60", "-"]
    (best,) = find_runs(exported.tracking, "tags.trial = '0000000000000000'")
    assert [best.data.params[key] for key in ("fuser.k", "fuser.beta")] == ["-", "0.5"]


def test_the_sweep_holds_winner_forecast_cost_and_files(
    exported: SimpleNamespace, find_runs: Find
) -> None:
    tracking, result = exported.tracking, exported.result
    (run,) = find_runs(tracking, "tags.kind = 'sweep'")
    assert run.data.params["fuser.alpha"] == "0.7"
    expected = {"last_hop_at_5": 0.75, "expected_score": 0.7, "power_queries": 66, "seconds": 1.5}
    expected |= {"seconds_lists_graph": 40, "peak_memory_mb": 573}
    assert expected.items() <= run.data.metrics.items()
    assert "power_smallest" not in run.data.metrics  # null: none is
    assert run.data.tags["winner"] == "boltzmann pit alpha=0.7 beta=0.5 cap=20"
    assert run.data.tags["lock"] == result.lock["sha256"]
    names = {item.path for item in client(tracking).list_artifacts(run.info.run_id)}
    assert names == {*FILES["tune"]}


def test_a_winner_that_is_a_list_is_called_by_its_name(
    tracking: MLflow, example: ModuleType, result: SweepResult, find_runs: Find
) -> None:
    tracking.export(example.as_a_list(result).folder)
    (run,) = find_runs(tracking, "tags.kind = 'sweep'")
    assert run.data.tags["winner"] == "graph (locked as boltzmann pit alpha=0.7 beta=0.5 cap=20)"
    called = "Winner on tune: graph (locked as boltzmann "
    assert run.data.tags["mlflow.note.content"].startswith(called)
    (trial,) = find_runs(tracking, "tags.trial = '0000000000000000'")
    assert trial.info.run_name.startswith("1 graph ")


def test_into_an_experiment_by_its_id(tracking: MLflow, result: SweepResult) -> None:
    made = client(tracking).create_experiment("of the lab", str(Path(tracking.artifacts) / "lab"))
    replace(tracking, experiment_id=int(made)).export(result.folder)
    found = client(tracking).search_runs([made], "tags.kind = 'sweep'")
    assert [run.data.tags["sweep"] for run in found] == [result.folder.name]
    assert client(tracking).get_experiment_by_name(tracking.experiment) is None
    with pytest.raises(HarnessError, match=r"MLflow.*\(.*4711"):
        replace(tracking, experiment_id="4711").export(result.folder)


def test_every_trial_is_a_run_newest_first_as_on_the_leaderboard(
    exported: SimpleNamespace, find_runs: Find
) -> None:
    tracking, result = exported.tracking, exported.result
    trials = sorted(
        find_runs(tracking, "tags.kind = 'trial'"), key=lambda run: -run.info.start_time
    )
    names = [f"{place} {name}" for place, name in enumerate(result.trials["name"], start=1)]
    assert [run.info.run_name for run in trials] == names
    shown = {name.replace("@", "_at_") for name in result.metrics}
    assert all(shown <= run.data.metrics.keys() for run in trials)
    (dense,) = (run for run in trials if run.data.params.get("fuser.list") == "dense")
    assert "wins" not in dense.data.metrics  # null
    assert dense.data.params["pool.cap"] == "null"


def test_numbers_are_exact_and_p_is_a_text_too(
    tracking: MLflow, example: ModuleType, tmp_path: Path, find_runs: Find
) -> None:
    """A column cuts 3.9e-7 to 3.9, so the page shows the text."""
    result = example.write(tmp_path / "sweeps" / "s1")
    wilson = {"wilson_low": 0.123456, "wilson_high": 0.5}
    p = {"p": 3.94726e-7, "p_holm": 0.0012345678}
    compared = pd.read_parquet(result.folder / "comparisons.parquet").assign(**p)
    compared.to_parquet(result.folder / "comparisons.parquet")
    result.trials.assign(**wilson).to_parquet(result.folder / "trials.parquet")
    tracking.export(result.folder)
    exact = wilson | p
    (trial,) = find_runs(tracking, "tags.trial = '0000000000000000' and tags.split = 'tune'")
    assert exact.items() <= trial.data.metrics.items()
    texts = {"p_text": "<.001", "p_holm_text": ".001"}
    assert texts.items() <= trial.data.params.items()
    assert len(trial.data.metrics) <= 26
    (test,) = find_runs(tracking, "tags.trial = '0000000000000000' and tags.split = 'test'")
    assert {"wilson_low", "wilson_high"} <= test.data.metrics.keys()


def test_only_what_was_measured_has_a_duration(
    tracking: MLflow, example: ModuleType, tmp_path: Path, find_runs: Find
) -> None:
    """A sweep has one. Trials are scored together, and an evaluation only has a time."""
    result = example.write(tmp_path / "s1")
    manifest, noon = result.folder / "manifest.json", "2026-01-31T12:00:00+00:00"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "time": noon}))
    entry = {"time": "2026-02-01T12:00:00+00:00", "lock_sha256": result.lock["sha256"], "files": {}}
    (result.folder / ENTRY).write_text(json.dumps(sealed(entry)))
    tracking.export(result.folder)
    times = {
        kind: [(run.info.start_time, run.info.end_time) for run in find_runs(tracking, query)]
        for kind in ("sweep", "heldout", "trial")
        for query in [f"tags.kind = '{kind}'"]
    }
    ended = 1_769_860_800_000  # date -ud 2026-01-31T12:00 +%s
    assert times["sweep"] == [(ended - 1500, ended)]
    assert times["heldout"] == [(ended + 86_400_000, None)]
    assert {end for _, end in times["trial"]} == {None}


def test_a_second_export_changes_nothing(
    tracking: MLflow, example: ModuleType, tmp_path: Path, find_runs: Find
) -> None:
    """Not even if the sweep was made again in another time."""
    result = example.write(tmp_path / "s1")
    link = tracking.export(result.folder)
    with sqlite3.connect(tracking.uri.removeprefix("sqlite:///")) as database:
        before = list(database.iterdump())
        manifest = result.folder / "manifest.json"
        content = {**json.loads(manifest.read_text()), "seconds": 99.5, "cost": {"peak": 1}}
        manifest.write_text(json.dumps(content))
        assert tracking.export(result.folder) == link
        assert list(database.iterdump()) == before
    assert len(find_runs(tracking)) == 1 + 8 + 1 + 5


def test_other_numbers_of_the_same_sweep_take_its_place(
    tracking: MLflow, result: SweepResult, find_runs: Find
) -> None:
    tracking.export(result.folder)
    result.trials.assign(mrr=0.5).to_parquet(result.folder / "trials.parquet")
    tracking.export(result.folder)
    assert len(find_runs(tracking)) == len(find_runs(tracking, deleted=True)) == 9
    assert {run.data.metrics["mrr"] for run in find_runs(tracking, "tags.kind = 'trial'")} == {0.5}
    for run in find_runs(tracking):
        client(tracking).delete_run(run.info.run_id)
    tracking.export(result.folder)  # what is in the trash comes back
    assert len(find_runs(tracking)) == 9


def test_heldout_stands_below_its_sweep(
    tracking: MLflow, example: ModuleType, tmp_path: Path, find_runs: Find
) -> None:
    result = example.write(tmp_path / "sweeps" / "s1")
    line = {"previous": "", "time": "2026-01-02T03:04:05+00:00", "dataset": "sample"}
    line |= {"evaluation": 1, "files": {}, "lock_sha256": result.lock["sha256"]}
    (result.folder / ENTRY).write_text(json.dumps({**line, "sha256": digest(line)}))
    tracking.export(result.folder)
    (evaluation,) = find_runs(tracking, "tags.kind = 'heldout'")
    (parent,) = find_runs(tracking, "tags.kind = 'sweep'")
    assert evaluation.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert evaluation.data.tags["evaluation"] == "1"
    assert evaluation.data.metrics["last_hop_at_5"] == 5 / 6
    assert evaluation.data.metrics["wilson_low"] == 0.4365
    (winner,) = find_runs(tracking, "tags.split = 'test' and tags.trial = '0000000000000000'")
    assert winner.info.run_name.startswith("test 1 ")
    assert evaluation.inputs.dataset_inputs[0].tags[0].value == "test"
    place = client(tracking).download_artifacts(evaluation.info.run_id, ENTRY, str(tmp_path))
    assert json.loads(Path(place).read_text()).items() >= line.items()


def test_conventions_of_mlflow(
    tracking: MLflow, result: SweepResult, find_runs: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tags of the user's own, below the run that MLFLOW_RUN_ID names, and user and
    source as MLflow sets.
    """
    experiment = client(tracking).create_experiment(tracking.experiment)
    above = client(tracking).create_run(experiment).info.run_id
    monkeypatch.setenv("MLFLOW_RUN_ID", above)
    replace(tracking, tags={"team": "x"}).export(result.folder)
    (run,) = find_runs(tracking, "tags.kind = 'sweep'")
    assert run.data.tags["mlflow.parentRunId"] == above
    assert {"mlflow.user", "mlflow.source.name", "mlflow.source.type"} <= run.data.tags.keys()
    assert (
        "mlflow.source.git.commit" not in run.data.tags
    )  # the folder was made by other code than this
    assert len(find_runs(tracking, "tags.team = 'x'")) == 9


def test_below_the_run_that_is_active(
    tracking: MLflow, result: SweepResult, find_runs: Find
) -> None:
    import mlflow

    mlflow.set_tracking_uri(tracking.uri)
    mlflow.set_experiment(tracking.experiment)
    with mlflow.start_run() as above:
        tracking.export(result.folder)
    (run,) = find_runs(tracking, "tags.kind = 'sweep'")
    assert run.data.tags["mlflow.parentRunId"] == above.info.run_id


@pytest.mark.slow
def test_two_exporters_at_once(result: SweepResult, tmp_path: Path, find_runs: Find) -> None:
    tracking = MLflow(f"sqlite:///{tmp_path}/mlflow.db", "two", str(tmp_path / "artifacts"))
    line = ["-c", EXPORT, tracking.uri, tracking.experiment, tracking.artifacts, str(result.folder)]
    with ThreadPoolExecutor() as two:
        ended = list(two.map(lambda _: python(*line), range(2)))
    assert [done.returncode for done in ended] == [0, 0], ended
    assert ended[0].stdout == ended[1].stdout
    assert len(find_runs(tracking)) == 9


def test_runs_that_two_machines_wrote_twice_are_there_once_after_the_next_export(
    tracking: MLflow, result: SweepResult, find_runs: Find
) -> None:
    tracking.export(result.folder)
    (run,) = find_runs(tracking, "tags.trial = '0000000000000000'")
    client(tracking).create_run(run.info.experiment_id, tags=run.data.tags)
    tracking.export(result.folder)
    assert len(find_runs(tracking)) == 9


def test_an_export_that_was_killed_goes_on(
    tracking: MLflow, result: SweepResult, find_runs: Find
) -> None:
    given = tracking.uri, tracking.experiment, tracking.artifacts, str(result.folder)
    line = [sys.executable, "-c", EXPORT, *given]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
    query = (
        "select count(*) from runs join experiments using (experiment_id) where experiments.name "
        "= ?"
    )
    for _ in range(3000):
        with (
            contextlib.suppress(sqlite3.OperationalError),  # no tables yet
            sqlite3.connect(tracking.uri.removeprefix("sqlite:///")) as database,
        ):
            if database.execute(query, (tracking.experiment,)).fetchone()[0]:
                break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    left = find_runs(tracking)
    assert any(run.info.status == "RUNNING" for run in left)  # the sweep's own run is finished last
    assert len(left) in (1, 9)  # trials are written all or none
    tracking.export(result.folder)
    assert len(find_runs(tracking)) == 9
    assert {run.info.status for run in find_runs(tracking)} == {"FINISHED"}
    (trial,) = find_runs(tracking, "tags.trial = '0000000000000000'")
    assert len(client(tracking).get_metric_history(trial.info.run_id, "wins")) == 1


def test_a_destination_that_cannot_be_used_is_one_line(
    exported: SimpleNamespace, result: SweepResult, tmp_path: Path
) -> None:
    """No address, no database, one of another MLflow, and one that cannot be written."""
    tracking = exported.tracking
    known = tracking.uri.removeprefix("sqlite:///")
    paths = {"text": tmp_path / "text.db", "other": tmp_path / "other.db", "known": known}
    (tmp_path / "text.db").write_text("something else")
    with sqlite3.connect(known) as database, sqlite3.connect(paths["other"]) as other:
        database.backup(other)
        other.execute("update alembic_version set version_num = 'another'")
    for uri, said in (
        ("htp://host:5000", "htp://host:5000: MLflow"),
        ("sqlite:///{text}", r"text\.db:.*file is not a database"),
        ("sqlite:///{other}", r"other\.db: MLflow"),
        ("sqlite:///file:{known}?mode=ro&uri=true", "readonly database"),
    ):
        with pytest.raises(HarnessError, match=said) as raised:
            replace(tracking, uri=uri.format(**paths), experiment="new").export(result.folder)
        assert "\n" not in str(raised.value)
    with pytest.raises(HarnessError, match=r"tracking\.uri"):
        MLflow("", "x", "y")


def test_the_page_of_a_sweep_is_a_view_that_mlflow_opens(exported: SimpleNamespace) -> None:
    """The tag's form is MLflow's own: a page that was shared by its Share button has these fields
    (MLflow 3.10 on).
    """
    tracking, result, page = exported.tracking, exported.result, exported.page
    experiment = client(tracking).get_experiment_by_name(tracking.experiment)
    found = re.fullmatch(
        rf"#/experiments/{experiment.experiment_id}/runs\?viewStateShareKey=(\w+)", page
    )
    assert found is not None
    value = experiment.tags[f"mlflow.sharedViewState.{found[1]}"]
    assert len(value) < 5000  # what an older MLflow takes
    state = json.loads(value)
    assert (state["orderByKey"], state["orderByAsc"]) == ("metrics.`last_hop_at_5`", False)
    known = "graph_win" in result.trials.columns
    counts = ("graph_win", "graph_loss") if known else ("wins", "losses")
    scores = [f"metrics.`{name}`" for name in ("last_hop_at_5", "full_sup_at_5", *counts)]
    texts = [f"params.`{name}`" for name in ("p_text", "p_holm_text")]
    wilson = [f"metrics.`{name}`" for name in ("wilson_low", "wilson_high")]
    wanted = [scores[0], *texts, *wilson, *scores[1:]]
    if "wilson" not in {name.partition(" ")[0] for name in result.trials.columns}:
        wanted = [one for one in wanted if one not in wilson]
    assert state["selectedColumns"][: len(wanted)] == wanted
    seen = sum(state["columnWidths"][one] for one in (scores[0], *texts, *wilson) if one in wanted)
    assert seen <= 540  # pixels next to the names and MLflow's assistant in a window of 1,500
    assert len(state["selectedColumns"]) <= 14
    assert len(client(tracking).search_runs([experiment.experiment_id], state["searchFilter"])) == 8
    assert "graph_win" in experiment.tags["mlflow.note.content"]
    (run,) = client(tracking).search_runs([experiment.experiment_id], "tags.kind = 'sweep'")
    assert f"[as charts]({page}&compareRunsMode=CHART)" in run.data.tags["mlflow.note.content"]


def test_without_a_server_a_short_line_says_what_to_type(tmp_path: Path) -> None:
    tracking = MLflow("sqlite:///m.db", "x", "y")
    assert f"harness ui paths.runs={tmp_path}` shows it" in tracking.address("#/page", tmp_path)
    assert tracking.address("#/page", Path("runs")).endswith("harness ui` shows it")


def test_the_description_of_an_experiment_is_its_owners(
    tracking: MLflow, result: SweepResult
) -> None:
    tags = {"mlflow.note.content": "ours"}
    made = client(tracking).create_experiment(tracking.experiment, tags=tags)
    tracking.export(result.folder)
    assert client(tracking).get_experiment(made).tags["mlflow.note.content"] == "ours"


def test_names_of_runs_differ_where_mlflow_cuts_them(
    tracking: MLflow, example: ModuleType, tmp_path: Path, find_runs: Find
) -> None:
    for name in ("long-name-of-a-benchmark-0a1b2c", "long-name-of-a-benchmark-3d4e5f"):
        tracking.export(example.write(tmp_path / "sweeps" / name).folder)
    runs = find_runs(tracking)
    parents = [run.info.run_name[:18] for run in runs if run.data.tags["kind"] != "trial"]
    assert len(set(parents)) == 4
    for sweep in {run.data.tags["sweep"] for run in runs}:
        names = [run.info.run_name[:18] for run in runs if run.data.tags["sweep"] == sweep]
        assert len(set(names)) == len(names)


def test_no_tracking_exports_nothing(result: SweepResult, tmp_path: Path) -> None:
    tracking: Tracking = Untracked()
    assert isinstance(tracking, Tracking)
    assert isinstance(MLflow("sqlite:///x.db", "x", "y"), Tracking)
    tracking.export(result.folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sweeps"]
