"""Threads: independent pieces of work, each on one thread, with results in order."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from harness.core.errors import HarnessError

J = TypeVar("J")
R = TypeVar("R")
MOST = 4096
"""Largest number of threads. More are a typing mistake."""


def available() -> int:
    """Return the number of threads: OMP_NUM_THREADS, or the number of processors of this process.

    OpenMP's form for nested loops, ``4,2``, means 4.

    Raises:
        HarnessError: a value that OpenMP does not accept either.
    """
    setting = os.environ.get("OMP_NUM_THREADS", "").strip()
    first = setting.partition(",")[0].strip()
    if setting and not (first.isascii() and first.isdecimal() and 1 <= int(first) <= MOST):
        raise HarnessError(
            f"OMP_NUM_THREADS={setting}: expected a whole number from 1 to {MOST}; set one, or "
            "unset the variable"
        )
    return int(first) if setting else len(os.sched_getaffinity(0))


def map_threads(work: Callable[[J], R], jobs: Iterable[J], threads: int) -> Iterator[R]:
    """Yield ``work(job)`` of every job, in the order of the jobs.

    A job is taken from ``jobs`` when a thread is about to be free. No more than ``threads`` + 1
    results wait to be read, so the use of memory does not grow with the number of jobs.
    """
    if threads == 1:
        yield from map(work, jobs)
        return
    ahead: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for job in jobs:
                ahead.append(pool.submit(work, job))
                if len(ahead) > threads + 1:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for waiting in ahead:
                waiting.cancel()


@contextlib.contextmanager
def torch_alone() -> Iterator[None]:
    """Let each operation of torch use one thread in a block. The blocks run in parallel, and small
    tensors gain nothing from threads.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
