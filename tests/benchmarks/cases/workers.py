"""Encoding and entity recognition by two workers of a thread each, against one of a thread, from
nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measure import Case
from tests.world.generate import write

LINE = [
    "prepare",
    "dataset=folder",
    "tracking=none",
    "~lists.graph",
    "+retriever@lists.walk=mention_walk",
]
"""A dense list, and one that reads what was extracted; nothing else takes long."""


def case(quick: bool) -> Case:
    place = tempfile.TemporaryDirectory()
    world = write(Path(place.name) / "world", 2_100 if quick else 20_000)

    def prepared(workers: int) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as runs:
            line = [
                *LINE,
                f"dataset.path={world}",
                f"paths.runs={runs}",
                "engine=local",
                f"engine.workers={workers}",
            ]
            environment = {
                **os.environ,
                "OMP_NUM_THREADS": str(workers),
            }  # which the workers divide among them
            subprocess.run(
                [sys.executable, "-m", "harness", *line],
                check=True,
                capture_output=True,
                env=environment,
            )
            files = Path(runs).glob("artifacts/*/*/*.np[yz]")
            return {str(path.relative_to(runs)): path.read_bytes() for path in files}

    def check(two: dict[str, bytes], one: dict[str, bytes]) -> str:
        if not two or two != one:
            raise AssertionError("two workers made other files than one")
        assert place  # which lives as long as the case
        return "the same bytes in each file"

    return Case(
        work="encode and extract by two workers of a thread each",
        peer="one worker of a thread",
        ours=lambda: prepared(2),
        theirs=lambda: prepared(1),
        check=check,
        aim=1 / 0.6,
    )
