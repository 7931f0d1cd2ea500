"""Jobs by processes forked from a prepared one: results in order, what fails in one line, nothing
left behind.
"""

import os
import signal
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


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(2, prepare, work, 3) as found:
        yield found


def test_results_come_in_the_order_of_the_jobs_from_two_processes(workers: Workers) -> None:
    found = list(workers.map(range(12)))
    assert [value for value, _ in found] == [3 * job for job in range(12)]
    assert len({process for _, process in found} - {os.getpid()}) == 2


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
    with pytest.raises(Exception, match=r"terminated abruptly|a working process failed"):
        list(workers.map([666]))


def test_a_leader_that_dies_fails_what_waits() -> None:
    workers = Workers(2, prepare, work, 3)
    found = workers.map(range(1000))
    assert next(found)[0] == 0
    assert workers._process is not None
    os.kill(workers._process.pid, signal.SIGKILL)
    with pytest.raises(HarnessError, match="a working process failed: it ended with status -9"):
        list(found)
    with pytest.raises(HarnessError, match="a working process failed"):
        list(workers.map([2]))
