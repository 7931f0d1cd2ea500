"""How time and memory grow: queries x 10, trials x 10, and a generated world of 2k, 20k and more passages end to end.

``python -m tests.benchmarks growth [--passages N ...]``: writes reports/benchmarks.json, .md and benchmarks-growth.png.
Passages are encoded by hashed words (``encoder=hashed``), which stand in for a model. The largest default world takes
half an hour, most of it in the recogniser of named entities. What is measured is kept at once in
reports/benchmarks-growth.json: the same command goes on from there; without that file all is measured again.
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

import numpy as np

from harness.graph.approximate_synonyms import approximate_synonyms
from harness.graph.synonym import synonyms
from harness.model.encoder.reuse import EMBEDDINGS
from harness.sweep import engine
from tests.benchmarks import report
from tests.benchmarks.lists import lists
from tests.benchmarks.trials import FREE, trials

SIZES = (2_000, 20_000, 200_000)
QUERIES = 2_000
"""Of a world at most; a world of 2,000 passages has 600."""
STAGES = ("encode", "extract", "graph", "retrieve")
THRESHOLD = 0.85
INDEX = "IVF{lists},Flat"
"""What proposes pairs of names beside the exact search, with 4 sqrt(E) lists for E names."""


def main(folder: Path, sizes: Sequence[int] = SIZES) -> None:
    kept = Kept(folder / "benchmarks-growth.json")
    parts = {
        "queries": [kept.get("queries", n, lambda n=n: scored_queries(n)) for n in (200, 2000)],
        "trials": [kept.get("trials", n, lambda n=n: scored_trials(n)) for n in (66, 660)],
        "passages": [],
    }
    for size in sorted(sizes):
        parts["passages"].append(kept.get("passages", size, lambda n=size: world(n)))
        rows = {name: series(found) for name, found in parts.items()}
        report.add(folder, "growth", {**rows, "lines": told(rows)})
        plot(rows, folder / "benchmarks-growth.png")
    print("\n".join(told(rows)))


class Kept:
    """Measurements in a file, written one by one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, float]] = json.loads(path.read_text()) if path.is_file() else {}

    def get(self, what: str, size: int, measure: Callable[[], dict[str, float]]) -> dict[str, float]:
        """The figures at a size, ``at`` among them; measured when they are not there."""
        key = f"{what} {size}"
        if key in self.rows:
            print(f"{key}: kept from before", flush=True)
            return self.rows[key]
        print(f"{key}: begins, {time.strftime('%H:%M:%S')}", flush=True)
        self.rows[key] = {"at": size, **measure()}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.rows, indent=2) + "\n")
        print(f"{key}: {self.rows[key]}", flush=True)
        return self.rows[key]


def series(found: Sequence[dict[str, float]]) -> dict[str, Any]:
    """Figures by name over the sizes, with the exponents between them; ``recall`` is no time and has none."""
    at = [one["at"] for one in found]
    values = {key: [one[key] for one in found] for key in found[0] if key not in ("at", "recall")}
    exponent = {key: exponents(at, one) for key, one in values.items()}
    return {"at": at, "values": values, "exponent": exponent, "recall": [one.get("recall") for one in found]}


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


def scored_queries(count: int) -> dict[str, float]:
    made, grid = lists(count), trials(FREE)[:200]
    return {"score": timed(lambda: engine.score(grid, *made))}


def scored_trials(count: int) -> dict[str, float]:
    made, grid = lists(1000), trials(FREE)[:: 660 // count][:count]
    return {"score": timed(lambda: engine.score(grid, *made))}


def world(passages: int, queries: int | None = None) -> dict[str, float]:
    """Seconds of each stage and peak bytes of a process that prepares a world and sweeps its grid."""
    with tempfile.TemporaryDirectory(prefix="harness-growth-") as name:
        folder = Path(name)
        write(folder / "world", passages, queries or QUERIES)
        command = [
            sys.executable, "-m", "harness", "sweep", "dataset=folder", f"dataset.path={folder / 'world'}",
            "encoder=hashed", f"paths.runs={folder / 'runs'}", "tracking=none",
        ]  # fmt: skip
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise AssertionError(f"harness sweep on {passages} passages ended with {process.returncode}")
        found = {"whole": round(time.perf_counter() - begun, 2), "peak_bytes": usage.ru_maxrss * 1024}
        for stage in STAGES:
            manifests = (folder / "runs" / "artifacts" / stage).glob("*/manifest.json")
            found[stage] = round(sum(json.loads(path.read_text())["seconds"] for path in manifests), 2)
        found["retrieve"] = round(found["retrieve"] - found["extract"] - found["graph"], 2)  # made on its way
        for path in (folder / "runs" / "sweeps").glob("*/manifest.json"):
            found["sweep"] = json.loads(path.read_text())["seconds"]
        return found | synonym_step(folder / "runs")


def synonym_step(runs: Path) -> dict[str, float]:
    """Seconds of the synonym step alone (it is a part of the graph stage), exact and with ``INDEX``, and its recall."""
    folders = [path.parent for path in (runs / "artifacts" / "encode").glob("*/manifest.json")
               if json.loads(path.read_text())["config"]["role"] == "name"]  # fmt: skip
    vectors = np.load(folders[0] / EMBEDDINGS)
    synonyms(vectors[:100], THRESHOLD)
    index = INDEX.format(lists=round(4 * math.sqrt(len(vectors))))
    begun = time.perf_counter()
    exact = synonyms(vectors, THRESHOLD)
    between = time.perf_counter()
    found = approximate_synonyms(vectors, THRESHOLD, index)
    ended = time.perf_counter()
    seconds = {"synonyms": round(between - begun, 2), "synonyms_index": round(ended - between, 2)}
    return {**seconds, "recall": round(found.nnz / max(exact.nnz, 1), 4)}


def write(folder: Path, passages: int, queries: int) -> None:
    """A generated world as a folder of prepared files, its queries cut to so many, evenly."""
    from tests.world.generate import generate

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
    recall = ", ".join(str(share) for share in rows["passages"]["recall"])
    lines += ["", f"`synonyms` is a part of `graph`; `synonyms_index` is the same step with graph.index={INDEX}, which "
              f"finds these shares of its edges: {recall}."]  # fmt: skip
    return lines


def plot(rows: dict[str, Any], path: Path) -> None:
    """Seconds over queries, trials and passages, and memory over passages, all axes logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 7), layout="constrained")
    parts = figure.subplot_mosaic([["queries", "trials", "peak"], ["passages"] * 3], height_ratios=[1, 1.5])
    for name, row in rows.items():
        for key, values in row["values"].items():
            peak = key == "peak_bytes"
            place = parts["peak" if peak else name]
            slope = row["exponent"][key][-1:] or [None]
            label = key if slope[0] is None else f"{key} ({slope[0]})"
            place.loglog(row["at"], [value / 2**30 for value in values] if peak else values, marker="o", label=label)
            place.set(xlabel=name, ylabel="GiB" if peak else "seconds")
            place.set_xticks(row["at"], [f"{size:,}" for size in row["at"]])
            place.set_xticks([], minor=True)
    for place in parts.values():
        place.grid(which="major", alpha=0.3)
        place.legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.0), title="exponent at the end", fontsize=8, title_fontsize=8
        )
    figure.savefig(path, dpi=130)
