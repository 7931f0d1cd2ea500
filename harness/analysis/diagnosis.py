"""The diagnostics of every list of a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.analysis.diagnostic.measure import Diagnostic, overlap, plain_passages
from harness.analysis.diagnostic.perturb import KINDS, perturb
from harness.benchmark import SPLITS, Benchmark
from harness.core.configuration import instantiate
from harness.core.errors import HarnessError, bounded, one_of
from harness.evaluation.statistic import bootstrap
from harness.graph.extractor import extract
from harness.run import Run
from harness.sweep.trial import lists
from harness.work.store import Store

if TYPE_CHECKING:
    from omegaconf import DictConfig


@runtime_checkable
class Gating(Protocol):
    """A retriever that keeps and drops facts."""

    def gated(self, benchmark: Benchmark, store: Store) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
        """Query, passage and whether it was kept, of each candidate fact."""
        ...


def diagnose(config: DictConfig) -> tuple[Benchmark, NDArray[np.int64], dict[str, dict[str, Any]]]:
    """The benchmark; int64[n], numbers of questions; by list and measure: ``mean``, ``interval`` (bootstrap), ``n``.

    Measures: those of ``diagnose.measures``; of a list with a gate ``suppressed`` (share of the candidate facts near a
    question that the gate drops), ``distractors_suppressed`` (of those read in passages that are not gold),
    ``gold_suppressed`` (of the others); with ``diagnose.perturbed`` queries, ``stable_paraphrase`` and ``stable_alias``
    (rank-biased overlap of the first ``diagnose.depth`` passages with those of the question as it was).
    """
    options = config.diagnose
    one_of("diagnose.split", options.split, SPLITS)
    bounded("diagnose.perturbed", options.perturbed, 0)
    bounded("diagnose.depth", options.depth, 1)
    measures = [Diagnostic.parse(name) for name in options.measures]
    kept, data = lists.store(config), lists.benchmark(config)
    members, retrievers = data.members(options.split), lists.retrievers(config)
    runs, texts = lists.runs(retrievers, data, kept), plain_passages(data)
    found: dict[str, dict[str, Any]] = {
        name: {str(measure): _mean(measure(run, data, texts)[members]) for measure in measures}
        for name, run in runs.items()
    }
    for name, retriever in retrievers.items():
        if isinstance(retriever, Gating):
            found[name] |= _suppression(retriever, data, kept, members)
    if options.perturbed:
        for name, shares in stability(config, data, kept, members).items():
            found[name] |= shares
    return data, members, found


def stability(
    config: DictConfig, data: Benchmark, kept: Store, members: NDArray[np.int64]
) -> dict[str, dict[str, Any]]:
    """``stable_paraphrase`` and ``stable_alias`` of every list, over a seeded sample of the members.

    All wordings are retrieved for together, over the same passages.
    """
    options = config.diagnose
    draw = np.random.Generator(np.random.PCG64(options.seed))
    taken = np.sort(draw.permutation(members)[: options.perturbed])
    whole = perturb(data, extract(instantiate(config.extractor), data, kept).questions, taken.tolist(), options.seed)
    if not len(whole.query_ids):
        raise HarnessError(f"diagnose.split={options.split}: {data.name} has no question there to perturb")
    runs = lists.runs(lists.retrievers(config), whole, kept)
    depth, p = options.depth, options.p
    ids = whole.query_ids.to_pylist()
    place = {name: number for number, name in enumerate(ids)}
    pairs = {
        kind: [(place[name.removesuffix(f"#{kind}")], place[name]) for name in ids if name.endswith(f"#{kind}")]
        for kind in KINDS
    }

    def alike(run: Run, kind: str) -> NDArray[np.float64]:
        heads = [(_head(run, one, depth), _head(run, other, depth)) for one, other in pairs[kind]]
        return np.array([overlap(one, other, p) for one, other in heads])

    return {name: {f"stable_{kind}": _mean(alike(run, kind)) for kind in pairs} for name, run in runs.items()}


def _suppression(
    retriever: Gating, data: Benchmark, kept: Store, members: NDArray[np.int64]
) -> Mapping[str, dict[str, Any]]:
    """Shares of all candidates of the members, with intervals over them."""
    query, passage, passed = retriever.gated(data, kept)
    inside = np.isin(query, members)
    query, passage, dropped = query[inside], passage[inside], ~passed[inside]
    gold = (data.gold[query] == passage[:, None]).any(axis=1)
    return {
        "suppressed": _mean(dropped.astype(np.float64)),
        "distractors_suppressed": _mean(dropped[~gold].astype(np.float64)),
        "gold_suppressed": _mean(dropped[gold].astype(np.float64)),
    }


def _head(run: Run, query: int, depth: int) -> Sequence[int]:
    found: list[int] = run.docs[run.indptr[query] : run.indptr[query + 1]][:depth].tolist()
    return found


def _mean(values: NDArray[np.float64]) -> dict[str, Any]:
    low, high = bootstrap(values)
    return {"mean": float(values.mean()) if len(values) else None, "interval": [low, high], "n": len(values)}
