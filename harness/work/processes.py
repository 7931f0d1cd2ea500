"""Python work on all processors, by processes that each prepare once.

They are started as new interpreters. This process is not forked, because it has threads and perhaps
a GPU.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cached_property
from multiprocessing import get_context, parent_process
from types import ModuleType
from typing import Any

from harness.core.errors import HarnessError

Prepare = Callable[..., Any]
Work = Callable[[Any, Any], Any]
AHEAD = 4
"""Number of jobs for each process that are taken before their results are read."""


class Workers:
    """Processes that compute ``work(prepare(*arguments), job)`` for many jobs.

    With one process the work is done by this process. Nothing is started or prepared before
    ``begin`` or a first job. Jobs, arguments and results are pickled. The processes end with
    ``close``, or with this process.

    Args:
        count: number of processes.
        prepare: a function of a module, called once in each process.
        work: a function of a module, called for each job.
        *arguments: those of ``prepare``.
        without: libraries that the other processes must not import, although a library that the
            work needs would.
    """

    def __init__(
        self, count: int, prepare: Prepare, work: Work, *arguments: Any, without: Sequence[str] = ()
    ) -> None:
        self._count, self._prepare, self._work, self._arguments = count, prepare, work, arguments
        self._without = without

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self) -> Workers:
        """Start and prepare the processes now, for later jobs. Nothing happens if this process does
        the work.
        """
        if self._count > 1:
            _ = self._pool
        return self

    @property
    def is_begun(self) -> bool:
        """Whether other processes wait for jobs or are at them."""
        return "_pool" in self.__dict__

    def close(self) -> None:
        """End the processes after the jobs that they are at. Jobs that wait are cancelled. A later
        job starts other processes.
        """
        if self.is_begun:
            self.__dict__.pop("_pool").shutdown(wait=False, cancel_futures=True)

    def map(self, jobs: Iterable[Any]) -> Iterator[Any]:
        """Yield the results in the order of the jobs. A few jobs are taken ahead for each process.
        Any thread may call it.

        A job raises what ``prepare`` or ``work`` raised, or HarnessError if a process has died.
        """
        if self._count == 1:
            yield from (self._work(self._prepared, job) for job in jobs)
            return
        ahead: deque[Future[Any]] = deque()
        try:
            for job in jobs:
                ahead.append(self._pool.submit(_compute, self._work, job))
                if len(ahead) > AHEAD * self._count:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        except BrokenProcessPool as error:
            self.close()
            raise HarnessError(
                "a working process ended abruptly, perhaps for lack of memory; type the same "
                "command again, with fewer processes (OMP_NUM_THREADS)"
            ) from error

    @cached_property
    def _prepared(self) -> Any:
        return self._prepare(*self._arguments)

    @cached_property
    def _pool(self) -> ProcessPoolExecutor:
        arguments = (self._without, self._prepare, self._arguments)
        pool = ProcessPoolExecutor(self._count, get_context("spawn"), _begin, arguments)
        with _alone():
            for _ in range(self._count):  # each starts a process
                pool.submit(int)
        return pool


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Let processes that are started in a block not run the user's script again and not be
    interrupted: Ctrl-C is for this process, which ends them.
    """
    main = sys.modules["__main__"]
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


_prepared: Any = None


def _begin(without: Sequence[str], prepare: Prepare, arguments: Sequence[Any]) -> None:
    """Prepare a process."""
    global _prepared
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.dup2(2, 1)  # the output of libraries is no result
    absent: dict[str, Any] = dict.fromkeys(without)
    sys.modules.update(absent)  # a module that is None cannot be imported
    try:
        _prepared = prepare(*arguments)
    except HarnessError as error:
        _prepared = error  # of each job


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _compute(work: Work, job: Any) -> Any:
    if isinstance(_prepared, HarnessError):
        raise _prepared
    return work(_prepared, job)
