"""The loops of ``harness.metric.additive``. No fast-math: every score has the bits of the straightforward path."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

SHORT = 96
"""A list with at most so many documents of its own is scored whole, without branches; a longer one is searched."""


@numba.njit(cache=True, nogil=True)
def arrange(docs: Any, bounds: Any, size: int, gold: Any) -> Any:
    """``Layout``'s lone, alone, several, together and gold, of lists docs[l][bounds[l, q]:bounds[l, q + 1]]."""
    lists, queries = bounds.shape[0], bounds.shape[1] - 1
    places = np.full((size, lists), -1, dtype=np.int32)
    lone = [np.empty((len(own), 2), dtype=np.int32) for own in docs]
    alone = np.zeros((lists, queries), dtype=np.int64)
    entries, longest = 0, 0
    for own in docs:
        entries += len(own)
        longest = max(longest, len(own))
    several = np.empty((entries - longest if lists else 0, 1 + lists), dtype=np.int32)
    together = np.zeros(queries + 1, dtype=np.int64)
    found = np.full((queries, gold.shape[1], 1 + lists), -1, dtype=np.int32)
    shared = 0
    for query in range(queries):
        for part in range(lists):
            start = bounds[part, query]
            for entry in range(start, bounds[part, query + 1]):
                places[docs[part][entry], part] = entry - start
        for hop in range(gold.shape[1]):
            doc = gold[query, hop]
            found[query, hop, 0] = doc
            if 0 <= doc < size:
                found[query, hop, 1:] = places[doc]
        for part in range(lists):
            start = bounds[part, query]
            for entry in range(start, bounds[part, query + 1]):
                doc = docs[part][entry]
                holders, first = 0, lists
                for other in range(lists):
                    if places[doc, other] >= 0:
                        holders += 1
                        first = min(first, other)
                if holders == 1:
                    lone[part][start + alone[part, query], 0] = entry - start
                    lone[part][start + alone[part, query], 1] = doc
                    alone[part, query] += 1
                elif first == part:
                    several[shared, 0] = doc
                    several[shared, 1:] = places[doc]
                    shared += 1
        together[query + 1] = shared
        for part in range(lists):
            for entry in range(bounds[part, query], bounds[part, query + 1]):
                places[docs[part][entry], part] = -1
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
    values: Any, query: Any, lone: Any, start: Any, size: Any, falls: Any, part: Any, weights: Any, nothing: Any,
    parts: Any, score: Any, doc: Any,
) -> Any:  # fmt: skip
    """How many of the ``size`` documents that one list alone holds, in ``lone`` from ``start``, beat a gold one."""
    row = query if len(values) > 1 else 0
    first, last = 0, size
    while falls and first < last:
        middle = (first + last) >> 1
        if _alone(values[row, lone[start + middle, 0]], part, weights, nothing, parts) > score:
            first = middle + 1
        else:
            last = middle
    better = first
    for place in range(start + first, start + size):
        other = _alone(values[row, lone[place, 0]], part, weights, nothing, parts)
        if falls and other < score:
            break
        better += other > score or (other == score and lone[place, 1] < doc)
    return better


@numba.njit(cache=True, nogil=True)
def count(
    values: Any, absent: Any, weights: Any, bonus: Any, held: Any,
    bounds: Any, lone: Any, alone: Any, several: Any, together: Any, gold: Any, missing: int,
) -> Any:  # fmt: skip
    """int32[T, Q, H] gold ranks (``missing`` where the pool lacks the passage), and whether all values are finite.

    The loops over trials make no view of an array: its reference count would cost more than the arithmetic.
    """
    trials, lists = weights.shape
    queries, hops = gold.shape[:2]
    ranks = np.full((trials, queries, hops), missing, dtype=np.int32)
    parts, nothing, weight = np.empty(lists), np.empty(lists), np.empty(lists)
    crowd = np.diff(together).max() if queries else 0
    own, shared = np.empty((lists, SHORT)), np.empty((crowd, lists))
    scores = np.empty(crowd + lists * SHORT)
    docs = np.empty(len(scores), dtype=np.int32)
    golden = np.empty((hops, lists))
    there, falls = np.empty(hops, dtype=np.bool_), np.empty(lists, dtype=np.bool_)
    for query in range(queries):
        size = together[query + 1] - together[query]
        filled = size
        there[:] = False
        for other in range(size):
            docs[other] = several[together[query] + other, 0]
        for part in range(lists):
            row = values[part][query if len(values[part]) > 1 else 0]
            length = bounds[part, query + 1] - bounds[part, query]
            rises, broken = 0, 0
            for place in range(length):
                broken += not np.isfinite(row[place])
            for place in range(1, length):
                rises += row[place] > row[place - 1]
            if broken:
                return ranks, False
            falls[part] = rises == 0
            for hop in range(hops):
                place = gold[query, hop, 1 + part]
                there[hop] |= place >= 0
                golden[hop, part] = np.nan if place < 0 else row[place]
            for other in range(size):
                place = several[together[query] + other, 1 + part]
                shared[other, part] = np.nan if place < 0 else row[place]
            start, number, single = bounds[part, query], alone[part, query], lone[part]
            if number <= SHORT:
                for place in range(number):
                    own[part, place] = row[single[start + place, 0]]
                    docs[filled + place] = single[start + place, 1]
                filled += number
        if not there.any():
            continue
        for trial in range(trials):
            for part in range(lists):
                weight[part] = weights[trial, part]
                nothing[part] = absent[part, query] * weight[part]
            for other in range(size):
                scores[other] = _together(shared, other, weight, nothing, bonus[trial], held[trial], parts)
            filled = size
            for part in range(lists):
                number = alone[part, query]
                if number > SHORT:
                    continue
                if lists == 2:
                    scale, rest = weight[part], nothing[1 - part]
                    for place in range(number):
                        scores[filled + place] = own[part, place] * scale + rest
                else:
                    for place in range(number):
                        scores[filled + place] = _alone(own[part, place], part, weight, nothing, parts)
                filled += number
            for hop in range(hops):
                if not there[hop]:
                    continue
                doc = gold[query, hop, 0]
                score = _together(golden, hop, weight, nothing, bonus[trial], held[trial], parts)
                better = 0
                for other in range(filled):
                    better += (scores[other] > score) | ((scores[other] == score) & (docs[other] < doc))
                for part in range(lists):
                    if alone[part, query] > SHORT:
                        better += _better(values[part], query, lone[part], bounds[part, query], alone[part, query],
                                          falls[part], part, weight, nothing, parts, score, doc)  # fmt: skip
                ranks[trial, query, hop] = 1 + better
    return ranks, True
