"""How time and memory grow: queries x 10, trials x 10, and a generated world of 2k, 20k and more passages end to end.

``python -m tests.benchmarks growth [--passages N ...]``: writes reports/benchmarks.json, .md and benchmarks-growth.png.
Passages are encoded by hashed words (``encoder=hashed``), which stand in for a model. The largest default world takes
half an hour, most of it in the recogniser of named entities.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from harness.sweep import engine
from tests.benchmarks import report
from tests.benchmarks.lists import lists
from tests.benchmarks.trials import FREE, trials

SIZES = (2_000, 20_000, 200_000)
QUERIES = 2_000
"""Of a world at most; a world of 2,000 passages has 600."""
STAGES = ("encode", "extract", "graph", "retrieve")


def main(folder: Path, sizes: Sequence[int] = SIZES) -> None:
    rows = {"queries": scored_queries(), "trials": scored_trials(), "passages": worlds(sizes)}
    for row in rows.values():
        row["exponent"] = {key: exponents(row["at"], values) for key, values in row["values"].items()}
    report.add(folder, "growth", {**rows, "lines": told(rows)})
    plot(rows, folder / "benchmarks-growth.png")
    print("\n".join(told(rows)))


def exponent(at: Sequence[float], values: Sequence[float]) -> float | None:
    """The slope of log(value) over log(size) between the last two sizes."""
    if min(values[-2:]) <= 0:
        return None
    return round(math.log(values[-1] / values[-2]) / math.log(at[-1] / at[-2]), 2)


def exponents(at: Sequence[float], values: Sequence[float]) -> list[float | None]:
    """Between each two neighbouring sizes."""
    return [exponent(at[place : place + 2], values[place : place + 2]) for place in range(len(at) - 1)]


def timed(work: Callable[[], Any]) -> float:
    work()
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return round(statistics.median(seconds), 4)


def scored_queries() -> dict[str, Any]:
    grid, at = trials(FREE)[:200], (200, 2000)
    made = {n: lists(n) for n in at}
    return {"at": at, "values": {"score": [timed(lambda n=n: engine.score(grid, *made[n])) for n in at]}}


def scored_trials() -> dict[str, Any]:
    runs, at, grid = lists(1000), (66, 660), trials(FREE)
    return {"at": at, "values": {"score": [timed(lambda n=n: engine.score(grid[:: 660 // n][:n], *runs)) for n in at]}}


def worlds(sizes: Sequence[int]) -> dict[str, Any]:
    """Seconds of each stage and peak bytes of a process that prepares a world and sweeps its grid."""
    told = [world(size) for size in sizes]
    return {"at": list(sizes), "values": {key: [one[key] for one in told] for key in told[0]}}


def world(passages: int, queries: int | None = None) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="harness-growth-") as name:
        folder = Path(name)
        write(folder / "world", passages, queries or QUERIES)
        command = [
            sys.executable, "-m", "harness", "sweep", "dataset=folder", f"dataset.path={folder / 'world'}",
            "encoder=hashed", f"paths.runs={folder / 'runs'}", "tracking=none",
        ]  # fmt: skip
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        errors = process.stderr.read() if process.stderr else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise AssertionError(f"harness sweep on {passages} passages: {errors.strip().splitlines()[-3:]}")
        found = {"whole": round(time.perf_counter() - begun, 2), "peak_bytes": usage.ru_maxrss * 1024}
        for stage in STAGES:
            manifests = (folder / "runs" / "artifacts" / stage).glob("*/manifest.json")
            found[stage] = round(sum(json.loads(path.read_text())["seconds"] for path in manifests), 2)
        for path in (folder / "runs" / "sweeps").glob("*/manifest.json"):
            found["sweep"] = json.loads(path.read_text())["seconds"]
        return found


def write(folder: Path, passages: int, queries: int) -> None:
    """A generated world as a folder of prepared files, its queries cut to so many, evenly."""
    from harness.dataset.sample import generate

    corpus, asked = generate(passages, 0)
    folder.mkdir()
    kept = asked[:: max(1, len(asked) // queries)][:queries]
    for name, rows in (("corpus", corpus), ("queries", kept)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def told(rows: dict[str, Any]) -> list[str]:
    lines = ["| x | sizes | what | figures | exponent |", "|---|---|---|---|---|"]
    for name, row in rows.items():
        for key, values in row["values"].items():
            unit = [f"{value / 2**30:.2f} GiB" if key == "peak_bytes" else f"{value:.3g} s" for value in values]
            sizes = ", ".join(f"{size:g}" for size in row["at"])
            slopes = ", ".join("" if slope is None else f"{slope:g}" for slope in row["exponent"][key])
            lines.append(f"| {name} | {sizes} | {key} | {', '.join(unit)} | {slopes} |")
    return lines


def plot(rows: dict[str, Any], path: Path) -> None:
    """Seconds over queries, trials and passages, and memory over passages, all axes logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 3.4), layout="constrained")
    *places, memory = figure.subplots(1, len(rows) + 1)
    for place, (name, row) in zip(places, rows.items(), strict=True):
        for key, values in row["values"].items():
            slope = row["exponent"][key][-1]
            if key == "peak_bytes":
                memory.loglog(row["at"], [value / 2**30 for value in values], marker="o", label=f"peak ({slope})")
                memory.set(xlabel=name, ylabel="GiB")
            else:
                place.loglog(row["at"], values, marker="o", label=f"{key} ({slope})")
        place.set(xlabel=name, ylabel="seconds")
    for place in (*places, memory):
        place.legend(fontsize=7, title="exponent at the end", title_fontsize=7)
    figure.savefig(path, dpi=130)
