"""The real benchmark data of the comparisons that need texts: 2WikiMultihopQA, from HARNESS_DATA."""

from __future__ import annotations

import os
from pathlib import Path

from harness.benchmark import Benchmark, load
from harness.work.store import Store

NAME = "2wikimultihopqa"


def benchmark() -> Benchmark:
    if "HARNESS_DATA" not in os.environ:
        raise LookupError(f"needs {NAME}: set HARNESS_DATA to the folder of prepared benchmarks")
    return load(NAME)


def store() -> Store:
    return Store(Path(os.environ.get("HARNESS_RUNS", "runs")))


def share(texts: list[str], part: int) -> list[str]:
    """Every ``part``-th text."""
    return texts[::part]


def told(step: int) -> str:
    """Which passages ``share`` takes, in words."""
    return "all" if step == 1 else f"one of {step}, evenly"
