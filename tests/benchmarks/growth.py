"""How time and memory grow: queries x 10, trials x 10, and a generated world of 2k, 20k and more passages end to end.

``python -m tests.benchmarks growth [passages ...]``: writes reports/benchmarks.json, .md and benchmarks-growth.png.
Passages are encoded by hashed words (``encoder=hashed``), which stand in for a model.
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

QUERIES = 300
STAGES = ("encode", "extract", "graph", "retrieve")


def main(folder: Path, sizes: Sequence[int] = (2_000, 20_000)) -> None:
    rows = {"queries": scored_queries(), "trials": scored_trials(), "passages": worlds(sizes)}
    for row in rows.values():
        row["exponent"] = {key: exponent(row["at"], values) for key, values in row["values"].items()}
    report.add(folder, "growth", {**rows, "lines": told(rows)})
    plot(rows, folder / "benchmarks-growth.png")
    print("\n".join(told(rows)))


def exponent(at: Sequence[float], values: Sequence[float]) -> float | None:
    """The slope of log(value) over log(size) between the last two sizes."""
    if min(values[-2:]) <= 0:
        return None
    return round(math.log(values[-1] / values[-2]) / math.log(at[-1] / at[-2]), 2)


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
        write(folder / "world", passages, queries or (2_000 if passages >= 200_000 else QUERIES))
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
            lines.append(f"| {name} | {sizes} | {key} | {', '.join(unit)} | {row['exponent'][key]} |")
    return lines


def plot(rows: dict[str, Any], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2), layout="constrained")
    for place, (name, row) in zip(figure.subplots(1, len(rows)), rows.items(), strict=True):
        for key, values in row["values"].items():
            if key != "peak_bytes":
                place.loglog(row["at"], values, marker="o", label=f"{key} ({row['exponent'][key]})")
        place.set(xlabel=name, ylabel="seconds")
        place.legend(fontsize=7)
    figure.savefig(path, dpi=130)
