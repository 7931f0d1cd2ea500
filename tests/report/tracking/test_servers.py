"""Real tracking servers and databases: killed in the middle and brought back, refusing, failing,
hanging.
"""

from __future__ import annotations

import http.server
import json
import os
import signal
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests

from harness.core.errors import HarnessError
from harness.report.tracking.mlflow import SETTINGS, MLflow
from harness.sweep.folder.result import SweepResult

INFO = ("status", "start_time", "end_time", "user_id", "lifecycle_stage")
PASSWORD = "a-long-password-of-nobody"
Find = Callable[..., list[Any]]


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    return example.write(tmp_path / "sweeps" / "s1")  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "10")


def over_http(url: str, experiment: str) -> MLflow:
    return MLflow(url, experiment, "nowhere")


def test_a_server_with_artifacts_through_it(
    mlflow_server: Any, result: SweepResult, find_runs: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial costs three requests: it is created, filled by one batch, and finished. A parameter
    longer than the server takes is shown by its hash.
    """
    path = result.folder / "manifest.json"
    lists = {"dense": {"_target_": "a.trec.TREC", "path": "x" * 9000}}
    path.write_text(json.dumps({**json.loads(path.read_text()), "lists": lists}))
    send, sent = requests.Session.request, Counter[str]()

    def count(self: Any, method: str, url: str, *rest: Any, **more: Any) -> Any:
        sent[url.partition("/mlflow/")[2]] += 1
        return send(self, method, url, *rest, **more)

    tracking = over_http(mlflow_server.url, "plain")
    with monkeypatch.context() as patched:
        patched.setattr(requests.Session, "request", count)
        page = tracking.export(result.folder)
    assert tracking.address(page, result.folder).startswith(f"{mlflow_server.url}/#/experiments/")
    runs = find_runs(tracking)
    assert len(runs) == 1 + 8 + 1 + 5
    wanted = dict.fromkeys(("runs/create", "runs/log-batch", "runs/update"), len(runs))
    assert {name: sent[name] for name in wanted} == wanted
    assert sum(sent.values()) < 3 * len(runs) + 30
    assert {run.info.status for run in runs} == {"FINISHED"}
    (parent,) = find_runs(tracking, "tags.kind = 'sweep'")
    assert parent.data.params["lists.dense.path"].startswith("sha256:")
    stored = list(mlflow_server.folder.glob(f"artifacts/*/{parent.info.run_id}/artifacts/*"))
    assert {path.name for path in stored} >= {"trials.parquet", "winner.lock.json"}


def test_a_database_holds_what_a_server_was_sent(
    mlflow_server: Any, result: SweepResult, tmp_path: Path, find_runs: Find
) -> None:
    """Runs go to a database row by row, and to a server as requests: both read back the same."""
    sent, written = (
        over_http(mlflow_server.url, "same"),
        MLflow(f"sqlite:///{tmp_path}/m.db", "same", str(tmp_path)),
    )

    def read(tracking: MLflow) -> dict[str, Any]:
        tracking.export(result.folder)
        runs = find_runs(tracking)
        names = {run.info.run_id: run.info.run_name for run in runs}
        own = {"mlflow.parentRunId", "mlflow.note.content", "mlflow.log-model.history"}
        return {
            run.info.run_name: [
                *(getattr(run.info, name) for name in INFO),
                run.data.params,
                run.data.metrics,
                names.get(run.data.tags.get("mlflow.parentRunId", "")),
                {key: value for key, value in run.data.tags.items() if key not in own},
                [
                    [one.dataset.to_dictionary(), [[tag.key, tag.value] for tag in one.tags]]
                    for one in run.inputs.dataset_inputs
                ],
                run.info.artifact_uri.endswith(f"/{run.info.run_id}/artifacts"),
            ]
            for run in runs
        }

    assert read(written) == read(sent)


def test_a_slow_server_has_the_sweep_and_its_best_runs_first(
    mlflow_server: Any,
    result: SweepResult,
    find_runs: Find,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from harness.report.tracking import writer

    tracking = replace(over_http(mlflow_server.url, "slow"), threads=1)
    monkeypatch.setattr(writer, "SLOW", 0)
    monkeypatch.setattr(writer, "FIRST", 3)
    create, seen = writer.Writer._create, list[dict[str, str]]()

    def fail_at_the_sixth(self: Any, entry: Any, group: Any) -> Any:
        if entry.place == 6:
            seen.append({run.data.tags["kind"]: run.info.status for run in find_runs(tracking)})
            raise OSError("no route")
        return create(self, entry, group)

    with monkeypatch.context() as patched, caplog.at_level("INFO"):
        patched.setattr(writer.Writer, "_create", fail_at_the_sixth)
        with pytest.raises(HarnessError, match="no route"):
            tracking.export(result.folder)
    assert seen == [{"sweep": "FINISHED", "trial": "FINISHED"}]
    (line,) = (text for text in caplog.messages if "3 runs" in text)
    assert "5 runs about" in line
    (parent,) = find_runs(tracking, "tags.kind = 'sweep'")
    assert parent.info.status == "FAILED"
    tracking.export(result.folder)
    assert len(find_runs(tracking)) == 15
    assert {run.info.status for run in find_runs(tracking)} == {"FINISHED"}


@pytest.mark.slow
def test_a_server_that_is_killed_in_the_middle_and_comes_back(
    start_server: Any, result: SweepResult, find_runs: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_server()
    tracking = replace(over_http(server.url, "killed"), threads=2)
    from harness.report.tracking.writer import Writer

    fill, filled = Writer._fill, []

    def kill_after_three(*arguments: Any) -> None:
        filled.append(arguments)
        if len(filled) == 4:
            server.kill()
        fill(*arguments)

    monkeypatch.setattr(Writer, "_fill", kill_after_three)
    with pytest.raises(HarnessError, match=rf"^{server.url}: MLflow") as raised:
        tracking.export(result.folder)
    assert "\n" not in str(raised.value)
    server.start()
    left = find_runs(tracking)
    assert 3 <= len(left) < 15
    monkeypatch.undo()
    tracking.export(result.folder)
    assert len(find_runs(tracking)) == 15
    assert {run.info.status for run in find_runs(tracking)} == {"FINISHED"}


@pytest.mark.slow
def test_user_and_password(
    start_server: Any, result: SweepResult, find_runs: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("flask_wtf", reason="MLflow's basic auth needs it")
    environment = {
        "MLFLOW_AUTH_ADMIN_PASSWORD": PASSWORD,
        "MLFLOW_FLASK_SERVER_SECRET_KEY": "secret",
    }
    server = start_server(["--app-name", "basic-auth"], environment)
    tracking = over_http(server.url, "guarded")
    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "admin")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "wrong")
    with pytest.raises(HarnessError, match=r"MLflow.*(401|not authenticated)") as raised:
        tracking.export(result.folder)
    assert "wrong" not in str(raised.value)
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", PASSWORD)
    tracking.export(result.folder)
    assert len(find_runs(tracking)) == 15  # 8 trials and their sweep, 5 on test and theirs


@pytest.mark.slow
def test_postgresql(
    result: SweepResult, tmp_path: Path, find_runs: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is killed in the middle and comes back; a wrong name and a dead server are one
    line each.
    """
    pgserver = pytest.importorskip("pgserver", reason="it is in the extra `stores`")
    server = pgserver.get_server(tmp_path / "pg", cleanup_mode="delete")
    try:
        tracking = replace(MLflow(server.get_uri(), "pg", str(tmp_path / "artifacts")), threads=1)
        from harness.report.tracking.writer import Writer

        fill = Writer._fill

        def kill_first(*arguments: Any) -> None:
            kill_database(server)
            fill(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(Writer, "_fill", kill_first)
            with pytest.raises(HarnessError, match="MLflow cannot use it") as raised:
                tracking.export(result.folder)
        assert "\n" not in str(raised.value)
        server.ensure_postgres_running()
        assert server.get_uri() == tracking.uri
        assert len(find_runs(tracking)) == 1  # the sweep, which is not finished; no trial yet
        (open_run,) = find_runs(tracking, "attributes.status = 'RUNNING'")
        assert open_run.data.tags["kind"] == "sweep"
        tracking.export(result.folder)
        runs = find_runs(tracking)
        assert len(runs) == 15
        assert {run.info.status for run in runs} == {"FINISHED"}
        other = replace(
            tracking, uri=tracking.uri.replace("postgres:@/postgres", "nobody:secret@/postgres")
        )
        with pytest.raises(HarnessError, match=r'MLflow cannot use it .*"nobody"') as raised:
            other.export(result.folder)
        assert "secret" not in str(raised.value)
    finally:
        server.cleanup()
    began = time.monotonic()
    with pytest.raises(HarnessError, match="MLflow cannot use it"):
        tracking.export(result.folder)
    assert time.monotonic() - began < 30


def kill_database(server: Any) -> None:
    """All processes of a PostgreSQL server end at once; connections break, and the next start
    recovers from its log.
    """
    os.kill(server.get_pid(), signal.SIGQUIT)
    for _ in range(200):
        if not (server.pgdata / "postmaster.pid").exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{server.pgdata}: the server did not end")


@contextmanager
def answering(status: int | None) -> Iterator[str]:
    """A server that answers every request with a status, or, without one, never."""
    ended = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if status is None:
                ended.wait(60)
            else:
                self.send_error(status)

        do_POST = do_GET

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            ended.set()
            server.shutdown()


@pytest.mark.parametrize(
    ("status", "why"), [(500, "500"), (404, "404"), (None, "ReadTimeoutError")]
)
def test_a_server_that_fails_or_hangs(
    status: int | None, why: str, result: SweepResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    began = time.monotonic()
    with answering(status) as url, pytest.raises(HarnessError, match=why) as raised:
        over_http(url, "x").export(result.folder)
    assert time.monotonic() - began < 20
    assert "\n" not in str(raised.value)


def test_secrets_of_an_address_are_in_no_line(result: SweepResult) -> None:
    tracking = over_http(f"http://user:{PASSWORD}@127.0.0.1:9", "x")
    assert tracking.destination == "experiment x at http://127.0.0.1:9"
    with pytest.raises(HarnessError) as raised:
        tracking.export(result.folder)
    assert PASSWORD not in str(raised.value)
