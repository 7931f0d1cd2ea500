"""Engines: where the workers run that prepare a configuration's artifacts.

An engine is thin. It starts workers on this machine, a Ray cluster or Slurm, each of which is
``harness prepare`` with ``part=i/n wait=true`` over the same runs folder, and waits for them; the
artifact store is the queue between them (see harness.work.parts). So no engine carries data, and an
artifact has the same bytes on each.
"""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import IO, Protocol, runtime_checkable

from harness.core.errors import HarnessError
from harness.core.secret import is_secret
from harness.work.processes import end_with_parent

KEPT = ("HARNESS_", "HF_", "PYTHONPATH", "OPENAI_", "AWS_", "FSSPEC_")
"""What a worker's environment takes from the driver's, by beginning of the name."""
PROMISED = "HARNESS_PROMISED_GPUS"
"""The variable that tells a worker how many GPUs it was promised."""
PARENT = "HARNESS_PARENT"
"""The variable that tells a worker with which process it ends; that process holds the other end of
its input.
"""


@dataclass(frozen=True)
class Work:
    """What every worker does: ``harness prepare`` with these overrides, in this folder and
    environment.
    """

    overrides: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]

    @classmethod
    def here(cls, overrides: Iterable[str]) -> Work:
        """Overrides as typed here; those that choose an engine are left out, since a worker has
        none.
        """
        kept = (
            text
            for text in overrides
            if not text.lstrip("+").startswith(("engine", "part=", "wait="))
        )
        environment = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        return cls(tuple(kept), os.getcwd(), environment)

    def without_secrets(self) -> Work:
        """The same, without variables that are named like keys: for an engine that keeps what it
        sends in files.
        """
        kept = {name: value for name, value in self.environment.items() if not is_secret(name)}
        return dataclasses.replace(self, environment=kept)

    def start(
        self, index: int, of: int, more: Mapping[str, str] | None = None, gpus: float = 0
    ) -> Worker:
        """Worker ``index`` of ``of``, as a process that ends with this one.

        more: of its environment, e.g. the GPU it may see.    gpus: that it was promised; it ends
        where it finds fewer.
        """
        own = f"part={index}/{of}"
        line = [sys.executable, "-P", "-m", "harness", "prepare", *self.overrides, own, "wait=true"]
        promised = {PROMISED: str(math.ceil(gpus))} if gpus else {}
        own_end = {PARENT: str(os.getpid())}
        environment = {**os.environ, **self.environment, **promised, **own_end, **(more or {})}
        errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  (of the Worker)
        process = subprocess.Popen(
            line,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        return Worker(index, process, errors)

    def run_worker(
        self, index: int, of: int, more: Mapping[str, str] | None = None, gpus: float = 0
    ) -> Ended:
        """Worker ``index`` of ``of`` (see ``start``), to its end."""
        with self.start(index, of, more, gpus) as worker:
            return worker.wait()


@dataclass(frozen=True)
class Worker:
    """A worker's process. Whoever leaves its block, by an interruption, too, ends it."""

    index: int
    process: subprocess.Popen[bytes]
    errors: IO[str]

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *cause: object) -> None:
        with self.process, self.errors:
            self.process.kill()

    def wait(self) -> Ended:
        """Its end, and what it said last."""
        status = self.process.wait()
        self.errors.seek(0)
        said = [text for text in self.errors.read().splitlines() if text.strip()]
        silent = f"ended by signal {-status}" if status < 0 else f"status {status}"
        return Ended(self.index, status, said[-1] if said and status > 0 else silent)


@dataclass(frozen=True)
class Ended:
    """A worker's end: its number, exit status, and the last line that it said on stderr."""

    index: int
    status: int
    said: str


def check_promises() -> None:
    """Hold this worker against what its engine promised, and let it end with the process that
    started it.

    The kernel ends it where it can (Linux); elsewhere it ends when its standard input does, whose
    other end the driver holds. Raises HarnessError where torch finds fewer GPUs: a worker would
    compute on the CPU in silence.
    """
    if parent := os.environ.pop(PARENT, None):  # what this worker starts is its own
        end_with_parent()
        threading.Thread(target=_end_with_input, daemon=True).start()
        if os.getppid() != int(parent):
            raise HarnessError(f"the process {parent} that started this worker has ended")
    if promised := int(os.environ.get(PROMISED, "0")):
        import torch

        found = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if found < promised:
            raise HarnessError(
                f"engine.gpus={promised}: on {socket.gethostname()} torch {torch.__version__} "
                f"finds {found} GPUs (CUDA "
                f"{torch.version.cuda}); mend that machine's driver or torch, or leave the "
                "machine out"
            )


def _end_with_input() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


@runtime_checkable
class Engine(Protocol):
    """A frozen dataclass that runs workers."""

    def run(self, work: Work) -> None:
        """Run the workers to their end, if this engine starts any. Raises HarnessError where
        workers failed.
        """
        ...


def check_ended(ended: Iterable[Ended], where: str) -> None:
    """Raise HarnessError that says what the failed workers said, each thing once.

    What the others did stays: where one ended well every stage is whole, and the same command only
    reads.
    """
    every = list(ended)
    failed = [one for one in every if one.status]
    if failed:
        numbers = ", ".join(str(one.index) for one in failed)
        said = " | ".join(dict.fromkeys(one.said.removeprefix("error: ") for one in failed))
        rest = (
            "; the others have done all, so the same command only reads it"
            if len(failed) < len(every)
            else ""
        )
        raise HarnessError(f"{where}: worker {numbers} failed: {said}{rest}")
