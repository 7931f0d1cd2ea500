"""The engine: gold ranks of every trial, in blocks of queries small enough to stay in the processor's caches.

Trials that share a pool share its alignment; trials that share a normalizer or a temperature share their values (the
pool's memo). No quantity depends on which queries share its block, so neither do the ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from harness.fuser import Calibrated
from harness.fuser.single import Single
from harness.fuser.terms import Terms
from harness.metric import ABSENT, NONE, gold_ranks, run_ranks
from harness.metric.additive import Layout, additive_ranks, shared_key
from harness.pool import Pool
from harness.reranker.none import Keep
from harness.run import Run
from harness.seeding import Seeding
from harness.sweep.trial import PoolSpec, Trial
from harness.texts import Texts
from harness.threads import available, each, torch_alone

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BLOCK = 1 << 17
"""How many cells [Q, U] of a pool a block holds on the CPU: 1 MiB of float64."""
GPU_BLOCK = 1 << 25


def score(
    trials: Sequence[Trial],
    runs: Mapping[str, Run],
    gold: NDArray[np.int32],
    device: str = "cpu",
    progress: bool = False,
    mentions: Mapping[str, csr_array] | None = None,
    importance: Mapping[str, NDArray[np.float64]] | None = None,
    texts: Texts | None = None,
    seeding: Seeding | None = None,
) -> NDArray[np.int32]:
    """int32[T, Q, H]: where each trial puts each gold passage (see harness.metric).

    runs: the lists over the same Q queries. gold: int32[Q, H], -1 for none. mentions: sparse [D, E] by list name, which
    passage mentions which entity in the graph of that list; a pool has those of its first list that has any.
    importance: float64[D] by the file that a pool names. texts: the Q questions and the passages, where they are read.
    seeding: what the Q questions start from, where it is read.
    """
    ranks = np.full((len(trials), *gold.shape), NONE, dtype=np.int32)
    shared: dict[PoolSpec, list[int]] = {}
    for number, trial in enumerate(trials):
        if _alone(trial):
            ranks[number] = run_ranks(runs[trial.pool.lists[0]].top(trial.pool.effective_cap), gold)
            continue
        shared.setdefault(trial.pool, []).append(number)
    threads = workers(device)
    parts = 1 if len(shared) >= 2 * threads else threads
    jobs = [(spec, block) for spec in shared for block in _blocks(spec, runs, device, parts)]
    layouts = _layouts([trials[number] for own in shared.values() for number in own], runs, gold, device)

    def work(job: tuple[PoolSpec, slice]) -> int:
        spec, block = job
        queries = np.arange(block.start, block.stop)
        taken = {name: runs[name].take(queries) for name in spec.lists}
        asked = texts and texts.take(queries), seeding and seeding.take(queries)
        pool = align(spec, taken, device, mentions, importance, *asked)
        depths = {name: spec.cap if name in spec.capped else None for name in spec.lists}
        layout = layouts[spec.lists].cut(block, depths) if spec.lists in layouts else None
        for number, found in _scored(pool, {number: trials[number] for number in shared[spec]}, gold[block], layout):
            ranks[number, block] = found
        return len(shared[spec]) * len(queries)

    total = len(trials) * len(gold)
    with torch_alone(), tqdm(total=total, desc="trials", unit="query", disable=not progress, delay=2) as bar:
        for done in each(work, jobs, threads):
            bar.update(done)
    return ranks


def _alone(trial: Trial) -> bool:
    """Whether the fused list is a list as it stands: then its places are looked up, and no pool is made."""
    single = isinstance(trial.fuser, Single) and trial.pool.lists == (trial.fuser.list,)
    return single and isinstance(trial.reranker, Keep)


def _layouts(
    trials: Sequence[Trial], runs: Mapping[str, Run], gold: NDArray[np.int32], device: str
) -> dict[tuple[str, ...], Layout]:
    """The layouts of the lists whose weighted sums are counted: one for all caps, which only cut its lists."""
    counted = dict.fromkeys(trial.pool.lists for trial in trials if device == "cpu" and _additive(trial))
    return {lists: Layout.of({name: runs[name] for name in lists}, gold) for lists in counted}


def _scored(
    pool: Pool, trials: Mapping[int, Trial], gold: NDArray[np.int32], layout: Layout | None
) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Gold ranks int32[Q, H] of each trial on one pool; trials that weigh the same values differently go together."""
    groups: dict[tuple[int, ...], dict[int, Terms]] = {}
    rest = []
    calibrations: dict[object, Calibrated] = {}
    for number, trial in trials.items():
        terms = _terms(trial, pool, calibrations)
        if terms is None:
            rest.append(number)
        else:
            groups.setdefault(shared_key(terms), {})[number] = terms
    for group in groups.values():
        ranks = None if layout is None else additive_ranks(layout, list(group.values()))
        if ranks is None:
            rest.extend(group)
        else:
            yield from zip(group, ranks, strict=True)
    if not rest:
        return
    columns, wanted = pool.columns(gold), torch.from_numpy(gold)
    for number in rest:
        calibrated = Calibrated(pool, trials[number].normalizer, trials[number].temperature)
        fused = trials[number].reranker(trials[number].fuser(calibrated), calibrated)
        yield number, gold_ranks(fused, pool.docs, columns, wanted).numpy()


