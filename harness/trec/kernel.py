"""Reading plain lines of a TREC run file: the loop over their bytes."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

TENS = 10.0 ** np.arange(23)
"""The powers of ten that 64-bit floats hold exactly."""

EXACT = 1 << 53
"""Below it every whole number is a 64-bit float."""


@numba.njit(cache=True, nogil=True)
def word(data: NDArray[np.uint8], at: int) -> int:
    """Where the word that begins at ``at`` ends."""
    while at < len(data) and data[at] > 0x20:
        at += 1
    return at


@numba.njit(cache=True, nogil=True)
def gap(data: NDArray[np.uint8], at: int) -> int:
    """Where the spaces and tabs from ``at`` on end."""
    while at < len(data) and (data[at] == 0x20 or data[at] == 0x09):
        at += 1
    return at


@numba.njit(cache=True, nogil=True)
def line_end(data: NDArray[np.uint8], at: int) -> int:
    """Where the next line begins when a line ends at ``at`` (LF, CRLF or the end of the text), else -1."""
    if at == len(data):
        return at
    if data[at] == 0x0D:
        at += 1
    return at + 1 if at < len(data) and data[at] == 0x0A else -1


@numba.njit(cache=True, nogil=True)
def same(data: NDArray[np.uint8], one: int, other: int, length: int) -> bool:
    """Whether two words of one length have the same bytes."""
    place = 0
    while place < length and data[one + place] == data[other + place]:
        place += 1
    return place == length


@numba.njit(cache=True, nogil=True)
def whole_number(data: NDArray[np.uint8], at: int, stop: int) -> tuple[np.int64, bool]:
    """A rank of at most 18 digits, and whether it is one."""
    negative = data[at] == 0x2D
    if negative or data[at] == 0x2B:
        at += 1
    if at == stop or stop - at > 18:
        return np.int64(0), False
    value = np.int64(0)
    for place in range(at, stop):
        digit = np.int64(data[place]) - 0x30
        if digit < 0 or digit > 9:
            return np.int64(0), False
        value = value * 10 + digit
    return -value if negative else value, True


@numba.njit(cache=True, nogil=True)
def real_number(data: NDArray[np.uint8], at: int, stop: int) -> tuple[float, int]:
    """A score, and 1; 0 for one whose digits are too many to be exact here; -1 for what is no finite number."""
    negative = data[at] == 0x2D
    if negative or data[at] == 0x2B:
        at += 1
    mantissa, shift, digits, point = np.int64(0), np.int64(0), 0, False
    exact = True
    while at < stop:
        letter = np.int64(data[at])
        if 0x30 <= letter <= 0x39:
            digits += 1
            if mantissa < EXACT // 16:
                mantissa = mantissa * 10 + (letter - 0x30)
                shift -= point
            else:
                exact = False
        elif letter == 0x2E and not point:
            point = True
        else:
            break
        at += 1
    if digits == 0:
        return 0.0, -1
    if at < stop:
        if data[at] | 0x20 != 0x65 or at + 1 == stop:
            return 0.0, -1
        exponent, good = whole_number(data, at + 1, stop)
        if not good or abs(exponent) > 400:
            return 0.0, -1
        shift += exponent
    if not exact or abs(shift) > 22:
        return 0.0, 0
    value = np.float64(mantissa)
    value = value * TENS[shift] if shift >= 0 else value / TENS[-shift]
    return -value if negative else value, 1


@numba.njit(cache=True, nogil=True)
def scan(
    data: NDArray[np.uint8],
    queries: NDArray[np.int32],
    rows: NDArray[np.int32],
    offsets: NDArray[np.int32],
    docs: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    scores: NDArray[np.float64],
    long: NDArray[np.int32],
    starts: NDArray[np.int32],
    digits: NDArray[np.uint8],
) -> tuple[int, int, int, int]:
    """How many entries, blocks of one query, long scores and lines a text has; -1 entries: a line is not plain.

    queries: int32[L, 2], where each block's query id begins and ends.    rows: int32[L], the block of each entry.
    offsets: int32[L + 1] and docs: uint8, the document ids as Arrow keeps them.    ranks, scores: of each entry.
    long: int32[L], entries whose score is left to a parser of more digits.    starts, digits: these scores, as docs.
    L: at least the number of entries and 1 more.
    """
    entries = blocks = many = filled = lines = at = 0
    offsets[0] = starts[0] = 0
    while True:
        at = gap(data, at)
        if at == len(data):
            return entries, blocks, many, lines
        begin, at = at, word(data, at)
        if begin == at:
            at = line_end(data, at)
            if at < 0:
                return -1, 0, 0, 0
            lines += 1
            continue
        length = at - begin
        last = queries[blocks - 1] if blocks else queries[0]
        if blocks == 0 or last[1] - last[0] != length or not same(data, begin, last[0], length):
            queries[blocks, 0], queries[blocks, 1] = begin, at
            blocks += 1
        rows[entries] = blocks - 1
        begin = gap(data, at)
        at = word(data, begin)
        doc = gap(data, at)
        at = word(data, doc)
        for place in range(doc, at):
            docs[filled] = data[place]
            filled += 1
        offsets[entries + 1] = filled
        rank = gap(data, at)
        at = word(data, rank)
        if rank == at:
            return -1, 0, 0, 0
        ranks[entries], good = whole_number(data, rank, at)
        score = gap(data, at)
        at = word(data, score)
        if not good or score == at:
            return -1, 0, 0, 0
        scores[entries], sure = real_number(data, score, at)
        if sure < 0:
            return -1, 0, 0, 0
        if sure == 0:
            begin = starts[many]
            for place in range(score + (data[score] == 0x2B), at):
                digits[begin] = data[place]
                begin += 1
            long[many] = entries
            many += 1
            starts[many] = begin
        tag = gap(data, at)
        at = word(data, tag)
        if tag == at:
            return -1, 0, 0, 0
        at = line_end(data, gap(data, at))
        if at < 0:
            return -1, 0, 0, 0
        entries += 1
        lines += 1


@numba.njit(cache=True, nogil=True)
def put(line: NDArray[np.uint8], at: int, offsets: NDArray[np.int32], letters: NDArray[np.uint8], number: int) -> int:
    """Write one of Arrow's texts and a space to ``line`` from ``at`` on; where they end."""
    for place in range(offsets[number], offsets[number + 1]):
        line[at] = letters[place]
        at += 1
    line[at] = 0x20
    return at + 1


