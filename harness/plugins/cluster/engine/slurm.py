"""Workers as an array job of Slurm, by submitit."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.core.configuration.extras import need
from harness.core.errors import HarnessError, whole_number
from harness.work.engine import Ended, Work, check_ended

PAUSE = 5.0
"""Seconds between two requests of the queue."""


@dataclass(frozen=True)
class Slurm:
    """Workers of a Slurm array.

    Args:
        workers: number of array tasks, >= 1.
        at_once: number of tasks that may run at once; None for all.
        minutes: time limit of a task, >= 3. A task that reaches it, or is preempted, is queued
            again and continues from its parts. Slurm warns a task 90 seconds before its end, or up
            to a minute earlier, and the task must have begun by then.
        cpus: of a task, >= 1.
        gpus: of a task.
        partition: None for the cluster's default.
        more: other options of sbatch by name, such as ``{account: lab}``.
        logs: folder of submitit's scripts and the tasks' output, shared with the nodes.
    """

    workers: int = 4
    at_once: int | None = None
    minutes: int = 240
    cpus: int = 4
    gpus: int = 0
    partition: str | None = None
    more: Mapping[str, object] = field(default_factory=dict, hash=False)
    logs: str = "runs/slurm"

    def __post_init__(self) -> None:
        for name, least in (("workers", 1), ("minutes", 3), ("cpus", 1)):
            whole_number(f"engine.{name}", getattr(self, name), least)
        whole_number("engine.gpus", self.gpus, 0)
        if self.at_once is not None:
            whole_number("engine.at_once", self.at_once, 1)

    def run(self, work: Work) -> None:
        """Run the workers. See ``Engine.run``.

        Keys reach the tasks through sbatch, which passes on the environment; no file holds them.
        """
        submitit = need("submitit", "engine=slurm", "slurm")
        if shutil.which("sbatch") is None:
            raise HarnessError(
                "engine=slurm: there is no sbatch on this machine; run it where Slurm takes jobs"
            )
        # a task imports nothing from the folder that it was sent from
        python = f"{shlex.quote(sys.executable)} -P"
        gres = f"gpu:{self.gpus}" if self.gpus else None
        wanted = {"gres": gres, "partition": self.partition}
        executor = submitit.SlurmExecutor(self.logs, max_num_timeout=100, python=python)
        executor.update_parameters(
            job_name="harness",
            time=self.minutes,
            cpus_per_task=self.cpus,
            array_parallelism=self.at_once or self.workers,
            **{name: value for name, value in wanted.items() if value},
            additional_parameters=dict(self.more),
        )
        jobs = executor.map_array(
            Task(work.without_secrets(), self.workers, self.gpus), list(range(1, self.workers + 1))
        )
        check_ended(_wait(jobs), "engine=slurm")


@dataclass
class Task:
    """One task of the array, which submitit pickles and can queue again."""

    work: Work
    of: int
    gpus: int = 0

    def __call__(self, index: int) -> Ended:
        """Work until every stage is complete."""
        return self.work.run_worker(index, self.of, gpus=self.gpus)

    def checkpoint(self, index: int) -> Any:
        """Return the job to queue when the time is up: the same, since finished parts are kept."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, index)


def _wait(jobs: Sequence[Any]) -> list[Ended]:
    """Return the result of each task; one that left the queue without a result was cancelled or
    lost.

    Only the queue is read, because not every cluster has Slurm's accounting.
    """
    ended: dict[str, Ended] = {}
    gone: set[str] = set()
    while len(ended) < len(jobs):
        time.sleep(PAUSE)
        queued = _queued([str(job.job_id) for job in jobs])
        for index, job in enumerate(jobs, 1):
            name = str(job.job_id)
            if name in ended or name in queued:
                continue
            if job.paths.result_pickle.exists():
                ended[name] = _result(job, index)
            elif name in gone:  # and its result did not appear meanwhile
                ended[name] = Ended(
                    index, 1, f"job {name} was cancelled or lost; see {job.paths.stderr}"
                )
            gone.add(name)
    return [ended[str(job.job_id)] for job in jobs]


def _queued(names: Sequence[str]) -> set[str]:
    arrays = sorted({name.partition("_")[0] for name in names})
    line = ["squeue", "--noheader", "--array", "--format=%i", f"--jobs={','.join(arrays)}"]
    listing = subprocess.run(line, capture_output=True, text=True, check=False)
    # "Invalid job id" means that all jobs have left; otherwise the controller does not answer
    if listing.returncode and "Invalid job id" not in listing.stderr:
        return set(names)
    return set(listing.stdout.split())


def _result(job: Any, index: int) -> Ended:
    try:
        ended: Ended = job.result()
        return ended
    except Exception as error:  # submitit includes the error of the task
        return Ended(index, 1, f"job {job.job_id}: {str(error).splitlines()[0]}")
