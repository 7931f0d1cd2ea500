"""How time and memory grow: queries x 10, trials x 10, and a made-up and a real world of 10k, 100k
and 1M passages.

``python -m tests.benchmarks growth [--passages N ...] [--worlds made-up real]``: writes
reports/benchmarks.json, .md and benchmarks-growth.png. A world is swept from nothing with
``OPTIONS``: passages are encoded by a vector a token, and named by titles and capitalised spans,
without a recogniser. The real one is all corpora of HARNESS_DATA, and copies of them with other
names (``united``). What is measured is kept at once in reports/benchmarks-growth.json: the same
command goes on from there; without that file all is measured again.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from harness.sweep.trial import engine
from tests.benchmarks import report
from tests.benchmarks.lists import lists
from tests.benchmarks.trials import FREE, trials
from tests.benchmarks.united import Row, united

SIZES = (10_000, 100_000, 1_000_000)
WORLDS = ("made-up", "real")
QUERIES = 2_000
STAGES = ("encode", "extract", "graph")
OPTIONS = (
    "encoder=static",
    "extractor.model=null",
    "+retriever@lists.paths=mention_paths",
    "tracking=none",
)


def main(folder: Path, sizes: Sequence[int] = SIZES, worlds: Sequence[str] = WORLDS) -> None:
    kept = Kept(folder / "benchmarks-growth.json")
    parts: dict[str, list[dict[str, Any]]] = {
        "queries": [kept.get("queries", n, lambda n=n: scored_queries(n)) for n in (200, 2000)],
        "trials": [kept.get("trials", n, lambda n=n: scored_trials(n)) for n in (66, 660)],
        **{name: [] for name in worlds},
    }
    for size in sorted(sizes):
        for name in worlds:
            parts[name].append(kept.get(name, size, lambda n=size, name=name: world(name, n)))
        rows = {name: series(found) for name, found in parts.items()}
        report.add(folder, "growth", {**rows, "lines": told(rows)})
        plot(rows, folder / "benchmarks-growth.png")
    print("\n".join(told(rows)))


class Kept:
    """Measurements in a file, written one by one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = (
            json.loads(path.read_text()) if path.is_file() else {}
        )

    def get(self, what: str, size: int, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
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


def series(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figures by name over the sizes, with the exponents between them; ``notes`` are texts and have
    none.
    """
    at = [one["at"] for one in found]
    values = {key: [one[key] for one in found] for key in found[0] if key not in ("at", "notes")}
    exponent = {key: exponents(at, one) for key, one in values.items()}
    return {
        "at": at,
        "values": values,
        "exponent": exponent,
        "notes": [one.get("notes") for one in found],
    }


def exponent(at: Sequence[float], values: Sequence[float]) -> float | None:
    """The slope of log(value) over log(size) between the last two sizes."""
    if min(values[-2:]) <= 0:
        return None
    return round(math.log(values[-1] / values[-2]) / math.log(at[-1] / at[-2]), 2)


def exponents(at: Sequence[float], values: Sequence[float]) -> list[float | None]:
    """Between each two neighbouring sizes."""
    return [
        exponent(at[place : place + 2], values[place : place + 2]) for place in range(len(at) - 1)
    ]


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


def world(kind: str, passages: int, queries: int = QUERIES) -> dict[str, Any]:
    """Seconds of each stage and list, and peak bytes, of a process that prepares a world and sweeps
    its grid.

    Peak bytes are those that the process holds, pages of memory-mapped files among them.
    """
    with tempfile.TemporaryDirectory(prefix="harness-growth-") as name:
        folder = Path(name)
        making = multiprocessing.get_context("spawn").Process(
            target=write, args=(folder / "world", kind, passages, queries)
        )
        making.start()  # a process of its own: what a world of millions takes is given back
        making.join()
        if making.exitcode:
            raise AssertionError(
                f"making a world of {passages} passages ended with {making.exitcode}"
            )
        command = [
            *(
                sys.executable,
                "-m",
                "harness",
                "sweep",
                "dataset=folder",
                f"dataset.path={folder / 'world'}",
            ),
            *(*OPTIONS, f"paths.runs={folder / 'runs'}"),
        ]
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise AssertionError(
                f"harness sweep on {passages} passages ended with {process.returncode}"
            )
        found = {
            "whole": round(time.perf_counter() - begun, 2),
            "processor": round(usage.ru_utime + usage.ru_stime, 2),
            "peak_bytes": usage.ru_maxrss * 1024,
        }
        return found | seconds(folder / "runs")


def seconds(runs: Path) -> dict[str, Any]:
    """Own seconds of each stage, of each list without the stages that it stands on, and of the
    sweep; and notes.
    """
    found: dict[str, Any] = {
        stage: round(sum(one["own_seconds"] for one in made(runs, stage)), 2) for stage in STAGES
    }
    for one in made(runs, "retrieve"):
        found[one["config"]["_target_"].rpartition(".")[2]] = one["own_seconds"]
    for path in (runs / "sweeps").glob("*/manifest.json"):
        found["sweep"] = json.loads(path.read_text())["seconds"]
    index = next((one["facts"].get("synonym_index") for one in made(runs, "graph")), None)
    walk = next(
        (
            one["facts"].get("largest_error")
            for one in made(runs, "retrieve")
            if "pushes" in one["facts"]
        ),
        None,
    )
    return {**found, "notes": {"synonym_index": index, "walk_error": walk}}


def made(runs: Path, stage: str) -> list[dict[str, Any]]:
    return [
        json.loads(path.read_text())
        for path in sorted((runs / "artifacts" / stage).glob("*/manifest.json"))
    ]


def write(folder: Path, kind: str, passages: int, queries: int) -> None:
    """A world as a folder of prepared files, with so many queries at most, evenly chosen."""
    corpus, asked = united(passages, queries) if kind == "real" else generated(passages, queries)
    folder.mkdir()
    for name, rows in (("corpus", corpus), ("queries", asked)):
        with (folder / f"{name}.jsonl").open("w") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows)


def generated(passages: int, queries: int) -> tuple[Iterable[Row], Sequence[Row]]:
    from tests.world.generate import generate

    corpus, asked = generate(passages, 0)
    return corpus, asked[:: max(1, len(asked) // queries)][:queries]


def told(rows: dict[str, Any]) -> list[str]:
    lines = ["| x | sizes | what | figures | exponent |", "|---|---|---|---|---|"]
    for name, row in rows.items():
        for key, values in row["values"].items():
            unit = [
                f"{value / 2**30:.2f} GiB" if key == "peak_bytes" else f"{value:.3g} s"
                for value in values
            ]
            sizes = ", ".join(f"{size:,}" for size in row["at"])
            slopes = ", ".join(
                "" if slope is None else f"{slope:g}" for slope in row["exponent"][key]
            )
            lines.append(f"| {name} | {sizes} | {key} | {', '.join(unit)} | {slopes} |")
    lines.append("")
    for name, row in rows.items():
        for size, notes in zip(row["at"], row["notes"], strict=True):
            if index := (notes or {}).get("synonym_index"):
                found, names = index["recall"], index["names"]
                lines.append(
                    f"{name}, {size:,}: {index['index']} finds {found} of the synonyms of "
                    f"{names} names."
                )
            if error := (notes or {}).get("walk_error"):
                lines.append(f"{name}, {size:,}: walks err by at most {error:.1e} in L1.")
    return lines


def plot(rows: dict[str, Any], path: Path) -> None:
    """Seconds over queries, trials and passages, and memory over passages, all axes logarithmic."""
    from matplotlib.figure import Figure

    worlds = [name for name in rows if name not in ("queries", "trials")]
    figure = Figure(figsize=(13, 3.5 + 3.5 * len(worlds)), layout="constrained")
    layout = [["queries", "trials", "peak"], *([name] * 3 for name in worlds)]
    parts = figure.subplot_mosaic(layout, height_ratios=[1, *[1.3] * len(worlds)])
    for name, row in rows.items():
        for key, values in row["values"].items():
            peak = key == "peak_bytes"
            place = parts["peak" if peak else name]
            slope = row["exponent"][key][-1:] or [None]
            what = name if peak else key
            label = what if slope[0] is None else f"{what} ({slope[0]})"
            place.loglog(
                row["at"],
                [value / 2**30 for value in values] if peak else values,
                marker="o",
                label=label,
            )
            unit = "passages" if name in worlds else name
            place.set(
                xlabel=unit,
                ylabel="GiB" if peak else "seconds",
                title="" if peak or unit == name else name,
            )
            at = (
                sorted({size for other in worlds for size in rows[other]["at"]})
                if peak
                else row["at"]
            )
            place.set_xticks(at, [f"{size:,}" for size in at])
            place.set_xticks([], minor=True)
    for place in parts.values():
        place.grid(which="major", alpha=0.3)
        place.legend(
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            title="exponent at the end",
            fontsize=8,
            title_fontsize=8,
        )
    figure.savefig(path, dpi=130)
