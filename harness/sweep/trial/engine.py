"""The engine: gold ranks of every trial, in blocks of questions that fit the processor's caches.

Trials that share a pool share its alignment; trials that share a normalizer or a temperature share
their values (the pool's memo). No value depends on the other questions of its block, so neither do
the ranks.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import numpy as np
import torch

from harness.benchmark import UNORDERED
from harness.benchmark.split import FOLDS
from harness.core.arrays import Int32Array, Int64Array, distinct
from harness.core.device import in_halves
from harness.core.errors import HarnessError
from harness.core.threads import map_threads, torch_alone
from harness.evaluation.metric import ABSENT, NONE, gold_ranks, run_ranks
from harness.fusion.context import NOTHING, Context
from harness.fusion.fuse import ON_THE_CPU, blocks, workers
from harness.fusion.pool import PoolSpec
from harness.run import Run
from harness.sweep.trial.trial import Trial
from harness.work.progress import Progress


def score(
    trials: Sequence[Trial],
    runs: Mapping[str, Run],
    gold: Int32Array,
    device: str = "cpu",
    progress: bool = False,
    context: Context = NOTHING,
) -> Int32Array:
    """Return int32[T, Q, H], the rank of each gold passage in each trial (see
    harness.evaluation.metric).

    Args:
        trials: the T trials.
        runs: the lists over the same Q questions.
        gold: int32[Q, H], -1 for none.
        device: device of the tensors.
        progress: called with the number of scored questions.
        context: further inputs for these Q questions.
    """
    ranks = np.full((len(trials), *gold.shape), NONE, dtype=np.int32)
    shared = _by_pool(trials)
    threads = workers(device)
    parts = 1 if len(shared) >= 2 * threads else threads
    jobs = [
        (spec, block)
        for spec in shared
        for block in blocks(len(gold), _width(spec, runs), device, parts)
    ]

    def work(job: tuple[PoolSpec, Int64Array]) -> tuple[list[int], int]:
        spec, block = job
        for _ in in_halves(functools.partial(rank, spec), block, ON_THE_CPU):
            pass
        return shared[spec], len(block)

    def rank(spec: PoolSpec, queries: Int64Array) -> None:
        taken = {name: runs[name].take(queries) for name in spec.lists}
        pool = spec.align(taken, device, context.take(queries))
        columns, wanted = pool.columns(gold[queries]), torch.from_numpy(gold[queries])
        for number in shared[spec]:
            ranks[number, queries] = gold_ranks(
                trials[number].fused(pool), pool.docs, columns, wanted
            ).numpy()

    if device == "cpu":  # compiled once, before threads want it
        from harness.evaluation.metric.gold_rank_kernel import count_better  # noqa: F401
    total = len(trials) * len(gold)
    with torch_alone(), Progress("score", total, "lists") if progress else nullcontext() as bar:
        for numbers, queries in map_threads(work, jobs, threads):
            if bar is not None:
                bar.update(len(numbers) * queries)
    return ranks


def ceiling(spec: PoolSpec, runs: Mapping[str, Run], gold: Int32Array) -> float:
    """Return the share of questions with a last hop for which it is in the pool: a perfect fuser's
    score.
    """
    known = gold[:, -1] != UNORDERED
    runs, gold = {name: run.take(np.flatnonzero(known)) for name, run in runs.items()}, gold[known]
    last = gold[np.arange(len(gold)), (gold >= 0).sum(axis=1) - 1][:, None]
    ranks = np.stack([run_ranks(run, last) for run in spec.cut(runs).values()])
    return float(((ranks > 0) & (ranks < ABSENT)).any(axis=0).sum()) / max(len(gold), 1)


def pool_size(spec: PoolSpec, runs: Mapping[str, Run]) -> float:
    """Return the mean number of distinct passages in a question's pool."""
    keys = []
    for run in spec.cut(runs).values():
        query = np.repeat(np.arange(len(run)), run.lengths())
        keys.append(query * len(run.doc_ids) + run.docs)
    return len(distinct(np.concatenate(keys))) / max(len(runs[spec.lists[0]]), 1)


def _width(spec: PoolSpec, runs: Mapping[str, Run]) -> int:
    """Return the largest number of cells of a question's pool."""
    return sum(spec.depth(name) or int(runs[name].lengths().max(initial=1)) for name in spec.lists)


def fit(
    trials: Sequence[Trial],
    runs: Mapping[str, Run],
    gold: Int32Array,
    context: Context = NOTHING,
) -> list[Trial]:
    """Return the trials with what each learns from these questions, always on the CPU.

    Args:
        trials: the trials.
        runs: the lists of the questions.
        gold: int32[Q, H].
        context: further inputs for these questions.
    """
    if trials and not len(gold):
        raise HarnessError(
            f"fuser={trials[0].family} has no question to learn from; tune is too small for "
            f"{FOLDS} folds"
        )
    fitted: dict[int, Trial] = {}
    for spec, numbers in _by_pool(trials).items():
        pool = spec.align(runs, "cpu", context)
        fitted |= {number: trials[number].fit(pool, gold) for number in numbers}
    return [fitted[number] for number in range(len(trials))]


def _by_pool(trials: Sequence[Trial]) -> dict[PoolSpec, list[int]]:
    """Return the numbers of the trials of each pool."""
    numbers: dict[PoolSpec, list[int]] = {}
    for number, trial in enumerate(trials):
        numbers.setdefault(trial.pool, []).append(number)
    return numbers
