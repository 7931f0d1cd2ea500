"""Workers as tasks of a Ray cluster that shares the runs folder with this machine."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import Any

from harness.core.engine import Ended, Work, check_ended
from harness.core.errors import HarnessError, bounded


@dataclass(frozen=True)
class Ray:
    """address: of the cluster, ``auto`` for the one that this machine belongs to.    workers: tasks.

    cpus, gpus: what a task asks for; the cluster places it where they are, and no task begins before they are free.
    retries: how often the task of a node that died is begun again, on another.
    """

    address: str = "auto"
    workers: int = 2
    cpus: float = 1
    gpus: float = 0
    retries: int = 3

    def __post_init__(self) -> None:
        bounded("engine.workers", self.workers, 1)
        bounded("engine.cpus", self.cpus, 0)
        bounded("engine.gpus", self.gpus, 0)
        bounded("engine.retries", self.retries, 0)

    def run(self, work: Work) -> bool:
        """See ``Engine.run``."""
        try:
            import ray
        except ImportError as error:
            raise HarnessError("engine=ray needs Ray: pip install 'multihop-harness[ray]'") from error
        own = not ray.is_initialized()
        try:
            with contextlib.chdir(os.sep):  # Ray's workers import from the folder that a driver is in
                ray.init(address=self.address, ignore_reinit_error=True, log_to_driver=False)
        except ConnectionError as error:
            raise HarnessError(
                f"engine.address={self.address}: no Ray cluster answers there ({str(error).splitlines()[0]}); "
                "start one with `ray start --head`, or give its address"
            ) from error
        try:
            task = ray.remote(num_cpus=self.cpus, num_gpus=self.gpus, max_retries=self.retries)(_work)
            started = [task.remote(work, index, self.workers) for index in range(1, self.workers + 1)]
            check_ended([_result(ray, reference, index + 1) for index, reference in enumerate(started)], "engine=ray")
        finally:
            if own:
                ray.shutdown()
        return True


def _work(work: Work, index: int, of: int) -> Ended:
    threads = os.environ.get("OMP_NUM_THREADS")  # Ray gives each task its share of the processors so
    return work.run(index, of, {"OMP_NUM_THREADS": threads} if threads else None)


def _result(ray: Any, reference: Any, index: int) -> Ended:
    try:
        ended: Ended = ray.get(reference)
        return ended
    except ray.exceptions.RayError as error:
        return Ended(index, 1, " ".join(str(error).split())[:300])
