from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from harness.errors import HarnessError
from harness.sweep.result import SweepResult
from harness.tracking.beside import beside
from harness.tracking.mlflow import MLflow
from harness.tracking.none import Untracked


def mlflow(folder: Path) -> MLflow:
    return MLflow(f"sqlite:///{folder}/mlflow.db", "example", str(folder / "artifacts"))


@pytest.fixture
def result(example: ModuleType, tmp_path: Path) -> SweepResult:
    example.write(tmp_path / "sweeps" / "s1")
    return SweepResult(tmp_path / "sweeps" / "s1")


def test_a_sweep_is_logged_as_it_is_in_this_process(result: SweepResult, tmp_path: Path) -> None:
    with beside(mlflow(tmp_path)) as log:
        run = log(result)()
    assert run == mlflow(tmp_path).log_sweep(result)
    rows = sqlite3.connect(tmp_path / "mlflow.db").execute("select count(*) from runs").fetchone()
    assert rows == (1 + len(result.trials),)


def test_what_the_user_can_mend_is_raised_here(result: SweepResult, tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_text("this is no database")
    with pytest.raises(HarnessError, match="not an SQLite database"), beside(mlflow(tmp_path)) as log:
        log(result)()


def test_a_tracker_that_logs_nothing(result: SweepResult) -> None:
    with beside(Untracked()) as log:
        assert log(result)() is None


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_a_sweep_that_fails_leaves_nothing_running() -> None:
    during: set[str] = set()

    def fails() -> None:
        with beside(Untracked()):
            during.update(children())
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert len(during - children()) == 1


@dataclass(frozen=True)
class Dying(Untracked):
    def prepare(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_is_told(result: SweepResult) -> None:
    with pytest.raises(HarnessError, match=r"exit code -9.*tracking=none"), beside(Dying()) as log:
        log(result)()


def test_it_ends_with_the_sweep_even_when_that_is_killed(tmp_path: Path) -> None:
    script = """if True:
        import os
        from harness.tracking.beside import beside
        from harness.tracking.none import Untracked
        with beside(Untracked()) as log:
            print(open(f"/proc/self/task/{os.getpid()}/children").read(), flush=True)
            os.kill(os.getpid(), 9)
    """
    told = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=False).stdout
    child = Path(f"/proc/{int(told)}/stat")
    for _ in range(100):
        if not child.exists() or child.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError("it runs on")
