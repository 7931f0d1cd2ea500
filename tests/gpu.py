"""``python -m tests.gpu [--device cuda] [--quick]``: what a GPU changes, as a table, in under ten minutes.

For a machine with a GPU and little else: torch, numpy, scipy, numba, pyarrow, tqdm and this checkout. A part that needs
more (transformers, faiss with GPUs, pytest) says what it lacks and is skipped. Each prints how far the GPU's result is
from the CPU's.
"""

from __future__ import annotations

import argparse
import functools
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True)
class Row:
    """What was done, seconds on the device and on the CPU, and how far the two results are from each other."""

    work: str
    device: float
    cpu: float
    apart: str

    def __str__(self) -> str:
        """A row of a Markdown table."""
        return f"| {self.work} | {self.device:.3g} s | {self.cpu:.3g} s | {self.cpu / self.device:.3g} | {self.apart} |"


def seconds(work: Callable[[], Any], device: str, repeats: int = 3) -> tuple[float, Any]:
    """The median of some runs after a first one that is not counted, and the result."""
    result, taken = work(), []
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
    yield Row(f"{len(some)} trials, {len(gold)} queries", ours, cpu, f"{int((found != known).sum())} ranks differ")


def pagerank(device: str, quick: bool) -> Iterator[Row]:
    """Personalised PageRank of a power-law graph, damping .5."""
    from harness.retriever.pagerank.pagerank import Walks
    from harness.retriever.walk import normalize_rows
    from tests.benchmarks.cases.ppr import world

    graph, restarts = world(*((1_000, 8_000, 16) if quick else (100_000, 1_000_000, 256)))
    transition = normalize_rows(graph)

    def walk(where: str) -> Any:
        return np.concatenate([part.values for part in Walks(transition, 0.5, 1e-6, 1000, device=where)(restarts)], 1)

    ours, found = seconds(lambda: walk(device), device, 1)
    cpu, known = seconds(lambda: walk("cpu"), "cpu", 1)
    apart = np.abs(found - known).sum(axis=0).max()
    yield Row(f"PageRank, {graph.shape[0]} nodes, {restarts.shape[0]} queries", ours, cpu, f"L1 {apart:.2g} at most")


def search(device: str, quick: bool) -> Iterator[Row]:
    """Exact search of 100 of a million vectors of 384 numbers: FAISS on the GPU against ours on the CPU."""
    import faiss

    from harness.retriever.search.exact import nearest_rows

    if device == "cpu" or not getattr(faiss, "get_num_gpus", lambda: 0)():
        raise ImportError("faiss with GPUs")
    random = np.random.default_rng(0)
    passages, questions = (
        random.standard_normal((count, 384)).astype(np.float32)
        for count in ((10_000, 100) if quick else (1 << 20, 1000))
    )
    for rows in (passages, questions):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, faiss.IndexFlatIP(384))
    index.add(passages)
    theirs, found = seconds(lambda: index.search(questions, 100)[1], device, 1)
    ours, known = seconds(lambda: nearest_rows(passages, questions, 100)[0], "cpu", 1)
    same = np.mean([len(np.intersect1d(a, b)) for a, b in zip(found, known, strict=True)])
    yield Row(f"exact search, {len(passages)} x 384", theirs, ours, f"{same:.2f} of 100 the same")


def encode(device: str, quick: bool) -> Iterator[Row]:
    """Transformers of the sizes of MiniLM and mpnet with random weights, 256 tokens a text, batches of 32."""
    from transformers import BertConfig, BertModel

    for name, layers, width in (("MiniLM's size", 6, 384), ("mpnet's size", 12, 768)):
        torch.manual_seed(0)
        config = BertConfig(
            num_hidden_layers=layers, hidden_size=width, num_attention_heads=12, intermediate_size=4 * width
        )
        model = BertModel(config).eval()
        tokens = torch.randint(0, config.vocab_size, (32, 32 if quick else 256))

        def forward(where: str, batches: int, model: Any = model, tokens: Any = tokens) -> Any:
            with torch.inference_mode():
                there, on = model.to(where), tokens.to(where)
                return [there(on).last_hidden_state.mean(1).cpu() for _ in range(batches)][-1].clone()

        batches = 1 if quick else 20
        ours, found = seconds(functools.partial(forward, device, batches), device, 1)
        cpu, known = seconds(functools.partial(forward, "cpu", 1), "cpu", 1)
        cosine = torch.nn.functional.cosine_similarity(found, known).min()
        yield Row(f"{32 * batches} texts, {name}", ours, cpu * batches, f"cosine {float(cosine):.6f} at least")


def tests(device: str, quick: bool) -> Iterator[Row]:
    """The conformance tests that need a GPU."""
    import pytest

    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-k", "gpu", "tests/fusion"], text=True, check=False,
                          capture_output=True)  # fmt: skip
    print(f"pytest {pytest.__version__} -k gpu: {(done.stdout.splitlines() or ['nothing'])[-1]}")
    yield from ()


def main() -> None:
    """Print the table; exit with 1 where a part failed in another way than for what it lacks."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--quick", action="store_true", help="small work: shows that it runs")
    given = parser.parse_args()
    name = torch.cuda.get_device_name() if given.device != "cpu" else "no GPU: the CPU stands in for it"
    print(f"{name}; torch {torch.__version__}, numpy {np.__version__}, python {platform.python_version()}\n")
    print("| work | device | CPU | ratio | apart |\n|---|---|---|---|---|")
    skipped = []
    for part in (trials, pagerank, search, encode, tests):
        try:
            for row in part(given.device, given.quick):
                print(row, flush=True)
        except ImportError as error:
            skipped.append(f"{part.__name__}: skipped, it lacks {error}")
    print("\n" + "\n".join(skipped))


if __name__ == "__main__":
    main()
