"""What an engine promises its workers, and what it makes of their ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from harness.core.errors import HarnessError
from harness.work.engine import PROMISED, Ended, Work, check_ended, check_promises


def test_workers_that_failed_are_named_and_what_the_others_did_is_said() -> None:
    """A worker that ended well has seen every stage whole."""
    bad = [Ended(1, 2, "error: full"), Ended(3, 2, "error: full")]
    with pytest.raises(HarnessError, match=r"^engine=ray:.*1.*3"):
        check_ended(bad, "engine=ray")
    with pytest.raises(HarnessError, match=r"^engine=ray:.*1.*3"):
        check_ended([*bad, Ended(2, 0, "")], "engine=ray")
    check_ended([Ended(2, 0, "")], "engine=ray")


def test_a_worker_without_the_gpu_that_it_was_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    check_promises()
    monkeypatch.setenv(PROMISED, "1")
    with pytest.raises(HarnessError, match=r"engine.gpus=1:.*0 GPUs"):
        check_promises()


def test_what_a_worker_is_told_of_its_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []

    begin = subprocess.Popen

    def began(line: list[str], env: dict[str, str], **more: Any) -> subprocess.Popen[bytes]:
        seen.append(env)
        return begin([sys.executable, "-c", ""], env=env, **more)

    monkeypatch.setattr(subprocess, "Popen", began)
    work = Work((), str(tmp_path), {})
    work.run_worker(1, 2, gpus=0.5)
    work.run_worker(1, 2)
    assert (seen[0].get(PROMISED), seen[1].get(PROMISED)) == ("1", None)


WORKER = """import ctypes, os, sys, time
from harness.work.engine import check_promises
if os.environ["ONLY_INPUT"]:
    del ctypes.CDLL  # as where no kernel ends a process with its parent
check_promises()
with open(os.environ["STARTED"], "a") as started:
    print(os.getpid(), file=started, flush=True)
time.sleep(100)
"""
DRIVER = """import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
from harness.work.engine import Work
from harness.work.engine.local import Local
begin = subprocess.Popen
def began(line, **more):
    return begin([sys.executable, "-c", sys.argv[1], *line[1:]], **more)
subprocess.Popen = began
Local(workers=2).run(Work((), ".", {}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells whether a process runs")
@pytest.mark.parametrize(
    ("how", "only_input"),
    [
        pytest.param(signal.SIGTERM, "", id="SIGTERM-kernel"),
        pytest.param(signal.SIGKILL, "yes", id="SIGKILL-input"),
        *(
            pytest.param(how, only_input, id=f"{how.name}-{name}", marks=pytest.mark.slow)
            for how, only_input, name in (
                (signal.SIGTERM, "yes", "input"),
                (signal.SIGKILL, "", "kernel"),
                (signal.SIGINT, "", "kernel"),
                (signal.SIGINT, "yes", "input"),
            )
        ),
    ],
)
def test_workers_of_this_machine_end_with_their_driver(
    tmp_path: Path, how: signal.Signals, only_input: str
) -> None:
    """The signal comes to the driver alone, as from ``kill`` or from a scheduler."""
    file = tmp_path / "started"
    environment = {**os.environ, "STARTED": str(file), "ONLY_INPUT": only_input}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, WORKER], env=environment, stderr=subprocess.DEVNULL
    )
    _wait_until(lambda: file.exists() and len(file.read_text().split()) == 2)
    workers = [int(number) for number in file.read_text().split()]
    assert all(map(_runs, workers))
    driver.send_signal(how)
    driver.wait(20)
    _wait_until(lambda: not any(map(_runs, workers)))
    assert not any(map(_runs, workers))


def _wait_until(met: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not met() and time.monotonic() < deadline:
        time.sleep(0.02)


def _runs(number: int) -> bool:
    """Whether a process is there, and no zombie that nobody waits for."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
