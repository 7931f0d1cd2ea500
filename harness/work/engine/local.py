"""Workers on this machine: one for each GPU if there are several, otherwise only this process."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from harness.core.device import gpus
from harness.core.errors import whole_number
from harness.core.threads import available
from harness.work.engine import Work, Worker, check_ended


@dataclass(frozen=True)
class Local:
    """An engine of processes on this machine.

    The workers share the processors' threads equally. If there are several GPUs, each worker gets
    one, in turn.

    Attributes:
        workers: number of processes; ``null`` is one for each GPU, and 1 without GPUs.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            whole_number("engine.workers", self.workers, 1)

    def run(self, work: Work) -> None:
        """Run the workers (see ``Engine.run``). A single worker is this process itself."""
        cards = len(gpus())
        count = self.workers or max(1, cards)
        if count == 1:
            return

        def start(index: int) -> Worker:
            more = {"OMP_NUM_THREADS": str(max(1, available() // count))}
            if cards > 1:
                more["CUDA_VISIBLE_DEVICES"] = str((index - 1) % cards)
            return work.start(index, count, more, gpus=int(cards > 1))

        with contextlib.ExitStack() as block:
            started = [block.enter_context(start(index)) for index in range(1, count + 1)]
            check_ended([worker.wait() for worker in started], "engine=local")
