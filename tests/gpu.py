"""``python -m tests.gpu [--device cuda] [--quick] [PART ...]``: what a GPU changes, as a table, in
five minutes.

For a machine with a GPU and little else: torch, numpy, scipy, numba, pyarrow, tqdm and this
checkout; whole sweeps need what `harness sweep` needs, but no MLflow, OpenVINO or faiss with GPUs.
A part that lacks something says so and is skipped. Each prints how far the GPU's result is from the
CPU's. Whole sweeps are of 2WikiMultiHopQA where HARNESS_DATA has it, else of `sample`. ``--out``
writes the table as Markdown, from which *speed* and *compute* take theirs.
"""

from __future__ import annotations

import argparse
import functools
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True)
class Row:
    """What was done, seconds on the device and on the CPU, and how far the two results are from
    each other.
    """

    work: str
    device: float
    cpu: float
    apart: str

    def __str__(self) -> str:
        """A row of a Markdown table."""
        return (
            f"| {self.work} | {self.device:.3g} s | {self.cpu:.3g} s | "
            f"{self.cpu / self.device:.3g} | {self.apart} |"
        )


def seconds(work: Callable[[], Any], device: str, repeats: int = 3) -> tuple[float, Any]:
    """The median of some runs after a first one that is not counted (of the first, for 0), and the
    result.
    """
    started, taken = time.perf_counter(), []
    result = work()
    if not repeats:
        return time.perf_counter() - started, result
    for _ in range(repeats):
        started = time.perf_counter()
        result = work()
        if device != "cpu":
            torch.cuda.synchronize()
        taken.append(time.perf_counter() - started)
    return sorted(taken)[repeats // 2], result


def trials(device: str, quick: bool) -> Iterator[Row]:
    """The trials of the sweep benchmark, uncapped: gold ranks int32[T, Q, H]."""
    from harness.sweep.trial import engine
    from tests.benchmarks.lists import lists
    from tests.benchmarks.trials import FREE
    from tests.benchmarks.trials import trials as grid

    runs, gold = lists(50 if quick else 1000, graph=200 if quick else 2000)
    some = grid(FREE)[: 40 if quick else None]
    ours, found = seconds(lambda: engine.score(some, runs, gold, device), device, 1)
    cpu, known = seconds(lambda: engine.score(some, runs, gold, "cpu"), "cpu", 1)
    yield Row(
        f"{len(some)} trials, {len(gold)} queries",
        ours,
        cpu,
        f"{int((found != known).sum())} ranks differ",
    )


def pagerank(device: str, quick: bool) -> Iterator[Row]:
    """Personalised PageRank of a power-law graph, damping .5."""
    from harness.retriever.pagerank.pagerank import Walks
    from harness.retriever.walk import normalize_rows
    from tests.benchmarks.cases.ppr import world

    graph, restarts = world(*((1_000, 8_000, 16) if quick else (100_000, 1_000_000, 256)))
    transition = normalize_rows(graph)

    def walk(where: str) -> Any:
        return np.concatenate(
            [part.values for part in Walks(transition, 0.5, 1e-6, 1000, device=where)(restarts)], 1
        )

    ours, found = seconds(lambda: walk(device), device, 1)
    cpu, known = seconds(lambda: walk("cpu"), "cpu", 1)
    apart = np.abs(found - known).sum(axis=0).max()
    yield Row(
        f"PageRank, {graph.shape[0]} nodes, {restarts.shape[0]} queries",
        ours,
        cpu,
        f"L1 {apart:.2g} at most",
    )


def search(device: str, quick: bool) -> Iterator[Row]:
    """Exact search of 100 of a million vectors of 384 numbers: by torch on the device, by FAISS on
    the CPU.
    """
    from harness.retriever.search.exact import decide, nearest_rows
    from harness.retriever.search.exact_torch import Products

    random = np.random.default_rng(0)
    passages, questions = (
        random.standard_normal((count, 384)).astype(np.float32)
        for count in ((10_000, 100) if quick else (1 << 20, 1000))
    )
    for rows in (passages, questions):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    started = time.perf_counter()
    products = Products(passages, [device], None if device != "cpu" else passages.nbytes)
    copied = time.perf_counter() - started
    theirs, found = seconds(
        lambda: decide(products, passages, questions, 100, exact=True)[0], device, 1
    )
    ours, known = seconds(lambda: nearest_rows(passages, questions, 100)[0], "cpu", 1)
    yield Row(
        f"exact search, {len(passages)} x 384, copied once in {copied:.2g} s",
        theirs,
        ours,
        f"{int((found != known).sum())} places differ",
    )


def encode(device: str, quick: bool) -> Iterator[Row]:
    """Passages of benchmarks through MiniLM and the store: texts a second."""
    from harness.model.encoder import embed
    from harness.model.encoder.minilm import MiniLM
    from harness.work.store import Store

    texts = passages(200 if quick else None)
    few = texts[:: max(1, len(texts) // (200 if quick else 1000))]

    def vectors(where: str, dtype: str, some: list[str]) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            encoder = MiniLM(device=where, dtype=dtype, backend="torch")
            return np.array(embed(encoder, some, "passage", Store(Path(folder))))

    slow, known = seconds(lambda: vectors("cpu", "float32", few), "cpu", 0 if quick else 1)
    for dtype in ("float32", "bfloat16"):
        ours, found = seconds(
            functools.partial(vectors, device, dtype, texts), device, 0 if quick else 2
        )
        cosine = (
            (found[:: max(1, len(texts) // (200 if quick else 1000))] * known).sum(axis=1).min()
        )
        yield Row(
            f"{len(texts)} passages through MiniLM, {dtype}: {len(texts) / ours:,.0f} a second",
            ours,
            slow / len(few) * len(texts),
            f"cosine {float(cosine):.6f} at least",
        )


def passages(count: int | None) -> list[str]:
    """Titles and texts of the benchmarks of HARNESS_DATA, else of sample."""
    from harness.benchmark import load

    folder = Path(os.environ.get("HARNESS_DATA", "/nowhere"))
    places = sorted(place.parent for place in folder.glob("*/corpus.jsonl*"))
    found = [text for place in places or ["sample"] for text in load(str(place)).passages]
    return found[:count]


def extract(device: str, quick: bool) -> Iterator[Row]:
    """Entities of a benchmark's passages: all processors against one."""
    from harness.benchmark import load
    from harness.core.threads import available
    from harness.graph.extractor.offline import Offline

    data = load(_benchmark())
    if quick:
        yield from ()
        return

    def entities(processes: int) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return Offline(processes=processes).extract(data, Path(folder))[0].passages.entity

    many, found = seconds(lambda: entities(available()), "cpu", 1)
    one, known = seconds(lambda: entities(1), "cpu", 0)
    same = "the same mentions" if np.array_equal(found, known) else "OTHER mentions"
    yield Row(
        f"extract {len(data.doc_ids)} passages, {available()} processes and one", many, one, same
    )


def sweeps(device: str, quick: bool) -> Iterator[Row]:
    """Whole sweeps in cold folders, on the device and on this machine's cores, by stage; the ranks
    of both.
    """
    lines = [
        "sweep",
        f"dataset={_benchmark().rpartition('/')[2]}",
        "tracking=none",
        "encoder.backend=torch",
    ]
    if quick:
        lines = [
            "sweep",
            "dataset=sample",
            "encoder=hashed",
            "extractor.model=null",
            "tracking=none",
            "grid=point",
        ]
    hidden = {"CUDA_VISIBLE_DEVICES": ""}
    with tempfile.TemporaryDirectory() as folder:
        runs = [Path(folder) / name for name in ("warm", "device", "again", "cores")]
        more = [hidden if device == "cpu" or place.name == "cores" else {} for place in runs]
        first, ours, _, cores = (
            _sweep([*lines, f"paths.runs={place}"], env)
            for place, env in zip(runs, more, strict=True)
        )
        found, twice, known = (
            np.load(next(place.glob("sweeps/*/ranks.npy"))) for place in runs[1:]
        )
        bits = [
            {
                path.parent.name: path.read_bytes()
                for path in place.glob("artifacts/encode/*/embeddings.npy")
            }
            for place in runs[1:3]
        ]
    apart = f"{int((found != known).sum())} of {found.size} ranks differ"
    same = "the same bits" if bits[0] == bits[1] and (found == twice).all() else "OTHER bits"
    yield Row(
        f"`harness {' '.join(lines[:2])}`, cold folder (first of all {first['all']:.3g} s)",
        ours["all"],
        cores["all"],
        f"{apart}; twice on the device: {same}",
    )
    for stage in sorted(set(ours) & set(cores) - {"all"}, key=lambda name: -cores[name]):
        if cores[stage] >= 0.5:
            yield Row(f"of it: {stage}", max(ours[stage], 0.05), cores[stage], "")


def _benchmark() -> str:
    folder = os.environ.get("HARNESS_DATA")
    return (
        f"{folder}/2wikimultihopqa"
        if folder and (Path(folder) / "2wikimultihopqa").is_dir()
        else "sample"
    )


def _sweep(line: list[str], env: dict[str, str]) -> dict[str, float]:
    """Seconds of each stage that the sweep tells, and of all."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "harness", *line],
        text=True,
        capture_output=True,
        env={**os.environ, **env},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found, began = {"all": time.perf_counter() - started}, {}
    for text in done.stderr.splitlines():
        if text.endswith(": begins"):
            began[text.split(maxsplit=1)[0].rstrip(":")] = text.removesuffix(": begins")
        elif timed := re.match(r"(\w+)\b.*: done in ([\d.]+) s", text):
            name = began.get(timed[1], timed[1])
            found[name] = found.get(name, 0.0) + float(timed[2])
    return found


def tests(device: str, quick: bool) -> Iterator[Row]:
    """The conformance tests that need a GPU."""
    import pytest

    line = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-k",
        "gpu",
        "--continue-on-collection-errors",
        "tests/fusion",
    ]
    done = subprocess.run(line, text=True, check=False, capture_output=True)
    print(f"pytest {pytest.__version__} -k gpu: {(done.stdout.splitlines() or ['nothing'])[-1]}")
    yield from ()


def main() -> None:
    """Print the table; exit with 1 where a part failed in another way than for what it lacks."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--quick", action="store_true", help="small work: shows that it runs")
    parser.add_argument("--out", type=Path, help="a file for the table")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all")
    given = parser.parse_args()
    name = (
        torch.cuda.get_device_name()
        if given.device != "cpu"
        else "no GPU: the CPU stands in for it"
    )
    cores = len(os.sched_getaffinity(0))
    versions = (
        f"torch {torch.__version__}, numpy {np.__version__}, python {platform.python_version()}"
    )
    lines = [
        f"{name}; {cores} cores; {versions}",
        "",
        "| work | device | CPU | ratio | apart |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    skipped = []
    for part in given.parts or PARTS:
        try:
            for row in PARTS[part](given.device, given.quick):
                lines.append(str(row))
                print(row, flush=True)
        except ImportError as error:
            skipped.append(f"{part}: skipped, it lacks {error}")
    print("\n" + "\n".join(skipped))
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


PARTS: dict[str, Callable[[str, bool], Iterator[Row]]] = {
    part.__name__: part for part in (sweeps, encode, extract, trials, pagerank, search, tests)
}

if __name__ == "__main__":
    main()
