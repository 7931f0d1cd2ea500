"""Workers on this machine: one a GPU where there are several, else this process alone."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from harness.core.device import gpus
from harness.core.errors import whole_number
from harness.core.threads import available
from harness.work.engine import Work, Worker, check_ended


@dataclass(frozen=True)
class Local:
    """workers: processes; ``null`` is as many as there are GPUs, and 1 without.

    Each has an equal share of the processors' threads; of several GPUs each sees one, in turn.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            whole_number("engine.workers", self.workers, 1)

    def run(self, work: Work) -> None:
        """See ``Engine.run``. One worker is this process itself."""
        cards = len(gpus())
        count = self.workers or max(1, cards)
        if count == 1:
            return

        def start(index: int) -> Worker:
            more = {"OMP_NUM_THREADS": str(max(1, available() // count))}
            if cards > 1:
                more["CUDA_VISIBLE_DEVICES"] = str((index - 1) % cards)
            return work.start(index, count, more, gpus=1 if cards > 1 else 0)

        with contextlib.ExitStack() as block:
            started = [block.enter_context(start(index)) for index in range(1, count + 1)]
            check_ended([worker.wait() for worker in started], "engine=local")
