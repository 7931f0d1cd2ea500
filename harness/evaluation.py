"""Judging any system's run: against gold, and against another run. What `harness evaluate` and `compare` print.

>>> from harness.evaluation import evaluate
>>> from harness.gold import Gold
>>> from harness.run import Run
>>> gold = Gold(["q"], [["a", "b"]], [2], ["bridge"], True, "here")
>>> evaluate(Run.from_dict({"q": {"b": 2.0, "a": 1.0}}), gold, ["last_hop", "full_sup"], [1])["metrics"]
{'last_hop@1': 1.0, 'full_sup@1': 0.0}
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from harness.errors import HarnessError
from harness.gold import Gold
from harness.lists import Spool, blocks
from harness.metric import NONE, Metric, groups, metrics, run_ranks, wins_losses
from harness.metric.measure import Ranks, Values
from harness.metric.rank import Ties
from harness.run import Run
from harness.statistic import (
    bootstrap,
    difference_interval,
    equivalence,
    mcnemar,
    odds_ratio,
    paired_odds_ratio,
    smallest_effect,
    wilson,
)

Scores = dict[str, float | None]
MARGIN = 0.02
"""The largest difference that does not matter, in the test of equivalence: two points."""


def evaluate(
    run: Run | Spool,
    gold: Gold,
    names: str | Iterable[str],
    depths: int | Sequence[int] | None = None,
    ties: Ties = "house",
) -> dict[str, Any]:
    """The scores of a run: ``n``, ``metrics``, ``by_hops``, ``by_type``, ``per_query``.

    run: a run, or a file that ``harness.lists.open_one`` read, of which no more than a block is in memory.

    names, depths: metrics, see ``harness.metric.metrics``. Every query of ``gold`` counts; one that the run lacks has
    found nothing. A metric that needs hop order is None when the gold has none.
    """
    ranks = ranks_of(run, gold, ties)
    values = {
        str(metric): None if metric.ordered and not gold.ordered else metric(ranks) for metric in metrics(names, depths)
    }
    everyone = np.arange(len(gold))
    columns = {name: None if column is None else column.tolist() for name, column in values.items()}
    return {
        "n": len(gold),
        "metrics": _means(values, everyone),
        "by_hops": _by(values, gold.hops),
        "by_type": _by(values, gold.types),
        "per_query": {
            query: {name: None if column is None else column[place] for name, column in columns.items()}
            for place, query in enumerate(gold.query_ids)
        },
    }


def compare(
    run: Run | Spool, baseline: Run | Spool, gold: Gold, metric: Metric | str, ties: Ties = "house"
) -> dict[str, Any]:
    """Where a run finds what its baseline does not, on every query of ``gold``, and whether it is more than chance.

    metric: a metric, or its name, e.g. ``last_hop@5``.

    ``wins``, ``losses``, exact McNemar ``p`` (for a metric that is not 0/1: the sign test of the queries that differ)
    and ``p_mid``; the ``difference`` of the scores with its paired ``bootstrap`` interval; for a 0/1 metric the
    ``wilson`` interval of the run's score, the ``odds_ratio`` of the two, Tango's ``difference_interval``, and
    ``p_equivalent``, small when the two are shown to differ by less than ``MARGIN``; ``detectable``, the smallest net
    share of wins that this many queries show with 80% power at the discordance seen. Ratios without a finite value are
    None.
    """
    chosen = metric if isinstance(metric, Metric) else Metric.parse(metric)
    return compared(ranks_of(run, gold, ties), ranks_of(baseline, gold, ties), gold, chosen)


def compared(ranks: Ranks, baseline: Ranks, gold: Gold, metric: Metric) -> dict[str, Any]:
    """What ``compare`` gives, from the gold ranks (``ranks_of``) of run and baseline."""
    if metric.ordered and not gold.ordered:
        raise HarnessError(
            f"{gold.source}: a qrels file has no hop order, so there is no {metric}; give gold=queries.jsonl or "
            f"metric=full_sup"
        )
    won, lost = wins_losses(ranks, baseline, metric)
    wins, losses = int(won.sum()), int(lost.sum())
    ours, theirs = metric(ranks), metric(baseline)
    n = len(gold)
    return {
        "metric": metric.name,
        "k": metric.k,
        "n": n,
        "score": float(ours.mean()),
        "baseline_score": float(theirs.mean()),
        "difference": float((ours - theirs).mean()),
        "bootstrap": list(bootstrap(ours - theirs)),
        "difference_interval": list(difference_interval(wins, losses, n)) if metric.binary else None,
        "p_equivalent": equivalence(wins, losses, n, MARGIN) if metric.binary else None,
        "wins": wins,
        "losses": losses,
        "p": mcnemar(wins, losses),
        "p_mid": mcnemar(wins, losses, mid_p=True),
        "wilson": list(wilson(int(ours.sum()), n)) if metric.binary else None,
        "odds_ratio": _finite(odds_ratio(int(ours.sum()), int(theirs.sum()), n)) if metric.binary else None,
        "paired_odds_ratio": _finite(paired_odds_ratio(wins, losses)),
        "detectable": smallest_effect(n, (wins + losses) / n),
        "wins_ids": [gold.query_ids[place] for place in np.flatnonzero(won)],
        "losses_ids": [gold.query_ids[place] for place in np.flatnonzero(lost)],
    }


def ranks_of(run: Run | Spool, gold: Gold, ties: Ties = "house") -> Ranks:
    """int32[Q, H]: the gold ranks of the queries of ``gold``, in its order."""
    queries = pa.array(gold.query_ids, pa.string())
    parts = [run.aligned(queries, run.doc_ids)] if isinstance(run, Run) else (b[""] for b in blocks({"": run}, queries))
    ranks = np.full((len(gold), max(map(len, gold.supporting), default=0)), NONE, dtype=np.int32)
    start = 0
    for part in parts:
        members = range(start, start + len(part))
        found = run_ranks(part, gold.take(members).numbers(part.doc_ids), ties)
        ranks[start : members.stop, : found.shape[1]] = found
        start = members.stop
    return ranks


def coverage(run: Run | Spool, whole: Gold, part: Gold) -> dict[str, int]:
    """How run and gold overlap: ``missing`` queries of ``part`` that the run lacks, ``unknown`` ones not in ``whole``.

    whole: the gold of all splits. part: that of the split that is judged.
    """
    held = set(run.query_ids.filter(pa.array(run.lengths() > 0)).to_pylist())
    return {
        "missing": sum(query not in held for query in part.query_ids),
        "unknown": len(held.difference(whole.query_ids)),
    }


def _means(values: Mapping[str, Values | None], members: Any) -> Scores:
    return {name: None if column is None else float(column[members].mean()) for name, column in values.items()}


def _by(values: Mapping[str, Values | None], labels: Sequence[object]) -> dict[str, dict[str, Any]]:
    return {label: {"n": len(found), **_means(values, found)} for label, found in groups(labels).items()}


def _finite(ratio: float) -> float | None:
    return ratio if math.isfinite(ratio) else None