@numba.njit(cache=True, nogil=True)
def put_number(line: NDArray[np.uint8], at: int, value: int) -> int:
    """Write a number of at least 1 and a space to ``line`` from ``at`` on; where they end."""
    size, rest = 1, value // 10
    while rest:
        size += 1
        rest //= 10
    for place in range(at + size - 1, at - 1, -1):
        line[place] = 0x30 + value % 10
        value //= 10
    line[at + size] = 0x20
    return at + size + 1


@numba.njit(cache=True, nogil=True)
def compose(
    line: NDArray[np.uint8],
    indptr: NDArray[np.int64],
    numbers: NDArray[np.int32],
    queries: tuple[NDArray[np.int32], NDArray[np.uint8]],
    docs: tuple[NDArray[np.int32], NDArray[np.uint8]],
    scores: tuple[NDArray[np.int32], NDArray[np.uint8]],
    tag: NDArray[np.uint8],
) -> int:
    """Write the lines of all entries to ``line``, which is long enough; where they end.

    numbers: int32[N], documents.    queries, docs, scores (of each entry): offsets and bytes of texts, as Arrow's.
    """
    at = 0
    for query in range(len(indptr) - 1):
        for entry in range(indptr[query], indptr[query + 1]):
            at = put(line, at, queries[0], queries[1], query)
            line[at], line[at + 1], line[at + 2] = 0x51, 0x30, 0x20
            at = put(line, at + 3, docs[0], docs[1], numbers[entry])
            at = put_number(line, at, entry - indptr[query] + 1)
            at = put(line, at, scores[0], scores[1], entry)
            for letter in tag:
                line[at] = letter
                at += 1
    return at
