import threading

import pytest

from harness.core.threads import available, map_threads


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(threads: int) -> None:
    assert list(map_threads(lambda n: n * n, range(50), threads)) == [n * n for n in range(50)]


@pytest.mark.parametrize("threads", [1, 2])
def test_jobs_are_taken_when_they_are_near(threads: int) -> None:
    taken = []
    results = map_threads(lambda n: n, (taken.append(n) or n for n in range(1000)), threads)
    assert [next(results), next(results)] == [0, 1]
    assert len(taken) <= threads + 3
    results.close()


def test_two_threads_work_at_once() -> None:
    both = threading.Barrier(2, timeout=20)
    assert len(list(map_threads(lambda _: both.wait(), range(4), 2))) == 4


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_job_is_the_callers(threads: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(map_threads(lambda n: 1 // (3 - n), range(9), threads))


def test_the_environment_says_how_many(monkeypatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert available() == 3
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert available() >= 1
