"""Python work on all processors by forked processes, after one preparation for all of them.

This process only sends and receives. A second one imports the module of the work, calls ``prepare``
(which may load a model) and forks its workers. Loading is therefore done once, and its memory is
shared. This process itself is not forked, because it has threads and perhaps a GPU.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any

from harness.core.errors import HarnessError

Prepare = Callable[..., Any]
Work = Callable[[Any, Any], Any]
PR_SET_PDEATHSIG = 1
AHEAD = 4
"""Number of jobs for each process that are taken before their results are read."""


class Workers:
    """Processes that compute ``work(prepare(*arguments), job)`` for many jobs.

    With one process the work is done by this process. Nothing is started or prepared before
    ``begin`` or a first job.

    Args:
        count: number of processes.
        prepare: a function of a module, called once.
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
        self._started: Processes | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self) -> Workers:
        """Start and prepare the processes now, for later jobs. Nothing happens if this process does
        the work.

        If no job comes, they end with this process.
        """
        if self._count > 1:
            self._processes()
            atexit.register(self.close)
        return self

    def close(self) -> None:
        """End the processes."""
        atexit.unregister(self.close)  # it would keep the arguments in memory
        if self._started is not None:
            self._started.close()

    def map(self, jobs: Iterable[Any]) -> Iterator[Any]:
        """Yield the results in the order of the jobs. A few jobs are taken ahead for each process.
        Any thread may call it.
        """
        if self._count == 1:
            yield from (self._work(self._own, job) for job in jobs)
            return
        ahead: deque[Future[Any]] = deque()
        for job in jobs:
            ahead.append(self._processes().submit(job))
            if len(ahead) > AHEAD * self._count:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()

    @cached_property
    def _own(self) -> Any:
        return self._prepare(*self._arguments)

    def _processes(self) -> Processes:
        with self._lock:
            if self._started is None:
                self._started = Processes(
                    self._count, self._prepare, self._work, *self._arguments, without=self._without
                )
            return self._started


class Processes:
    """Processes that compute ``work(prepare(*arguments), job)``, from any thread.

    Jobs, arguments and results are pickled. The processes end with ``close``, or with this process.
    """

    def __init__(
        self, count: int, prepare: Prepare, work: Work, *arguments: Any, without: Sequence[str] = ()
    ) -> None:
        root = str(Path(__file__).parents[2])
        search = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        self._errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115  (it lives as long as the process)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONPATH": search},
        )
        self._waiting: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._ended: HarnessError | None = None
        names = [(function.__module__, function.__qualname__) for function in (prepare, work)]
        self._send((count, names, arguments, without))
        threading.Thread(target=self._receive, daemon=True).start()

    def submit(self, job: Any) -> Future[Any]:
        """Return the future result of a job.

        It raises what ``prepare`` or ``work`` raised, or HarnessError if the processes have died.
        """
        found: Future[Any] = Future()
        with self._lock:
            if self._ended is not None:
                found.set_exception(self._ended)
                return found
            self._number += 1
            self._waiting[self._number] = found
            with contextlib.suppress(OSError):  # the process has died: all waiting jobs fail
                self._send((self._number, job))
        return found

    def close(self) -> None:
        """End the processes. Waiting jobs fail with a HarnessError."""
        self._process.kill()
        self._process.wait()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()

    def _receive(self) -> None:
        """Deliver results until the process ends. Then all waiting jobs fail with its last
        message.
        """
        assert self._process.stdout is not None
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError, ValueError):
            while True:
                number, good, value = pickle.load(self._process.stdout)
                found = self._waiting.pop(number)
                found.set_result(value) if good else found.set_exception(value)
        died = self._died()
        with self._lock:
            self._ended = died
            for found in self._waiting.values():
                if not found.done():
                    found.set_exception(died)
            self._waiting.clear()

    def _died(self) -> HarnessError:
        status = self._process.wait()
        self._errors.seek(0)
        said = [line for line in self._errors.read().splitlines() if line.strip()]
        return HarnessError(
            f"a working process failed: {said[-1] if said else f'it ended with status {status}'}"
        )


_prepared: Any = None


def _work(name: tuple[str, str], job: Any) -> Any:
    return _function(*name)(_prepared, job)


def _function(module: str, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def _die_together(leader: int) -> None:
    """Let the kernel end this worker when its leader ends (Linux). It would wait for jobs for ever
    and keep the pipe open.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != leader:
        os._exit(1)


def main() -> None:
    """Read jobs from standard input until it ends, and write each result when it is ready."""
    global _prepared
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of libraries is no result
    lock = threading.Lock()

    def answer(number: int, done: Future[Any]) -> None:
        error = done.exception()
        message = (number, True, done.result()) if error is None else (number, False, error)
        with lock, contextlib.suppress(BrokenPipeError):
            pickle.dump(message, target)
            target.flush()

    count, (prepare, work), arguments, without = pickle.load(source)
    sys.modules.update(dict.fromkeys(without))  # a module that is None cannot be imported
    failed: Exception | None = None
    try:
        _prepared = _function(*prepare)(*arguments)
    except HarnessError as error:
        failed = error
    with ProcessPoolExecutor(count, get_context("fork"), _die_together, (os.getpid(),)) as pool:
        while True:
            try:
                number, job = pickle.load(source)
            except EOFError:
                break
            if failed:
                future: Future[Any] = Future()
                future.set_exception(failed)
            else:
                future = pool.submit(_work, work, job)
            future.add_done_callback(functools.partial(answer, number))


if __name__ == "__main__":
    main()
