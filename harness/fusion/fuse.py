"""Fusion of runs: align, calibrate, fuse and sort in blocks of questions, to bound memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.core.configuration.conf_files import strategy
from harness.core.device import in_halves, resolve_device
from harness.core.errors import (
    CombinationError,
    HarnessError,
    described,
    one_of,
    texts_of,
    unused,
)
from harness.core.threads import available, map_threads, torch_alone
from harness.fusion.calibrated import Calibrated
from harness.fusion.context import Context
from harness.fusion.contract import check_members
from harness.fusion.fuser import Fuser, check_shares, fused_scores
from harness.fusion.importance import prior_of
from harness.fusion.normalizer import Normalizer
from harness.fusion.pool import PoolSpec
from harness.fusion.temperature import Temperature
from harness.run import Run
from harness.run.entries import log_notes
from harness.run.matching import (
    documents,
    known,
    queries,
    resembling,
    share_nothing,
    without,
)
from harness.run.systems import Systems, read_systems

T = TypeVar("T")
Ranked = tuple[Int64Array, Int32Array, Float64Array]
CELLS = 1 << 17
"""Number of cells [Q, U] in a block on the CPU: 1 MiB for each tensor, so that several fit the
caches.
"""
GPU_CELLS = 1 << 25
ON_THE_CPU = "fuse on the CPU: device=cpu"
USUAL: Mapping[str, object] = {
    "importance": None,
    "normalizer": "pit",
    "temperature": "auto",
    "capped": None,
}
"""The defaults of what a fuser may not read."""
READS = {
    "importance": {"importance"},
    "normalizer": {"values", "probabilities"},
    "temperature": {"probabilities"},
}
"""What a fuser reads that is made from each."""
IMPORTANCE = "importance"
"""The name of an importance that does not come from a file."""


def fuse(
    runs: Systems,
    fuser: Fuser | str = "boltzmann",
    normalizer: Normalizer | str = "pit",
    pool_cap: int | None = None,
    *,
    temperature: Temperature | str = "auto",
    capped: Collection[str] | str | None = None,
    importance: Mapping[str, float] | None = None,
    reference: str | None = None,
    device: str = "auto",
    disjoint: bool | None = True,
    **knobs: Any,
) -> Run:
    """Fuse runs to one run.

    A question that a run lacks has an empty list there. Questions come in the first run's order,
    then those that only later runs have. The documents are those of all runs, except those that the
    fuser leaves out.

    Args:
        runs: by list name, e.g. ``{"dense": dense, "graph": graph}``; a list of runs is named by
            the files, or ``list 1``, ``list 2``. Each is a run, a file, a data frame, ``{query id:
            {document id: score}}``, or a run of ranx.
        fuser: a strategy, or the name of its configuration.
        normalizer: the same.
        pool_cap: number of the best documents of each list in ``capped`` that are fused, 1 or more;
            None means all.
        temperature: a strategy, or the name of its configuration.
        capped: names of lists; None for all but the reference.
        importance: prior importance in [0, 1] by document id, 0 for other documents (read by
            weighted_rrf).
        reference: the list with share alpha; None for ``dense``, or the first if none has that
            name.
        device: ``cpu``, ``cuda``, or ``auto``: a GPU if there is one.
        disjoint: whether lists without a common document are fused, with a note; None if that has
            been checked (``shared``).
        knobs: knobs of a fuser that is given by name: ``fuse(runs, "boltzmann", "pit", 20,
            alpha=0.7)``.

    Returns:
        The fused lists, best document first, with fused scores; ``notes`` are those of the runs and
        others that may distort the result, which are logged, too.

    Raises:
        HarnessError: a strategy or knob is unknown or out of its bounds, or runs share no question.
    """
    lists = _lists(runs)
    spec = _pool_spec(lists, pool_cap, capped, importance is not None, reference)
    check_shares(knobs)
    chosen = _named("fuser", fuser, **knobs)
    calibration = (_named("normalizer", normalizer), _named("temperature", temperature))
    check(chosen, calibration[0])
    notes = [] if disjoint is None else shared(lists, disjoint)
    arguments: dict[str, object] = {"importance": importance}
    if disjoint is not None:  # a command checks these itself
        arguments |= {"normalizer": normalizer, "temperature": temperature}
        arguments["capped"] = USUAL["capped"] if pool_cap else capped
    _check_read(chosen, arguments)
    query_ids, doc_ids = _union(lists)
    aligned = {name: run.aligned(query_ids, doc_ids) for name, run in lists.items()}
    prior = {} if importance is None else {IMPORTANCE: prior_of(importance, doc_ids)}
    place = resolve_device(device)
    counts: list[Int64Array] = []

    def score(block: Int64Array) -> tuple[Tensor, Tensor]:
        taken = {name: run.take(block) for name, run in aligned.items()}
        pool = spec.align(taken, place, Context(importance=prior))
        calibrated = Calibrated(pool, *calibration)
        fused = fused_scores(chosen, calibrated)
        if "values" in chosen.reads:
            counts.append(np.array([scored.outdone for scored in calibrated.lists]))
        return fused, pool.docs

    fused = fuse_blocks(aligned, score, place)
    if counts:
        notes += _outdone(_name(calibration[0]), lists, np.sum(counts, axis=0))
    read = [note for run in lists.values() for note in run.notes]
    return fused.changed(notes=[*dict.fromkeys(read), *log_notes(notes)])


def _check_read(chosen: Fuser, arguments: Mapping[str, object]) -> None:
    """Raise HarnessError for an argument that is not the usual one and that nothing reads."""
    why = {"capped": "it is read if pool_cap is set"}
    for key, value in arguments.items():
        if value != USUAL[key] and not READS.get(key, set()) & chosen.reads:
            raise HarnessError(unused(key, why.get(key, f"fuser={_name(chosen)} does not read it")))


def shared(runs: Mapping[str, Run], disjoint: bool) -> list[str]:
    """Return a note for each list that shares less than half of its ids with the first list.

    Raises HarnessError if a list shares no question with it, or no document; with ``disjoint``
    lists may share no document and be empty.
    """
    (first, first_run), *others = runs.items()
    notes = []
    for name, other in others:
        for what, ids_of in (("query", queries), ("document", documents)):
            ids, others_ids = ids_of(first_run), ids_of(other)
            shared, least = known(others_ids, ids), min(len(ids), len(others_ids))
            if not (shared or (disjoint and (what == "document" or not least))):
                raise share_nothing(what, (f"lists.{first}", ids), (f"lists.{name}", others_ids))
            pair = f"lists.{first} and lists.{name}"
            if shared < least / 2:
                notes.append(f"{pair} share only {shared} {what} ids of {least}")
            alike = resembling(without(others_ids, ids), without(ids, others_ids))
            notes += [f"{pair}: of {what} ids in one {line}" for line in alike]
    return notes


def _outdone(normalizer: str, lists: Iterable[str], counts: Int64Array) -> list[str]:
    """Return notes on lists whose documents score no more than absent ones; counts: int64[L, 3]."""
    notes = []
    for name, (answered, below, level) in zip(lists, counts.tolist(), strict=True):
        texts = {"some of its documents less than": below, "its documents no more than": level}
        for what, count in texts.items():
            if count:
                notes.append(
                    f"lists.{name}: in {count} of {answered} questions normalizer={normalizer} "
                    f"gives {what} those that it lacks, which come before or among them; "
                    "normalizer=minmax or pit keeps their order"
                )
    return notes


def _lists(runs: Systems) -> dict[str, Run]:
    """Return the lists by name."""
    if isinstance(runs, Mapping) and not runs:
        raise HarnessError(
            "there is nothing to fuse; give at least one list: lists={dense: d.trec, graph: g.trec}"
        )
    return read_systems(runs, "list")


def fuse_blocks(
    runs: Mapping[str, Run],
    score: Callable[[Int64Array], tuple[Tensor, Tensor]],
    device: str,
) -> Run:
    """Fuse lists over the same questions and documents in blocks of questions, to bound memory.

    Args:
        runs: the lists.
        score: function of a block's questions int64[B] that returns the fused scores float64[B, U]
            and the pool's documents int32[B, U], as for ``rank_documents``.
        device: ``cpu`` or ``cuda``, where ``score`` runs.
    """

    def work(block: Int64Array) -> list[Ranked]:
        return list(in_halves(lambda part: rank_documents(*score(part)), block, ON_THE_CPU))

    nothing = (np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float64))
    with torch_alone() if device == "cpu" else nullcontext():
        width = sum(int(run.lengths().max(initial=0)) for run in runs.values())
        jobs = blocks(len(next(iter(runs.values()))), width, device)
        parts = [nothing, *chain.from_iterable(map_threads(work, jobs, workers(device)))]
    lengths, docs, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    first = next(iter(runs.values()))
    return Run(first.query_ids, first.doc_ids, lengths.cumsum(), docs, scores)


def check(fuser: Fuser, normalizer: Normalizer) -> None:
    """Raise CombinationError if the fuser needs values in [0, 1] and the
    normalizer gives others.
    """
    if (fuser.unit or "probabilities" in fuser.reads) and not normalizer.unit:
        raise CombinationError(
            f"fuser={_name(fuser)} needs values in [0, 1], normalizer={_name(normalizer)} gives "
            "others; "
            "choose normalizer=pit, minmax, max, tmm or rank"
        )


def rank_documents(fused: Tensor, docs: Tensor) -> Ranked:
    """Return the size int64[Q] of each fused list, then all its documents and scores in order.

    Args:
        fused: float64[Q, U], -inf for a document that is left out.
        docs: int32[Q, U], ascending, -1 in the padding.
    """
    scores, order = torch.sort(
        fused.masked_fill(docs < 0, -torch.inf), dim=-1, descending=True, stable=True
    )
    best = scores[:, :1]  # a NaN or an infinity would be here
    if (best.isnan() | (best == torch.inf)).any():
        raise HarnessError(
            "a fused score is not finite: a list's scores are too large to be summed; scale them "
            "down, or mend the "
            "fuser or normalizer that made it"
        )
    holds = scores != -torch.inf
    documents = docs.gather(-1, order)[holds]
    return (
        holds.sum(dim=-1).cpu().numpy(),
        documents.cpu().numpy(),
        (scores[holds] + 0.0).cpu().numpy(),
    )


def workers(device: str) -> int:
    """Return the number of threads over blocks: processors (or OMP_NUM_THREADS), one for a GPU."""
    return available() if device == "cpu" else 1


def blocks(count: int, width: int, device: str, parts: int = 1) -> Iterator[Int64Array]:
    """Yield ``count`` question numbers, int64[B], in blocks of up to ``CELLS`` cells (GPU:
    ``GPU_CELLS``).

    Args:
        count: number of questions.
        width: largest number of cells of a question.
        device: ``cpu`` or ``cuda``.
        parts: smallest number of blocks, if there are that many questions.
    """
    size = max(1, (CELLS if device == "cpu" else GPU_CELLS) // max(1, width))
    size = min(size, max(1, -(-count // parts)))
    return (np.arange(start, min(start + size, count)) for start in range(0, count, size))


def _named(concept: str, chosen: T | str, **knobs: Any) -> T:
    if isinstance(chosen, str):
        by_name: T = strategy(concept, chosen, **knobs)
        return by_name
    if knobs:
        raise HarnessError(
            f"{', '.join(knobs)}: {_name(chosen)} has its knobs; give the fuser by its name to "
            "set others"
        )
    if isinstance(chosen, type) or not callable(chosen):
        raise HarnessError(
            f"{concept}: expected a name, as in {concept}='...', or a strategy, got "
            f"{described(chosen)}"
        )
    check_members(concept, chosen)
    return chosen


def _name(chosen: object) -> str:
    return type(chosen).__module__.rpartition(".")[2]


def _pool_spec(
    lists: Mapping[str, Run],
    pool_cap: int | None,
    capped: Collection[str] | str | None,
    has_prior: bool,
    reference: str | None,
) -> PoolSpec:
    """Return the checked pool of these arguments of ``fuse``."""
    if reference is not None:
        one_of("reference", reference, lists)
    cut = [capped] if isinstance(capped, str) else capped
    if cut is not None:
        cut = tuple(texts_of("capped", cut))
    prior = IMPORTANCE if has_prior else None
    spec = PoolSpec(tuple(lists), pool_cap, cut, prior, reference)
    spec.check_cuts()
    return spec


def _union(runs: Mapping[str, Run]) -> tuple[pa.StringArray, pa.StringArray]:
    first, *others = runs.values()
    if all(
        run.query_ids.equals(first.query_ids) and run.doc_ids.equals(first.doc_ids)
        for run in others
    ):
        return first.query_ids, first.doc_ids
    queries = pc.unique(pa.concat_arrays([run.query_ids for run in runs.values()]))
    docs = pc.unique(pa.concat_arrays([run.doc_ids for run in runs.values()]))
    return queries, docs.take(pc.array_sort_indices(docs))
