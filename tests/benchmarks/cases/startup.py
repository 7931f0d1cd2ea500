"""How long the command line takes before it answers; the peer is the aim itself."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.benchmarks.measure import Case

LIMITS = {"startup": ("--help", 0.5), "startup_doctor": ("doctor", 3.0)}


def case(quick: bool) -> dict[str, Case]:
    return {name: answered(argument, limit) for name, (argument, limit) in LIMITS.items()}


def answered(argument: str, limit: float) -> Case:
    def ours() -> str:
        command = [sys.executable, "-m", "harness", argument]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def check(told: str, _: None) -> str:
        if not told:
            raise AssertionError(f"harness {argument} says nothing")
        return "it answers"

    return Case(
        work=f"harness {argument}, a new process", peer=f"the limit of {limit} s", ours=ours,
        theirs=lambda: time.sleep(limit), check=check, aim=1, packages=("hydra-core",),
    )  # fmt: skip
