"""What the engine itself costs: empty parts, shared by two tasks of a Ray on this machine; the peer
is the aim.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.work.engine import Ended
from harness.work.parts import Share, WorkPart, fill, sharing
from tests.benchmarks.measure import Case

LIMIT = 60.0
"""Seconds that 10,000 of them may take, Ray's own start among them."""
SLICE = 0.6
"""Seconds that stand for the limit, which is not waited for."""


def case(quick: bool) -> Case:
    import ray

    count = 1_000 if quick else 10_000
    ray.cloudpickle.register_pickle_by_value(
        sys.modules[__name__]
    )  # a worker cannot import the tests

    def ours() -> int:
        from harness.plugins.cluster.engine.ray import Ray

        with tempfile.TemporaryDirectory() as folder:
            Ray(address="local", workers=2).run(Empty(folder, count))  # type: ignore[arg-type]
            return len(list(Path(folder).glob("*.txt")))

    def check(made: int, _: None) -> str:
        if made != count:
            raise AssertionError(f"{made} of {count} parts were made")
        return "each part is there"

    return Case(
        work=f"{count:,} empty parts by two tasks of Ray",
        peer=f"the limit of {LIMIT:g} s",
        ours=ours,
        theirs=lambda: time.sleep(SLICE),
        check=check,
        aim=1,
        packages=("ray",),
        scale=LIMIT / SLICE,
    )


@dataclass(frozen=True)
class Empty:
    """Work of which each part is an empty file."""

    folder: str
    count: int

    def run_worker(
        self, index: int, of: int, more: Mapping[str, str] | None = None, gpus: float = 0
    ) -> Ended:
        """Worker ``index`` of ``of``."""
        place = Path(self.folder)
        parts = [
            WorkPart(place / f"{number}.txt", lambda path, advance: path.touch())
            for number in range(self.count)
        ]
        with sharing(Share(index, of, waits=True, tolerant=True)):
            fill(place, parts, "empty parts")
        return Ended(index, 0, "")
