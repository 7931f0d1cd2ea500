"""A whole grid over uncapped and over capped lists, against ranx one configuration after
another.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.metric import metrics
from harness.evaluation.metric.mean import means
from harness.evaluation.metric.measure import Metric
from harness.run import Run
from harness.sweep.trial import engine
from harness.sweep.trial.trial import Trial
from tests.benchmarks.lists import lists
from tests.benchmarks.measure import Case
from tests.benchmarks.trials import CAPPED, FREE, trials

DEPTHS = (2, 5, 10)
METRICS = metrics(
    [f"{name}@{k}" for name in ("last_hop", "full_sup", "recall", "mrr", "ndcg") for k in DEPTHS],
    None,
)
SHARED = [f"{name}@{k}" for name in ("recall", "mrr", "ndcg") for k in DEPTHS]
MEMORY = 1.5e9
CAPS = (10, 20, 30, 40, 50)


def case(quick: bool) -> dict[str, Case]:
    return {
        "sweep": compared(FREE, (None,), 300, quick),
        "sweep_capped": compared(CAPPED, CAPS[:1] if quick else CAPS, 150, quick),
    }


def compared(axes: Mapping[str, Any], caps: Sequence[int | None], aim: float, quick: bool) -> Case:
    queries, depth = (60, 200) if quick else (1000, 2000)
    runs, gold = lists(queries, graph=depth)
    grid = trials(axes)
    peer = Peer(runs, gold, caps)
    capped = "" if caps == (None,) else f", of which {', '.join(map(str, caps))} are taken"
    return Case(
        work=f"{len(grid)} trials, {queries} queries, 50 dense + {depth} graph documents each{capped}: fuse, "
        f"{len(METRICS)} metrics, wins and losses against dense",
        peer=f"ranx.fuse + evaluate, scaled from {len(peer.configurations)} configurations",
        ours=lambda: judged(grid, runs, gold),
        theirs=peer.following,
        check=lambda ours, _: agree(grid, ours[0], peer),
        aim=aim,
        packages=("ranx",),
        scale=len(grid),
        facts=lambda: {} if quick or capped else {"peak_bytes": peak(), "peak_aim": MEMORY},
    )


def judged(grid: list[Trial], runs: Mapping[str, Run], gold: NDArray[np.int32]) -> tuple[Any, Any]:
    """Means float64[T, M], and wins and losses of each trial against the first, which is dense
    alone.
    """
    ranks = engine.score(grid, runs, gold)
    values = Metric.parse("last_hop@5")(ranks)
    return means(ranks, METRICS), (
        (values > values[0]).sum(axis=1),
        (values < values[0]).sum(axis=1),
    )


class Peer:
    """ranx on the same lists. At a share of .5 both lists' tops would tie, which it orders
    otherwise: not taken.
    """

    def __init__(
        self, runs: Mapping[str, Run], gold: NDArray[np.int32], caps: Sequence[int | None]
    ) -> None:
        from ranx import Qrels
        from ranx import Run as Ranx

        dense = Ranx(runs["dense"].to_dict())
        self.lists = {cap: [dense, Ranx(runs["graph"].top(cap).to_dict())] for cap in caps}
        names = runs["dense"].doc_ids.to_pylist()
        held = [[names[doc] for doc in row if doc >= 0] for row in gold]
        ids = runs["dense"].query_ids.to_pylist()
        self.qrels = Qrels(
            {query: dict.fromkeys(own, 1) for query, own in zip(ids, held, strict=True)}
        )
        self.last = Qrels({query: {own[-1]: 1} for query, own in zip(ids, held, strict=True)})
        shares = [0.1, 0.3, 0.6, 0.8]
        self.configurations = list(itertools.product(caps, ("min-max", "max"), shares))
        self.baseline = self._evaluated(dense)[1]
        self.next = 0
        self.one(0)  # its kernels are compiled before it is timed

    def following(self) -> None:
        """The next configuration, round and round."""
        self.one(self.next % len(self.configurations))
        self.next += 1

    def one(self, number: int) -> tuple[dict[str, float], int, int]:
        """Means of the metrics, wins and losses."""
        from ranx import fuse

        cap, norm, share = self.configurations[number]
        fused = fuse(
            self.lists[cap], norm=norm, method="wsum", params={"weights": (share, 1 - share)}
        )
        scores, last = self._evaluated(fused)
        own, other = last["hit_rate@5"], self.baseline["hit_rate@5"]
        found = {name: float(np.mean(values)) for name, values in scores.items()}
        return found, int((own > other).sum()), int((own < other).sum())

    def _evaluated(self, run: Any) -> tuple[Any, Any]:
        from ranx import evaluate

        options = {"return_mean": False, "save_results_in_run": False}
        hits = [f"hit_rate@{k}" for k in DEPTHS]
        return evaluate(self.qrels, run, SHARED, **options), evaluate(
            self.last, run, hits, **options
        )


NORMALIZERS = {"min-max": "minmax", "max": "max"}


def agree(grid: list[Trial], ours: NDArray[np.float64], peer: Peer) -> str:
    """Every configuration of the peer that the grid has too."""
    knobs = [trial.settings for trial in grid]
    compared = 0
    for number, (cap, norm, share) in enumerate(peer.configurations):
        wanted = {
            "fuser": "linear",
            "normalizer": NORMALIZERS[norm],
            "fuser.alpha": share,
            "fuser.beta": 0,
        }
        same = [
            t
            for t, own in enumerate(knobs)
            if wanted.items() <= own.items() and grid[t].pool.cap == cap
        ]
        found, _, _ = peer.one(number)
        for t in same:
            compared += 1
            row = dict(zip(map(str, METRICS), ours[t], strict=True))
            worst = max(abs(row[name] - value) for name, value in found.items())
            if worst > 1e-9:
                raise AssertionError(f"{grid[t].name}: differs from ranx by {worst}: {row} {found}")
    if compared < 8:
        raise AssertionError(f"only {compared} configurations are shared")
    return f"recall, mrr, ndcg at 2, 5, 10 of {compared} shared configurations within 1e-9"


def peak() -> int:
    """Peak memory of a process that makes the lists and scores the grid, in bytes."""
    text = "from tests.benchmarks.cases import sweep; sweep.alone()"
    told = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return int(told.stdout)


def alone() -> None:
    runs, gold = lists(1000)
    judged(trials(FREE), runs, gold)
    status = Path(
        "/proc/self/status"
    ).read_text()  # getrusage would count what the parent held when it forked
    print(1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1]))
