"""Jobs by prepared processes: results in order, what fails in one line, nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.core.errors import HarnessError
from harness.work.processes import Workers


def prepare(factor: int) -> int:
    if factor < 0:
        raise HarnessError(f"factor={factor}: expected at least 0")
    return factor


def leave_note(path: str) -> int:
    Path(path).touch()
    return 1


def work(factor: int, job: int) -> tuple[int, int]:
    if job == 13:
        raise HarnessError("13 is no job")
    if job == 666:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.002 * (job % 3))
    return factor * job, os.getpid()


def meet(factor: int, folder: Path) -> int:
    """Wait for another process."""
    (folder / str(os.getpid())).touch()
    deadline = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    return os.getpid()


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(2, prepare, work, 3) as found:
        yield found


def test_results_come_in_the_order_of_the_jobs(workers: Workers) -> None:
    assert [value for value, _ in workers.map(range(12))] == [3 * job for job in range(12)]


def test_two_processes_work_at_once(tmp_path: Path) -> None:
    with Workers(2, prepare, meet, 3) as workers:
        first, second = workers.map([tmp_path, tmp_path])
    assert len({first, second, os.getpid()}) == 3


def test_one_worker_is_this_process() -> None:
    with Workers(1, prepare, work, 3) as workers:
        assert list(workers.map([2])) == [(6, os.getpid())]


def test_what_is_begun_has_prepared_before_there_is_a_job(tmp_path: Path) -> None:
    note = tmp_path / "prepared"
    with Workers(2, leave_note, work, str(note)).begin():
        deadline = time.monotonic() + 60
        while not note.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_mistake_of_a_job_is_raised_and_the_rest_goes_on(workers: Workers) -> None:
    with pytest.raises(HarnessError, match="13 is no job"):
        list(workers.map([1, 13, 2]))
    assert [value for value, _ in workers.map([5])] == [15]


def test_what_cannot_be_prepared_is_named() -> None:
    with (
        Workers(2, prepare, work, -1) as workers,
        pytest.raises(HarnessError, match=r"factor=-1:.*0"),
    ):
        list(workers.map([1]))


def test_a_worker_that_dies_is_one_line(workers: Workers) -> None:
    with pytest.raises(HarnessError, match="a working process ended abruptly"):
        list(workers.map([666]))
    assert [value for value, _ in workers.map([5])] == [15]


SCRIPT = """import signal
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_processes import prepare, work
from harness.work.processes import Workers
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
print("begins", flush=True)
with Workers(2, prepare, work, 3) as workers:
    print([value for value, _ in workers.map(range(3))], flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_script_without_a_guard_runs_once_and_its_processes_end_with_it(
    tmp_path: Path, how: signal.Signals
) -> None:
    """Ctrl-C reaches all processes of a terminal; only this one says so."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    line = [sys.executable, str(path), str(Path(__file__).parent)]
    pipe = subprocess.PIPE
    script = subprocess.Popen(
        line, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )
    assert script.stdout is not None
    assert script.stdout.readline() == "begins\n"
    assert script.stdout.readline() == "[0, 3, 6]\n"
    if how is signal.SIGKILL:
        script.kill()
    else:
        os.killpg(script.pid, how)
    rest, errors = script.communicate(timeout=60)  # until no process has the pipes
    assert (rest, script.returncode) == ("", -how)
    assert errors.count("Traceback") == (how is signal.SIGINT)
