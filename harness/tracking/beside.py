"""Tracking in a process beside the sweep's.

MLflow takes seconds to import; in a thread they would be the sweep's own, as an interpreter runs one thread at a time.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

from harness.errors import HarnessError
from harness.garbage import seldom

if TYPE_CHECKING:
    from harness.sweep.result import SweepResult
    from harness.tracking import Tracking


@contextmanager
def beside(tracking: Tracking) -> Iterator[Callable[[SweepResult], Callable[[], str | None]]]:
    """Opens the tracker in a process of its own, at once; what comes logs a sweep there, and gives what waits for it.

    The sooner the better: imports of both processes take as long as one's, and a sweep has a processor to itself later.

    An interrupt (Ctrl-C) is not that process's: it ends when this one does, not within a transaction. What is raised
    there is raised here.
    """
    command = [sys.executable, "-m", __name__]
    search = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=search, start_new_session=True
    ) as process:
        asked, told = process.stdin, process.stdout
        assert asked is not None
        assert told is not None
        _send(asked, tracking)

        def log(result: SweepResult) -> Callable[[], str | None]:
            with suppress(BrokenPipeError):  # it has told what was wrong, and ended
                _send(asked, result.folder)
            return lambda: _answer(told, process, result)

        yield log


def _answer(told: IO[bytes], process: subprocess.Popen[bytes], result: SweepResult) -> str | None:
    try:
        found, error = pickle.load(told)
    except EOFError:
        raise HarnessError(
            f"the process that logs the sweep ended by itself (exit code {process.wait()}); nothing is lost: "
            f"{result.folder} holds all results, and tracking=none logs nothing"
        ) from None
    if error is not None:
        raise error
    return found  # type: ignore[no-any-return]


def serve(asked: IO[bytes], told: IO[bytes]) -> None:
    """The other side: opens the tracker that is sent first, and logs the sweep that may be sent then."""
    tracking: Tracking = pickle.load(asked)
    found, error = None, None
    try:
        tracking.prepare()
        from harness.sweep.result import SweepResult

        found = tracking.log_sweep(SweepResult(pickle.load(asked)))
    except EOFError:
        return
    except Exception as raised:
        if not isinstance(raised, HarnessError):
            raised.add_note(traceback.format_exc())
        error = raised
    _send(told, (found, error))


def _send(channel: IO[bytes], what: object) -> None:
    channel.write(pickle.dumps(what))
    channel.flush()


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    seldom()
    serve(sys.stdin.buffer, answers)
    sys.stderr.flush()
    os._exit(0)  # all is told and committed: nobody has to wait until MLflow's modules are taken apart
