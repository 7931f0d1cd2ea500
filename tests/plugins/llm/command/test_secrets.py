"""A key and a password typed in the wrong place are found in no file, no line and no log that a
command leaves.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests import process
from tests.plugins.llm.command.test_answer import endpoint  # noqa: F401  (a fixture)
from tests.plugins.llm.encoder.test_text_embedding_3_small import Server, server  # noqa: F401  (a fixture)
from tests.plugins.llm.endpoint.scripted import Scripted, served

CANARY = "sk-canary-0123456789"
ANSWER = "answer run=run.trec dataset=folder dataset.path=few reader.model=m split=all out=out.json"


def command(folder: Path, *overrides: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return process.harness(
        *overrides, cwd=folder, env={**os.environ, "OPENAI_API_KEY": CANARY, **variables}
    )


def assert_kept_secret(folder: Path, done: subprocess.CompletedProcess[str]) -> None:
    assert CANARY not in done.stdout + done.stderr
    for path in folder.rglob("*"):
        assert not (path.is_file() and CANARY.encode() in path.read_bytes()), path


def test_of_a_run_that_works(endpoint: Scripted, tmp_path: Path) -> None:  # noqa: F811
    done = command(tmp_path, *ANSWER.split(), f"reader.base_url={endpoint.url}")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.json").exists()
    assert endpoint.requests
    assert_kept_secret(tmp_path, done)


@pytest.mark.usefixtures("endpoint")
def test_of_a_server_that_says_the_key(tmp_path: Path) -> None:
    with served(lambda number, message: ("echo", 401)) as echo:
        done = command(tmp_path, *ANSWER.split(), f"reader.base_url={echo.url}")
    assert done.returncode == 2
    assert "wrong Bearer ***" in done.stderr
    assert_kept_secret(tmp_path, done)


@pytest.mark.slow
@pytest.mark.parametrize("typed", [True, False], ids=["on the command line", "in the environment"])
def test_of_a_whole_sweep_that_is_tracked(
    server: Server,  # noqa: F811
    bench: Path,
    tmp_path: Path,
    typed: bool,
) -> None:
    """Sweep, held-out run and report, with a key that is sent and a tracker whose address holds a
    password.
    """
    away = f"http://user:{CANARY}@127.0.0.1:9"
    lists = [f"lists.{name}={bench / name}.trec" for name in ("graph", "bm25")]
    encoder = ["encoder=text_embedding_3_small", f"encoder.base_url={server.url}"]
    told = [f"tracking.uri={away}"] if typed else []
    variables = {} if typed else {"MLFLOW_TRACKING_URI": away}
    variables["MLFLOW_TRACKING_PASSWORD"] = CANARY
    given = ["sweep", "dataset=folder", f"dataset.path={bench}", "grid=point"]
    done = command(tmp_path, *given, *lists, *encoder, *told, **variables)
    assert done.returncode == 0, done.stderr
    assert server.requests[0]["key"] == f"Bearer {CANARY}", "it was sent"
    assert "not tracked: http://127.0.0.1:9" in done.stderr
    for line in (["heldout", *told], ["report", *told]):
        done_too = command(tmp_path, *line, **variables)
        assert done_too.returncode == 0, done_too.stderr
        assert_kept_secret(tmp_path, done_too)
    assert_kept_secret(tmp_path, done)
    store = [f"tracking.uri=sqlite:///{tmp_path}/mlflow.db"]
    store.append(f"tracking.artifacts={tmp_path}/mlruns")
    tracked = command(tmp_path, "heldout", "heldout.again=true", *store, **variables)
    assert tracked.returncode == 0, tracked.stderr
    assert (tmp_path / "mlflow.db").stat().st_size > 100_000
    assert_kept_secret(tmp_path, tracked)
