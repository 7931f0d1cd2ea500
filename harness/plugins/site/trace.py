"""One question under a configuration: places of its passages in every list, and the
paths to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from omegaconf import DictConfig

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.core.errors import HarnessError, nearest
from harness.fusion.context import Context
from harness.fusion.fuse import rank_documents
from harness.plugins.site.trail import Explain, Trail, explanation
from harness.retriever import Retriever
from harness.run import Run
from harness.sweep.folder.inventory import name_origin
from harness.sweep.folder.lock import lock_file, locked_winner, read_lock
from harness.sweep.trial import inputs
from harness.sweep.trial.override import keys
from harness.sweep.trial.plan import reopen
from harness.sweep.trial.trial import Identities, Trial
from harness.sweep.winner.chosen_trial import choose_trial
from harness.work.store import Store


@dataclass(frozen=True, eq=False)
class Trace:
    """The trace of a question.

    Args:
        benchmark: the benchmark.
        query: number of the question.
        fused: name of the fused list.
        gold: its passages, in hop order.
        rivals: passages that rank above one of them after fusion, best first.
        order: by list, the fused one last, passages with their scores, best first.
        trails: by list, if its retriever has an explanation.
        identities: by list, its retriever's identity.
    """

    benchmark: Benchmark
    query: int
    fused: str
    gold: Sequence[int]
    rivals: Sequence[int]
    order: Mapping[str, Mapping[int, float]]
    trails: Mapping[str, Trail]
    identities: Identities

    def rank(self, name: str, doc: int) -> int | None:
        """Return the passage's rank in a list, from 1, or None if the list does not hold it."""
        docs = list(self.order[name])
        return docs.index(doc) + 1 if doc in self.order[name] else None

    def title(self, doc: int) -> str:
        """Return the passage's title, or the beginning of its text."""
        row = self.benchmark.corpus[doc]
        return row["title"] or f"{row['text'][:60]}..."


@dataclass(frozen=True, eq=False)
class Tracer:
    """The data that traces of many questions share: benchmark, lists, and their fusion.

    Args:
        benchmark: the benchmark.
        retrievers: by list.
        runs: by list.
        chosen: the trial that fuses the lists.
        fused: name of the fused list.
        context: further inputs of the fuser and the reranker.
        store: the store of the retrievers' artifacts.
    """

    benchmark: Benchmark
    retrievers: Mapping[str, Retriever]
    runs: Mapping[str, Run]
    chosen: Trial
    fused: str
    context: Context
    store: Store

    @classmethod
    def of(cls, config: DictConfig, data: Benchmark, chosen: Trial, fused: str) -> Tracer:
        """Return the tracer of a configuration's lists, fused by a trial."""
        store = inputs.store(config)
        retrievers = inputs.retrievers(config)
        runs, context = (
            inputs.runs(retrievers, data, store),
            inputs.gather_context([chosen], config, data),
        )
        return cls(data, retrievers, runs, chosen, fused, context, store)

    @cached_property
    def _explained(self) -> dict[str, Explain]:
        """The explanations of the lists whose retriever has one."""
        explanations = {
            name: explanation(retriever, self.benchmark, self.store)
            for name, retriever in self.retrievers.items()
        }
        return {name: explain for name, explain in explanations.items() if explain is not None}

    def order(self, query: int) -> dict[str, dict[int, float]]:
        """Return, by list with the fused one last, a question's passages with scores,
        best first.
        """
        lists = {
            name: _entries(run.docs, run.scores, run.indptr, query)
            for name, run in self.runs.items()
        }
        chosen, place = self.chosen, np.array([query])
        runs = {name: self.runs[name].take(place) for name in chosen.pool.lists}
        pool = chosen.pool.align(runs, "cpu", self.context.take(place))
        lengths, docs, scores = rank_documents(chosen.fused(pool), pool.docs)
        return {**lists, self.fused: _entries(docs, scores, np.array([0, int(lengths[0])]), 0)}

    def trace(self, query: int, count: int, rivals: int) -> Trace:
        """Return the trace of a question with ``count`` paths per passage and up to ``rivals``
        rivals.
        """
        gold = [doc for doc in self.benchmark.gold[query].tolist() if doc >= 0]
        order = self.order(query)
        best = list(order[self.fused])
        places = [best.index(doc) if doc in best else len(best) for doc in gold]
        above = [doc for doc in best[: max(places, default=0)] if doc not in gold][:rivals]
        trails = {
            name: explain(query, [*gold, *above], count)
            for name, explain in self._explained.items()
        }
        identities = inputs.identities(self.retrievers)
        return Trace(self.benchmark, query, self.fused, gold, above, order, trails, identities)


def trace(config: DictConfig, overrides: Sequence[str] = ()) -> Trace:
    """Return the trace of ``config.query``; with ``config.lock``, of the lists and the winner of
    its sweep.

    Args:
        config: the configuration.
        overrides: the overrides that were typed.

    Raises:
        HarnessError: the benchmark does not have the question.
    """
    if config.lock is None:
        return _trace(config, config, overrides)
    folder = lock_file(config.lock).parent
    with name_origin(folder):
        settings = reopen(folder, config).config
        if any(key.partition(".")[0] == "dataset" for key in keys(overrides)):
            settings.dataset = config.dataset
        return _trace(config, settings, overrides)


def _trace(config: DictConfig, settings: DictConfig, overrides: Sequence[str]) -> Trace:
    """Return the trace of ``config.query`` in the benchmark and the lists of ``settings``."""
    data = inputs.benchmark(settings)
    ids = data.query_ids.to_pylist()
    if str(config.query) not in ids:
        raise HarnessError(
            f"query={config.query}: {data.name} has no such "
            f"question{nearest(str(config.query), ids)}"
        )
    chosen = choose_trial(config, [str(name) for name in settings.lists], overrides)
    return Tracer.of(settings, data, chosen, _fused_name(config, chosen)).trace(
        ids.index(str(config.query)), config.trace.count, config.trace.rivals
    )


def _fused_name(config: DictConfig, chosen: Trial) -> str:
    """Return ``fused by`` and the lock's winner, or the fuser and the reranker."""
    if config.lock is not None:
        return f"fused by {locked_winner(read_lock(lock_file(config.lock)))}"
    strategies = (chosen.fuser, chosen.reranker)
    steps = [type(strategy).__module__.rpartition(".")[2] for strategy in strategies]
    return f"fused by {', '.join(step for step in steps if step != 'none')}"


def _entries(
    docs: Int32Array, scores: Float64Array, indptr: Int64Array, query: int
) -> dict[int, float]:
    part = slice(indptr[query], indptr[query + 1])
    return dict(zip(docs[part].tolist(), scores[part].tolist(), strict=True))
