"""What an engine promises its workers, and what it makes of their ends."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from harness.core.errors import HarnessError
from harness.work.engine import PARENT, PROMISED, Ended, Work, check_ended, check_promises
from harness.work.engine.ray import Ray


def test_workers_that_failed_are_named_and_what_the_others_did_is_said() -> None:
    """A worker that ended well has seen every stage whole."""
    bad = [Ended(1, 2, "error: full"), Ended(3, 2, "error: full")]
    with pytest.raises(HarnessError, match=r"^engine=ray: worker 1, 3 failed: full$"):
        check_ended(bad, "engine=ray")
    with pytest.raises(HarnessError, match=r"^engine=ray: worker 1, 3 failed: full; the others have done all, so the"):
        check_ended([*bad, Ended(2, 0, "")], "engine=ray")
    check_ended([Ended(2, 0, "")], "engine=ray")


def test_a_worker_without_the_gpu_that_it_was_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    check_promises()
    monkeypatch.setenv(PROMISED, "1")
    with pytest.raises(HarnessError, match=r"engine.gpus=1: on .* torch .* finds 0 GPUs"):
        check_promises()


def test_what_a_worker_is_told_of_its_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []

    def ran(line: list[str], env: dict[str, str], **more: Any) -> subprocess.CompletedProcess[str]:
        seen.append(env)
        return subprocess.CompletedProcess(line, 0, "", "")

    monkeypatch.setattr(subprocess, "run", ran)
    work = Work((), str(tmp_path), {})
    work.run(1, 2, gpus=0.5)
    work.run(1, 2)
    assert (seen[0].get(PROMISED), seen[1].get(PROMISED)) == ("1", None)


NODES = [{"Alive": True, "Resources": {"CPU": 4.0}}, {"Alive": False, "Resources": {"CPU": 4.0, "GPU": 8.0}}]


@pytest.mark.parametrize(
    "asked", [{"gpus": 1}, {"cpus": 5}, {"cpus": 4, "gpus": 0.5}], ids=lambda asked: str(sorted(asked))
)
def test_what_no_node_has_is_told_in_place_of_waiting(asked: dict[str, Any]) -> None:
    with pytest.raises(HarnessError, match=r"no node .* its nodes have 4 CPUs and 0 GPUs; ask for less"):
        Ray(**asked)._check_nodes(NODES)
    Ray(**asked, grows=True)._check_nodes(NODES)
    Ray(cpus=4)._check_nodes(NODES)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends a process with its parent")
def test_a_worker_ends_with_the_process_that_it_was_told_of(tmp_path: Path) -> None:
    child = (
        "import os, time; from harness.work.engine import check_promises; check_promises(); "
        "print(os.getpid(), flush=True); time.sleep(100)"
    )
    parent = (
        "import os, subprocess, sys; child = subprocess.Popen([sys.executable, '-c', sys.argv[1]], "
        f"env={{**os.environ, {PARENT!r}: str(os.getpid())}}); child.wait()"
    )
    started = subprocess.Popen([sys.executable, "-c", parent, child], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    number = int(started.stdout.readline())
    started.kill()
    started.wait()
    deadline = time.monotonic() + 20
    while _runs(number) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(number)


def _runs(number: int) -> bool:
    """Whether a process is there, and no zombie that nobody waits for."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
