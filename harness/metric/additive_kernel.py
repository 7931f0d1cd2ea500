"""The loops of ``harness.metric.additive``. No fast-math: every score has the bits of the straightforward path."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

SHORT = 96
"""A list of at most so many documents is scored whole, without branches; a longer one is searched."""
LANES = 8
"""Short lists are laid out in so many values at once, the processor's vectors: what is stored as one is read as one."""


@numba.njit(cache=True, nogil=True)
def arrange(docs: Any, bounds: Any, size: int, gold: Any) -> Any:
    """``Layout``'s several, together and gold, of lists docs[l][bounds[l, q]:bounds[l, q + 1]].

    The longest list of a query is only looked through for what another list or the gold holds.
    """
    lists, queries = bounds.shape[0], bounds.shape[1] - 1
    places = np.full((size, lists), -1, dtype=np.int32)
    wanted = np.zeros(size, dtype=np.bool_)
    lengths = np.zeros(lists, dtype=np.int64)
    longest = np.zeros(queries, dtype=np.int64)
    room = 0
    for query in range(queries):
        for part in range(lists):
            lengths[part] = bounds[part, query + 1] - bounds[part, query]
            if lengths[part] > lengths[longest[query]]:
                longest[query] = part
        room += lengths.sum() - lengths.max()
    several = np.empty((room, 1 + lists), dtype=np.int32)
    together = np.zeros(queries + 1, dtype=np.int64)
    found = np.full((queries, gold.shape[1], 1 + lists), -1, dtype=np.int32)
    shared = 0
    for query in range(queries):
        long = longest[query]
        for part in range(lists):
            if part != long:
                start = bounds[part, query]
                for entry in range(start, bounds[part, query + 1]):
                    places[docs[part][entry], part] = entry - start
                    wanted[docs[part][entry]] = True
        for hop in range(gold.shape[1]):
            if 0 <= gold[query, hop] < size:
                wanted[gold[query, hop]] = True
        start, own = bounds[long, query], docs[long]
        for entry in range(start, bounds[long, query + 1]):
            if wanted[own[entry]]:
                places[own[entry], long] = entry - start
        for hop in range(gold.shape[1]):
            doc = gold[query, hop]
            found[query, hop, 0] = doc
            if 0 <= doc < size:
                found[query, hop, 1:] = places[doc]
        for part in range(lists):
            if part != long:
                for entry in range(bounds[part, query], bounds[part, query + 1]):
                    doc, holders = docs[part][entry], 0
                    for other in range(lists):
                        holders += places[doc, other] >= 0
                    if holders > 1:
                        several[shared, 0] = doc
                        several[shared, 1:] = places[doc]
                        shared += 1
                    places[doc] = -1  # so that it is told once
                    wanted[doc] = False
        for hop in range(gold.shape[1]):
            if 0 <= gold[query, hop] < size:
                places[gold[query, hop]] = -1
                wanted[gold[query, hop]] = False
        together[query + 1] = shared
    return several[:shared].copy(), together, found


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
def _together(values: Any, row: Any, weights: Any, nothing: Any, bonus: Any, held: Any, parts: Any) -> Any:
    """The score of a document whose values are ``values[row]``, NaN in the lists that lack it."""
    holders = 0
    for part in range(len(parts)):
        value = values[row, part]
        if value == value:
            parts[part] = value * weights[part]
            holders += 1
        else:
            parts[part] = nothing[part]
    score = _total(parts)
    if holders > 1:
        if bonus:
            score += bonus
        if held:
            score *= holders
    return score


@numba.njit(cache=True, nogil=True)
def _better(
    values: Any, row: Any, docs: Any, start: Any, size: Any, falls: Any, shared: Any, crowd: Any,
    part: Any, weights: Any, nothing: Any, parts: Any, score: Any, doc: Any,
) -> Any:  # fmt: skip
    """How many of the ``size`` documents of a list beat a gold one, without the ``crowd`` that other lists hold too."""
    first, last = 0, size
    while falls and first < last:
        middle = (first + last) >> 1
        if _alone(values[row, middle], part, weights, nothing, parts) > score:
            first = middle + 1
        else:
            last = middle
    better = first
    for place in range(first, size):
        other = _alone(values[row, place], part, weights, nothing, parts)
        if falls and other < score:
            break
        better += other > score or (other == score and docs[start + place] < doc)
    for place in range(crowd):
        if shared[place, part] == shared[place, part]:
            other = _alone(shared[place, part], part, weights, nothing, parts)
            better -= other > score or (other == score and shared[place, len(parts)] < doc)
    return better


