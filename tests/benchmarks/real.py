"""The real benchmark data of the comparisons that need texts: 2WikiMultihopQA, from
HARNESS_DATA.
"""

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
