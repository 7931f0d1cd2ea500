"""Diagnostics of lists that gold ranks do not show (PolicyRAG, section 4.3).

They tell whether the best passages hold the answer and the chain of entities, what a gate rejects,
and whether a list is stable if the question is reworded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from omegaconf import DictConfig

from harness.benchmark import SPLITS, Benchmark
from harness.benchmark.text import normal, words
from harness.core.arrays import Float64Array, Int64Array
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, bounded, one_of, whole_number
from harness.evaluation.statistic import bootstrap
from harness.graph.extractor import find_names
from harness.plugins.policyrag.analysis.perturb import KINDS, perturb
from harness.run import Run
from harness.sweep.trial import inputs
from harness.work.store import Store

ARTICLES = frozenset(("a", "an", "the"))
UNSTATED = frozenset((" yes ", " no ", " noanswer ", "  "))
"""Answers, as ``plain_words`` makes them, that no passage states."""


def plain_words(text: str) -> str:
    """Return a text's words, case-folded, without articles and punctuation, with blanks around
    each.
    """
    return f" {' '.join(word for word in words(text).texts if word not in ARTICLES)} "


FORMULAS = ("answer_supported", "hops_recovered")
"""Whether one of the passages states an answer (yes and no need all gold passages); and whether
they also state every entity of the chain, the titles of the gold passages. Fewer than all gold
passages can suffice: another passage may name a bridge.
"""


def read_measure(text: str) -> tuple[str, int]:
    """Return name and depth of a measure, such as ``answer_supported@5``."""
    name, _, depth = str(text).strip().partition("@")
    one_of(f"measure {text}: name", name, FORMULAS)
    k = int(depth) if depth.isascii() and depth.isdigit() else depth
    whole_number(f"measure {text}: k", k, 1)
    return name, int(k)


def measure(
    name: str, k: int, run: Run, benchmark: Benchmark, texts: Sequence[str]
) -> Float64Array:
    """Return float64[Q], 0 or 1 for each query.

    Args:
        name: of ``FORMULAS``.
        k: number of passages that are read, >= 1.
        run: over all queries and passages of the benchmark.
        benchmark: the benchmark.
        texts: its passages as ``plain_words`` makes them.
    """
    titles, values = benchmark.corpus["title"][:], np.zeros(len(run))
    for query, row in enumerate(benchmark.queries):
        docs, gold = _head(run, query, k), benchmark.gold[query]
        gold = gold[gold >= 0].tolist()
        text = "\n".join(texts[doc] for doc in docs)
        answers = {plain_words(answer) for answer in row["answers"] or []}
        if stated := answers - UNSTATED:
            values[query] = any(answer in text for answer in stated)
        else:
            values[query] = bool(gold) and set(gold) <= set(docs)
        if name == "hops_recovered":
            entities = {normal(titles[doc] or "") for doc in gold} - {""}
            values[query] *= all(plain_words(entity) in text for entity in entities)
    return values


def plain_passages(benchmark: Benchmark) -> list[str]:
    """Return the passages as ``plain_words`` makes them."""
    return [plain_words(text) for text in benchmark.passages]


def overlap(ranking: Sequence[int], other: Sequence[int], p: float = 0.9) -> float:
    """Return RBO_ext of Webber, Moffat and Zobel (2010, eq. 32), 1 for equal lists, 0 for disjoint
    ones.

    With lengths l >= s and X_d the overlap of the first d: (1 - p) / p (sum_{d <= l} X_d / d p^d +
    sum_{s < d <= l} X_s (d - s) / (s d) p^d) + ((X_l - X_s) / l + X_s / s) p^l. Two empty lists are
    equal; an empty one shares nothing with another.

    Args:
        ranking: a ranking.
        other: another one.
        p: in (0, 1); .9 gives the first ten 86% of the weight.
    """
    bounded("diagnose.p", p, 0, 1, open_low=True)
    short, long = sorted((ranking, other), key=len)
    if not long:
        return 1.0
    if not short:
        return 0.0
    s, size = len(short), len(long)
    places = {doc: place for place, doc in enumerate(short)}
    met = [max(place, places[doc]) for place, doc in enumerate(long) if doc in places]
    agreed = np.bincount(np.array(met, np.int64), minlength=size).cumsum()
    depth = np.arange(1.0, size + 1)
    beyond = np.maximum(depth - s, 0) / s * agreed[s - 1]
    whole = float(((agreed + beyond) / depth * p**depth).sum())
    end = ((agreed[-1] - agreed[s - 1]) / size + agreed[s - 1] / s) * p**size
    return float((1 - p) / p * whole + end)


Mean = dict[str, Any]
"""``mean`` over ``n`` values with its bootstrap ``interval``; None if there is none."""


def diagnose(config: DictConfig) -> tuple[Benchmark, dict[str, dict[str, Mean]]]:
    """Return the benchmark, and the mean of each measure by list.

    The measures are those of ``diagnose.measures``. A list with a gate also has ``suppressed``
    (share of the candidate facts near a question that the gate drops), ``distractors_suppressed``
    (of facts in passages that are not gold) and ``gold_suppressed`` (of the others). With
    ``diagnose.perturbed`` queries there are ``stable_paraphrase`` and ``stable_alias``, rank-biased
    overlaps of the first ``diagnose.depth`` passages with those of the original question.
    """
    options = config.diagnose
    one_of("diagnose.split", options.split, SPLITS)
    whole_number("diagnose.perturbed", options.perturbed, 0)
    whole_number("diagnose.depth", options.depth, 1)
    if not (measures := [read_measure(name) for name in options.measures]):
        raise HarnessError(f"diagnose.measures=[]: expected at least one, e.g. [{FORMULAS[0]}@5]")
    store, data = inputs.store(config), inputs.benchmark(config)
    members, retrievers = data.members(options.split), inputs.retrievers(config)
    runs, texts = inputs.runs(retrievers, data, store), plain_passages(data)
    means: dict[str, dict[str, Mean]] = {name: {} for name in runs}
    for listed, run in runs.items():
        for name, k in measures:
            values = measure(name, k, run, data, texts)
            means[listed][f"{name}@{k}"] = _mean(values[members])
    for name, retriever in retrievers.items():
        if gated := getattr(retriever, "gated", None):
            query, passage, passed = gated(data, store)
            inside = np.isin(query, members)
            query, passage, dropped = query[inside], passage[inside], ~passed[inside]
            gold = (data.gold[query] == passage[:, None]).any(axis=1)
            shares = dropped.astype(np.float64)
            means[name]["suppressed"] = _mean(shares)
            means[name]["distractors_suppressed"] = _mean(shares[~gold])
            means[name]["gold_suppressed"] = _mean(shares[gold])
    if options.perturbed:
        for name, stable in stability(config, data, store, members).items():
            means[name] |= stable
    return data, means


def stability(
    config: DictConfig, data: Benchmark, store: Store, members: Int64Array
) -> dict[str, dict[str, Mean]]:
    """Return ``stable_paraphrase`` and ``stable_alias`` of every list, over a seeded sample.

    All wordings are retrieved together, over the same passages.
    """
    options = config.diagnose
    draw = np.random.Generator(np.random.PCG64(options.seed))
    taken = np.sort(draw.permutation(members)[: options.perturbed])
    whole = perturb(
        data,
        find_names(instantiate(config.extractor), data, store).mentions,
        taken.tolist(),
        options.seed,
    )
    if not len(whole.query_ids):
        raise HarnessError(
            f"diagnose.split={options.split}: {data.name} has no question there to perturb"
        )
    runs = inputs.runs(inputs.retrievers(config), whole, store)
    ids = whole.query_ids.to_pylist()
    means: dict[str, dict[str, Mean]] = {name: {} for name in runs}
    for kind in KINDS:
        places = [place for place, name in enumerate(ids) if name.endswith(f"#{kind}")]
        originals = [ids.index(ids[place].removesuffix(f"#{kind}")) for place in places]
        for listed, run in runs.items():
            overlaps = []
            for pair in zip(originals, places, strict=True):
                original, other = (_head(run, place, options.depth) for place in pair)
                overlaps.append(overlap(original, other, options.p))
            means[listed][f"stable_{kind}"] = _mean(np.array(overlaps))
    return means


def _head(run: Run, query: int, depth: int) -> Sequence[int]:
    docs: list[int] = run.docs[run.indptr[query] : run.indptr[query + 1]][:depth].tolist()
    return docs


def _mean(values: Float64Array) -> Mean:
    mean = float(values.mean()) if len(values) else None
    return {"mean": mean, "interval": list(bootstrap(values)), "n": len(values)}
