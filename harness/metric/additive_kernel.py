"""The loops of ``harness.metric.additive``. No fast-math: every score has the bits of the straightforward path."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(cache=True, nogil=True)
def arrange(docs: Any, slots: Any, lengths: Any, gold: Any) -> Any:
    """``Layout``'s lone, alone, several, together and gold, from the pool's docs [Q, U] and each list's slots."""
    queries, width = docs.shape
    lists = len(slots)
    places = np.full((width, lists), -1, dtype=np.int32)
    holders = np.zeros(width, dtype=np.int32)
    alone = np.zeros((lists, queries), dtype=np.int64)
    together = np.zeros(queries, dtype=np.int64)
    most = np.zeros(lists, dtype=np.int64)
    for part in range(lists):
        most[part] = lengths[part].max() if queries else 0
    crowd = most.sum() - most.max() if lists else 0
    several = np.empty((queries, crowd, 1 + lists), dtype=np.int32)
    found = np.full((queries, gold.shape[1], 1 + lists), -1, dtype=np.int32)
    lone = np.empty((lists, queries, most.max() if lists else 0, 2), dtype=np.int32)
    starts = np.zeros(lists, dtype=np.int64)
    for query in range(queries):
        places[:] = -1
        holders[:] = 0
        for part in range(lists):
            own = slots[part][starts[part] : starts[part] + lengths[part, query]]
            for place in range(len(own)):
                column = own[place] - query * width
                places[column, part] = place
                holders[column] += 1
        for part in range(lists):
            own = slots[part][starts[part] : starts[part] + lengths[part, query]]
            starts[part] += lengths[part, query]
            count = 0
            for place in range(len(own)):
                column = own[place] - query * width
                if holders[column] == 1:
                    lone[part, query, count, 0] = place
                    lone[part, query, count, 1] = column
                    count += 1
                elif holders[column] > 1:
                    several[query, together[query], 0] = column
                    several[query, together[query], 1:] = places[column]
                    together[query] += 1
                    holders[column] = -1  # listed
            alone[part, query] = count
        stop = width
        while stop > 0 and docs[query, stop - 1] < 0:
            stop -= 1
        for hop in range(gold.shape[1]):
            if gold[query, hop] >= 0:
                column = np.searchsorted(docs[query, :stop], gold[query, hop])
                if column < stop and docs[query, column] == gold[query, hop]:
                    found[query, hop, 0] = column
                    found[query, hop, 1:] = places[column]
    return lone, alone, several, together, found


@numba.njit(inline="always")
def _total(parts: Any) -> Any:
    """``harness.fuser.shares.total`` of a document's summands, which it may reorder."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) > 2:
        for last in range(len(parts) - 1, 0, -1):
            for place in range(last):
                if parts[place] > parts[place + 1]:
                    parts[place], parts[place + 1] = parts[place + 1], parts[place]
    result = parts[0] + parts[1]
    for part in parts[2:]:
        result += part
    return result


@numba.njit(inline="always")
def _alone(value: Any, list_: Any, weights: Any, nothing: Any, parts: Any) -> Any:
    """The score of a document that one list alone holds; ``nothing``: the summands of lists that lack a document."""
    if len(parts) == 2:
        return value * weights[list_] + nothing[1 - list_]
    for other in range(len(parts)):
        parts[other] = nothing[other]
    parts[list_] = value * weights[list_]
    return _total(parts)


@numba.njit(inline="always")
def _together(own: Any, weights: Any, nothing: Any, bonus: Any, held: Any, parts: Any) -> Any:
    """The score of a document whose values are ``own``, NaN in the lists that lack it."""
    holders = 0
    for part in range(len(parts)):
        there = own[part] == own[part]
        parts[part] = own[part] * weights[part] if there else nothing[part]
        holders += there
    score = _total(parts)
    if holders > 1:
        if bonus:
            score += bonus
        if held:
            score *= holders
    return score


@numba.njit(cache=True, nogil=True)
def count(
    values: Any, absent: Any, weights: Any, bonus: Any, held: Any,
    lengths: Any, lone: Any, alone: Any, several: Any, together: Any, gold: Any, missing: int,
) -> Any:  # fmt: skip
    """int32[T, Q, H] gold ranks (``missing`` where the pool lacks the passage), and whether all values are finite."""
    trials, lists = weights.shape
    queries, hops = gold.shape[:2]
    ranks = np.full((trials, queries, hops), missing, dtype=np.int32)
    parts, nothing = np.empty(lists), np.empty(lists)
    crowd = np.empty(several.shape[1])
    own = np.empty((lists, lone.shape[2]))
    shared = np.empty((several.shape[1], lists))
    golden = np.empty((hops, lists))
    falls = np.empty(lists, dtype=np.bool_)
    for query in range(queries):
        for part in range(lists):
            row = values[part][query if len(values[part]) > 1 else 0]
            falls[part] = True
            for place in range(lengths[part, query]):
                if not np.isfinite(row[place]):
                    return ranks, False
                if place and row[place] > row[place - 1]:
                    falls[part] = False
            for place in range(alone[part, query]):
                own[part, place] = row[lone[part, query, place, 0]]
            for other in range(together[query]):
                place = several[query, other, 1 + part]
                shared[other, part] = np.nan if place < 0 else row[place]
            for hop in range(hops):
                place = gold[query, hop, 1 + part]
                golden[hop, part] = np.nan if place < 0 else row[place]
        for trial in range(trials):
            weight, extra = weights[trial], bonus[trial]
            for part in range(lists):
                nothing[part] = absent[part, query] * weight[part]
            for other in range(together[query]):
                crowd[other] = _together(shared[other], weight, nothing, extra, held[trial], parts)
            for hop in range(hops):
                column = gold[query, hop, 0]
                if column < 0:
                    continue
                score = _together(golden[hop], weight, nothing, extra, held[trial], parts)
                better = 0
                for other in range(together[query]):
                    better += crowd[other] > score or (crowd[other] == score and several[query, other, 0] < column)
                for part in range(lists):
                    size = alone[part, query]
                    first, last = 0, size
                    if falls[part]:
                        while first < last:
                            middle = (first + last) >> 1
                            if _alone(own[part, middle], part, weight, nothing, parts) > score:
                                first = middle + 1
                            else:
                                last = middle
                    better += first
                    for place in range(first, size):
                        other_score = _alone(own[part, place], part, weight, nothing, parts)
                        if falls[part] and other_score < score:
                            break
                        better += other_score > score or (other_score == score and lone[part, query, place, 1] < column)
                ranks[trial, query, hop] = 1 + better
    return ranks, True