def _additive(trial: Trial) -> Callable[[Calibrated], Terms | None] | None:
    """How to get the fused list's terms, where it may be a weighted sum (see ``Additive``)."""
    return getattr(trial.fuser, "terms", None) if isinstance(trial.reranker, Keep) else None


def _terms(trial: Trial, pool: Pool, calibrations: dict[object, Calibrated]) -> Terms | None:
    """calibrations: those of the pool that there are, by normalizer and temperature."""
    of = _additive(trial)
    if of is None or pool.device.type == "cuda":
        return None
    key = trial.normalizer, trial.temperature
    if key not in calibrations:
        calibrations[key] = Calibrated(pool, *key)
    return of(calibrations[key])


def align(
    spec: PoolSpec,
    runs: Mapping[str, Run],
    device: str,
    mentions: Mapping[str, csr_array] | None = None,
    importance: Mapping[str, NDArray[np.float64]] | None = None,
    texts: Texts | None = None,
    seeding: Seeding | None = None,
) -> Pool:
    """The pool of these runs under a trial's specification."""
    prior = importance[spec.importance] if importance and spec.importance else None
    lists = {name: runs[name] for name in spec.lists}
    entities = next((mentions[name] for name in spec.lists if name in mentions), None) if mentions else None
    return Pool.align(lists, spec.effective_cap, spec.capped, device, prior, entities, texts, seeding)


def ceiling(spec: PoolSpec, runs: Mapping[str, Run], gold: NDArray[np.int32]) -> float:
    """Share of queries whose last hop is anywhere in the pool: what a perfect fuser would reach."""
    last = gold[np.arange(len(gold)), (gold >= 0).sum(axis=1) - 1][:, None]
    cut = [runs[name].top(spec.effective_cap) if name in spec.capped else runs[name] for name in spec.lists]
    ranks = np.stack([run_ranks(run, last) for run in cut])
    return float(((ranks > 0) & (ranks < ABSENT)).any(axis=0).sum()) / max(len(gold), 1)


def workers(device: str) -> int:
    """Threads over blocks: as many as there are processors (or OMP_NUM_THREADS says), one for a GPU."""
    if device != "cpu":
        return 1
    return available()


def resolve(device: str) -> str:
    """``auto`` is CUDA when torch has it, else the CPU."""
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device


def _blocks(spec: PoolSpec, runs: Mapping[str, Run], device: str, parts: int) -> Iterator[slice]:
    """At least ``parts`` blocks, where there are so many queries."""
    cap = spec.effective_cap
    widths = (
        int(runs[name].lengths().max(initial=1)) if cap is None or name not in spec.capped else cap
        for name in spec.lists
    )
    count = len(runs[spec.lists[0]])
    size = max(1, (BLOCK if device == "cpu" else GPU_BLOCK) // max(1, sum(widths)))
    size = min(size, max(1, -(-count // parts)))
    return (slice(start, min(start + size, count)) for start in range(0, count, size))
