"""Engines: they start the workers that prepare the artifacts of a configuration.

An engine starts workers on this machine, a Ray cluster or Slurm, and waits for them. Each worker is
``harness prepare`` with ``part=i/n wait=true`` over the same runs folder. The artifact store is the
queue between them (see harness.work.parts). So no engine transfers data, and an artifact has the
same bytes with each engine.
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

KEPT = ("HARNESS_", "HF_", "PYTHONPATH", "OPENAI_", "AWS_", "FSSPEC_")
"""The beginnings of the names of environment variables that a worker gets from the driver."""
PROMISED = "HARNESS_PROMISED_GPUS"
"""The variable with the number of GPUs that a worker was promised."""
PARENT = "HARNESS_PARENT"
"""The variable that is set for a worker, which ends with the process that holds the other end of
its input.
"""


@dataclass(frozen=True)
class Work:
    """The command of every worker: ``harness prepare`` with overrides, in a folder and an
    environment.
    """

    overrides: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]

    @classmethod
    def here(cls, overrides: Iterable[str]) -> Work:
        """Return the work of this process: its folder, its environment, and its overrides except
        those of an engine.
        """
        shared = (
            text
            for text in overrides
            if not text.lstrip("+").startswith(("engine", "part=", "wait="))
        )
        environment = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        return cls(tuple(shared), os.getcwd(), environment)

    def without_secrets(self) -> Work:
        """Return the work without variables named like keys, for an engine that stores its messages
        in files.
        """
        environment = {
            name: value for name, value in self.environment.items() if not is_secret(name)
        }
        return dataclasses.replace(self, environment=environment)

    def start(
        self, index: int, of: int, more: Mapping[str, str] | None = None, gpus: float = 0
    ) -> Worker:
        """Start worker ``index`` of ``of`` as a process that ends with this one.

        Args:
            index: number of the worker, from 1.
            of: number of workers.
            more: further environment variables, such as the GPU to use.
            gpus: number of GPUs promised to the worker. It stops if it finds fewer.
        """
        line = [sys.executable, "-P", "-m", "harness", "prepare"]
        line += [*self.overrides, f"part={index}/{of}", "wait=true"]
        promised = {PROMISED: str(math.ceil(gpus))} if gpus else {}
        parent = {PARENT: "1"}
        environment = {**os.environ, **self.environment, **promised, **parent, **(more or {})}
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
        """Run worker ``index`` of ``of`` to its end (see ``start``)."""
        with self.start(index, of, more, gpus) as worker:
            return worker.wait()


@dataclass(frozen=True)
class Worker:
    """The process of a worker. It is killed when its block is left, also by an interruption."""

    index: int
    process: subprocess.Popen[bytes]
    errors: IO[str]

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *cause: object) -> None:
        with self.process, self.errors:
            self.process.kill()

    def wait(self) -> Ended:
        """Return the end of the worker and its last message."""
        status = self.process.wait()
        self.errors.seek(0)
        messages = [text for text in self.errors.read().splitlines() if text.strip()]
        silent = f"ended by signal {-status}" if status < 0 else f"status {status}"
        message = messages[-1] if messages and status > 0 else silent
        return Ended(self.index, status, message)


@dataclass(frozen=True)
class Ended:
    """The end of a worker: its number, exit status, and last line on stderr."""

    index: int
    status: int
    message: str


def check_promises() -> None:
    """Check what the engine promised to this worker, and let the worker end with the process that
    started it.

    It ends when its standard input does, whose other end is held by the process that started it.

    Raises:
        HarnessError: torch finds fewer GPUs. The worker would compute on the CPU without a warning.
    """
    if os.environ.pop(PARENT, None):  # what this worker starts is its own
        threading.Thread(target=_end_with_input, daemon=True).start()
    if promised := int(os.environ.get(PROMISED, "0")):
        import torch

        available = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if available < promised:
            raise HarnessError(
                f"engine.gpus={promised}: on {socket.gethostname()} torch {torch.__version__} "
                f"finds {available} GPUs (CUDA "
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
        """Run the workers to their end, if this engine starts any. Raise HarnessError if workers
        failed.
        """
        ...


def check_ended(ended: Iterable[Ended], where: str) -> None:
    """Raise HarnessError with the different messages of the failed workers.

    The results of the other workers stay. If one of them succeeded, every stage is complete, and
    the same command only reads it.
    """
    every = list(ended)
    failed = [worker for worker in every if worker.status]
    if failed:
        numbers = ", ".join(str(worker.index) for worker in failed)
        messages = " | ".join(
            dict.fromkeys(worker.message.removeprefix("error: ") for worker in failed)
        )
        rest = (
            "; the others have done all, so the same command only reads it"
            if len(failed) < len(every)
            else ""
        )
        raise HarnessError(f"{where}: worker {numbers} failed: {messages}{rest}")
