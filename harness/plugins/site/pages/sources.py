"""Questions, passages and lists of a sweep, from data and artifacts outside its folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from harness.benchmark import Benchmark
from harness.core.errors import HarnessError
from harness.fusion.context import NOTHING
from harness.plugins.site.pages.chunk import Chunks
from harness.plugins.site.trace import Tracer
from harness.sweep.folder.inventory import name_origin
from harness.sweep.folder.lock import LOCK, locked_winner
from harness.sweep.folder.result import SweepResult
from harness.sweep.trial import inputs
from harness.sweep.trial.plan import reopen
from harness.sweep.winner.chosen_trial import read_winner
from harness.work.shared_rows import cut
from harness.work.store import Store

PASSAGES = 100
"""Passages of a file."""


@dataclass(frozen=True)
class Sources:
    """A sweep's benchmark, and why lists and traces are missing if they are.

    ``shown`` numbers the passages on the pages in the order of first use.
    """

    result: SweepResult
    config: DictConfig
    benchmark: Benchmark
    shown: dict[int, int] = field(default_factory=dict)

    def numbers(self, docs: Iterable[int]) -> list[int]:
        """Return the numbers of passages on the pages."""
        return [self.shown.setdefault(int(doc), len(self.shown)) for doc in docs]

    def write_passages(self, chunks: Chunks, key: str) -> None:
        """Write files of ``[id, title, text]`` below the sweep's folder."""
        docs, corpus = list(self.shown), self.benchmark.corpus
        for part, members in enumerate(cut(len(docs), PASSAGES)):
            rows = corpus[docs[members]]
            columns = (list(rows[name]) for name in ("id", "title", "text"))
            chunks.put(f"{key}/passages-{part}", list(zip(*columns, strict=True)))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The number of each query by its id."""
        return {name: place for place, name in enumerate(self.benchmark.query_ids.to_pylist())}

    @cached_property
    def tracer(self) -> Tracer | str:
        """Every list, fused as by the winner, or the reason why not. Nothing is computed for a
        site.
        """
        store = Store(Path(self.config.paths.runs), builds=False)
        try:
            trial = read_winner(self.result.folder / LOCK, bool(self.config.trust))
            reads = [*getattr(trial.reranker, "reads", ())]
            if trial.pool.importance:
                reads.append("importance")
            if reads:
                return (
                    f"the winner reads {', '.join(reads)} in addition to its lists; `harness "
                    "trace` shows a question"
                )
            with name_origin(self.result.folder):
                retrievers = inputs.retrievers(self.config)
                runs = inputs.runs(retrievers, self.benchmark, store)
            fused = f"fused by {locked_winner(self.result.lock)}"
            return Tracer(self.benchmark, retrievers, runs, trial, fused, NOTHING, store)
        except HarnessError as error:
            return (
                f"its lists are not at hand ({error}); run `harness prepare` with the sweep's "
                "own settings"
            )


def open_sources(result: SweepResult, config: Any, known: dict[str, Benchmark]) -> Sources | str:
    """Return the sweep's data, or why they are not shown.

    Args:
        result: the sweep.
        config: the present configuration.
        known: loaded benchmarks by hash; it is extended.
    """
    try:
        sweep_config = reopen(result.folder, config).config
        sweep_config.trust = bool(config.get("trust", False))
        sha256 = str(result.manifest["data_sha256"])
        if sha256 not in known:
            with name_origin(result.folder):
                store = Store(Path(config.paths.runs), builds=False)
                loaded = inputs.benchmark(sweep_config, store)
            known[loaded.sha256] = loaded
        if sha256 not in known:
            return f"the data at hand are others than the sweep's (sha256 {sha256[:12]})"
        return Sources(result, sweep_config, known[sha256])
    except HarnessError as error:
        return str(error)
