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
    ``begin`` or a first job. Jobs, arguments and results are pickled. The processes end with
    ``close``, or with this process.

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
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: dict[int, Future[Any]] = {}
        self._number = 0
        self._ended: HarnessError | None = None
        self._lock = threading.RLock()

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
            self._start()
            atexit.register(self.close)
        return self

    def close(self) -> None:
        """End the processes. Waiting jobs fail with a HarnessError."""
        atexit.unregister(self.close)  # it would keep the arguments in memory
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def map(self, jobs: Iterable[Any]) -> Iterator[Any]:
        """Yield the results in the order of the jobs. A few jobs are taken ahead for each process.
        Any thread may call it.

        A job raises what ``prepare`` or ``work`` raised, or HarnessError if the processes have
        died.
        """
        if self._count == 1:
            yield from (self._work(self._own, job) for job in jobs)
            return
        ahead: deque[Future[Any]] = deque()
        for job in jobs:
            ahead.append(self._submit(job))
            if len(ahead) > AHEAD * self._count:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()

    @cached_property
    def _own(self) -> Any:
        return self._prepare(*self._arguments)

    def _start(self) -> IO[bytes]:
        """Return the input of the processes, which are started if there are none."""
        with self._lock:
            if self._process is None:
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
                threading.Thread(target=self._receive, args=[self._process], daemon=True).start()
                names = [(one.__module__, one.__qualname__) for one in (self._prepare, self._work)]
                self._send((self._count, names, self._arguments, self._without))
            assert self._process.stdin is not None
            return self._process.stdin

    def _submit(self, job: Any) -> Future[Any]:
        """Return the future result of a job."""
        found: Future[Any] = Future()
        with self._lock:
            if self._ended is not None:
                found.set_exception(self._ended)
                return found
            self._number += 1
            self._waiting[self._number] = found
            self._send((self._number, job))
        return found

    def _send(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # the processes have died: all waiting jobs fail
            stream = self._start()
            pickle.dump(message, stream)
            stream.flush()

    def _receive(self, process: subprocess.Popen[bytes]) -> None:
        """Deliver results until the processes end. Then all waiting jobs fail with their last
        message.
        """
        assert process.stdout is not None
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError, ValueError):
            while True:
                number, good, value = pickle.load(process.stdout)
                found = self._waiting.pop(number)
                found.set_result(value) if good else found.set_exception(value)
        status = process.wait()
        self._errors.seek(0)
        said = [line for line in self._errors.read().splitlines() if line.strip()]
        why = said[-1] if said else f"it ended with status {status}"
        with self._lock:
            self._ended = HarnessError(f"a working process failed: {why}")
            for found in self._waiting.values():
                found.set_exception(self._ended)
            self._waiting.clear()


_prepared: Any = None


def _work(name: tuple[str, str], job: Any) -> Any:
    if isinstance(_prepared, HarnessError):
        raise _prepared
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
    try:
        _prepared = _function(*prepare)(*arguments)
    except HarnessError as error:
        _prepared = error  # of each job
    with ProcessPoolExecutor(count, get_context("fork"), _die_together, (os.getpid(),)) as pool:
        while True:
            try:
                number, job = pickle.load(source)
            except EOFError:
                break
            pool.submit(_work, work, job).add_done_callback(functools.partial(answer, number))


if __name__ == "__main__":
    main()