@numba.njit(cache=True, nogil=True)
def count(
    values: Any, absent: Any, weights: Any, bonus: Any, held: Any,
    docs: Any, bounds: Any, depths: Any, several: Any, together: Any, gold: Any, missing: int,
) -> Any:  # fmt: skip
    """int32[T, Q, H] gold ranks (``missing`` where the pool lacks the passage), and whether all values are finite.

    A trial with the weights of the one before it differs in its bonus alone, which no document that one list alone
    holds has: what was counted of those stands, and of none a greater bonus makes some. The loops over trials make no
    view of an array: its reference count would cost more than the arithmetic. Places are unsigned where vectors are
    wanted: a signed one may count from the end.
    """
    trials, lists = weights.shape
    queries, hops = gold.shape[:2]
    ranks = np.full((trials, queries, hops), missing, dtype=np.int32)
    parts, nothing, weight = np.empty(lists), np.empty(lists), np.empty(lists)
    most = np.diff(together).max() if queries else 0
    shared, places = np.empty((most, lists + 1)), np.empty((most, lists), dtype=np.int64)
    fused = np.empty(most)
    room = lists * -(-SHORT // LANES) * LANES
    own, names, scores = np.empty(room), np.zeros(room), np.empty(room)
    golden, kept = np.empty((hops, lists)), np.zeros(hops, dtype=np.int64)
    holders, tied = np.empty(hops, dtype=np.int64), np.empty(hops, dtype=np.int64)
    falls, sizes, begins = (
        np.empty(lists, dtype=np.bool_),
        np.empty(lists, dtype=np.int64),
        np.zeros(lists + 1, np.uint64),
    )
    repeats, rewards = np.zeros(trials, dtype=np.bool_), np.zeros(trials, dtype=np.bool_)
    for trial in range(1, trials):
        repeats[trial] = True
        for part in range(lists):
            repeats[trial] &= weights[trial, part] == weights[trial - 1, part]
        rewards[trial] = repeats[trial] and bonus[trial] >= bonus[trial - 1] and held[trial] == held[trial - 1]
    for query in range(queries):
        anything, named = False, False
        holders[:] = 0
        tied[:] = 0
        for part in range(lists):
            row, start = query if len(values[part]) > 1 else 0, bounds[part, query]
            size, listed = max(0, min(bounds[part, query + 1] - start, depths[part])), values[part]
            rises, before, first = 0, np.inf, begins[part]
            if size <= SHORT:
                for place in range(np.uint64(size)):
                    value = listed[row, place]
                    rises += not value <= before
                    own[first + place] = before = value
                begins[part + 1] = first + np.uint64(-(-size // LANES) * LANES)
                for place in range(first + np.uint64(size), begins[part + 1]):
                    own[place] = np.nan
            else:
                for place in range(size):
                    value = listed[row, place]
                    rises += not value <= before
                    before = value
                begins[part + 1] = first
            if size and not (np.isfinite(listed[row, 0]) and np.isfinite(before)):
                return ranks, False
            if rises and not np.isfinite(listed[row, :size]).all():
                return ranks, False
            falls[part], sizes[part] = rises == 0, size
            for hop in range(hops):
                place = gold[query, hop, 1 + part]
                if 0 <= place < size:
                    golden[hop, part] = listed[row, place]
                    holders[hop] += 1
                    tied[hop] += size <= SHORT
                    anything = True
                else:
                    golden[hop, part] = np.nan
        if not anything:
            continue
        crowd = 0
        for other in range(together[query], together[query + 1]):
            there = 0
            for part in range(lists):
                place = several[other, 1 + part]
                if 0 <= place < sizes[part]:
                    shared[crowd, part] = values[part][query if len(values[part]) > 1 else 0, place]
                    places[crowd, part] = np.int64(begins[part]) + place if sizes[part] <= SHORT else -1
                    there += 1
                else:
                    shared[crowd, part], places[crowd, part] = np.nan, -1
            if there > 1:
                shared[crowd, lists] = several[other, 0]
                for part in range(lists):
                    if places[crowd, part] >= 0:
                        own[places[crowd, part]] = np.nan
                crowd += 1
        for trial in range(trials):
            again = repeats[trial]
            if not again:
                for part in range(lists):
                    weight[part] = weights[trial, part]
                    nothing[part] = absent[part, query] * weight[part]
                for part in range(lists):
                    if lists == 2:
                        scale, rest = weight[part], nothing[1 - part]
                        for place in range(begins[part], begins[part + 1]):
                            scores[place] = own[place] * scale + rest
                    else:
                        for place in range(begins[part], begins[part + 1]):
                            scores[place] = _alone(own[place], part, weight, nothing, parts)
            for other in range(crowd):
                fused[other] = _together(shared, other, weight, nothing, bonus[trial], held[trial], parts)
            for hop in range(hops):
                if not holders[hop]:
                    continue
                doc = gold[query, hop, 0]
                score = _together(golden, hop, weight, nothing, bonus[trial], held[trial], parts)
                if not np.isfinite(score):
                    return ranks, False
                if not again or (holders[hop] > 1 and not (rewards[trial] and kept[hop] == 0)):
                    better, least = 0, 0
                    for place in range(begins[lists]):
                        better += scores[place] > score
                        least += scores[place] >= score
                    if least - better > (tied[hop] if holders[hop] == 1 else 0):
                        for part in range(lists if not named else 0):
                            start, documents = np.uint64(bounds[part, query]), docs[part]
                            for place in range(np.uint64(sizes[part] if sizes[part] <= SHORT else 0)):
                                names[begins[part] + place] = documents[start + place]
                        named = True
                        for place in range(begins[lists]):
                            better += (scores[place] == score) & (names[place] < doc)
                    for part in range(lists):
                        if sizes[part] > SHORT:
                            row = query if len(values[part]) > 1 else 0
                            better += _better(values[part], row, docs[part], bounds[part, query], sizes[part],
                                              falls[part], shared, crowd, part, weight, nothing, parts, score,
                                              doc)  # fmt: skip
                    kept[hop] = better
                better = kept[hop]
                for other in range(crowd):
                    better += (fused[other] > score) | ((fused[other] == score) & (shared[other, lists] < doc))
                ranks[trial, query, hop] = 1 + better
    return ranks, True
