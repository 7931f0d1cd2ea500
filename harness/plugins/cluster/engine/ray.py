"""Workers as tasks of a Ray cluster that shares the runs folder with this machine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.configuration.extras import need
from harness.core.errors import HarnessError, bounded, whole_number
from harness.work.engine import Ended, Work, check_ended


@dataclass(frozen=True)
class Ray:
    """Workers of a Ray cluster.

    Args:
        address: of the cluster; ``auto`` for the one of this machine.
        workers: number of tasks, >= 1.
        cpus: of a task; no task begins before they are free.
        gpus: of a task.
        retries: how often the task of a dead node is started again, on another one.
        grows: whether nodes may join the cluster while tasks wait (an autoscaler). Without it, a
            task that fits no node is an error; Ray would wait silently.
    """

    address: str = "auto"
    workers: int = 2
    cpus: float = 1
    gpus: float = 0
    retries: int = 3
    grows: bool = False

    def __post_init__(self) -> None:
        whole_number("engine.workers", self.workers, 1)
        bounded("engine.cpus", self.cpus, 0)
        bounded("engine.gpus", self.gpus, 0)
        whole_number("engine.retries", self.retries, 0)

    def run(self, work: Work) -> None:
        """Run the workers. See ``Engine.run``."""
        ray = need("ray", "engine=ray", "ray")
        started_here = not ray.is_initialized()
        try:
            with contextlib.chdir(
                os.sep
            ):  # Ray's workers import from the folder that a driver is in
                ray.init(address=self.address, ignore_reinit_error=True, log_to_driver=False)
        except ConnectionError as error:
            raise HarnessError(
                f"engine.address={self.address}: no Ray cluster answers there "
                f"({str(error).splitlines()[0]}); "
                "start one with `ray start --head`, or give its address"
            ) from error
        try:
            self._check_nodes(ray.nodes())
            task = ray.remote(num_cpus=self.cpus, num_gpus=self.gpus, max_retries=self.retries)(
                _work
            )
            started = [
                task.options(name=f"harness prepare part={index}/{self.workers}").remote(
                    work, index, self.workers, self.gpus
                )
                for index in range(1, self.workers + 1)
            ]
            check_ended(
                [_result(ray, reference, index + 1) for index, reference in enumerate(started)],
                "engine=ray",
            )
        finally:
            if started_here:
                ray.shutdown()

    def _check_nodes(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        """Raise HarnessError if no node has the resources of a task."""
        have = [node["Resources"] for node in nodes if node["Alive"]]
        fits = any(
            node.get("CPU", 0) >= self.cpus and node.get("GPU", 0) >= self.gpus for node in have
        )
        if not fits and not self.grows:
            resources = ", ".join(
                f"{node.get('CPU', 0):g} CPUs and {node.get('GPU', 0):g} GPUs" for node in have
            )
            raise HarnessError(
                f"engine.cpus={self.cpus:g} engine.gpus={self.gpus:g}: no node of the cluster "
                "has so many, and Ray "
                f"would wait for one silently; its nodes have {resources or 'nothing'}; ask for "
                "less, or set "
                "engine.grows=true where nodes join by themselves"
            )


def _work(work: Work, index: int, of: int, gpus: float) -> Ended:
    threads = os.environ.get("OMP_NUM_THREADS")  # the task's share of the processors
    settings = {"OMP_NUM_THREADS": threads} if threads else {}
    return work.run_worker(index, of, settings, gpus)


def _result(ray: Any, reference: Any, index: int) -> Ended:
    try:
        ended: Ended = ray.get(reference)
        return ended
    except ray.exceptions.RayError as error:
        return Ended(index, 1, " ".join(str(error).split())[:300])
