"""How long the command line takes before it answers; the peer is the aim itself."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.benchmarks.measure import Case

LIMIT = 0.5


def case(quick: bool) -> Case:
    def ours() -> str:
        command = [sys.executable, "-m", "harness", "--help"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def check(told: str, _: None) -> str:
        if not told:
            raise AssertionError("harness --help says nothing")
        return "it answers"

    return Case(
        work="harness --help, a new process",
        peer=f"the limit of {LIMIT} s",
        ours=ours,
        theirs=lambda: time.sleep(LIMIT),
        check=check,
        aim=1,
        packages=("hydra-core",),
    )
