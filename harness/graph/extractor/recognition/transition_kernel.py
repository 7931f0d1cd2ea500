"""The inner loops of a transition-based recogniser: a layer of its convolution, and its actions,
token by token.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

BEGIN, IN, LAST, UNIT, OUT = range(5)
"""What an action does: begins an entity, goes on with it, ends it, is one of a single token, is
none.
"""
FAST = {"reassoc", "contract", "nnan"}
SMALL = np.float32(1e-8)
NOTHING = np.float32(-3e38)

Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def windows(x: Float32, out: Float32) -> None:
    """Out float32[N, 3 D]: each row of x float32[N, D] between the one before and the one after;
    zeros at the ends.
    """
    count, width = x.shape
    for i in range(count):
        for k in range(width):
            out[i, k] = x[i - 1, k] if i else np.float32(0)
            out[i, width + k] = x[i, k]
            out[i, 2 * width + k] = x[i + 1, k] if i + 1 < count else np.float32(0)


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def add_maxout(y: Float32, bias: Float32, gain: Float32, shift: Float32, x: Float32) -> None:
    """X += gain (m - mean m) / sd m + shift, m the greatest of the three pieces of y + bias,
    float32[N, 3 D].
    """
    count, width = x.shape
    best = np.empty(width, np.float32)
    for i in range(count):
        mean, spread = np.float32(0), np.float32(0)
        for k in range(width):
            a = y[i, k] + bias[k]
            b = y[i, width + k] + bias[width + k]
            c = y[i, 2 * width + k] + bias[2 * width + k]
            best[k] = max(a, max(b, c))
            mean += best[k]
        mean /= np.float32(width)
        for k in range(width):
            spread += (best[k] - mean) * (best[k] - mean)
        scale = np.float32(1) / np.sqrt(spread / np.float32(width) + SMALL)
        for k in range(width):
            x[i, k] += (best[k] - mean) * scale * gain[k] + shift[k]


@numba.njit(cache=True, nogil=True)
def allows(move: int, opened: bool, goes_on: bool, ends: bool, last: bool, space: bool) -> bool:
    """Whether an action may be taken.

    opened: whether an entity is; goes_on, ends: whether the action goes on with it, or ends it.
    last, space: whether the token is its text's last, or white space.
    """
    if opened:
        return ends or (goes_on and not last)
    if move == BEGIN:
        return not (last or space)
    return not space if move == UNIT else move == OUT


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def greatest(
    halves: Float32, one: Float32, other: Float32, bias: Float32, total: Float32, hidden: Float32
) -> None:
    """The hidden numbers float32[H]: the greater halves of the sum, float32[2 H], which ``total``
    is room for.
    """
    for k in range(len(total)):
        total[k] = halves[k] + one[k] + other[k] + bias[k]
    for k in range(len(hidden)):
        hidden[k] = max(total[k], total[len(hidden) + k])


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def choose(
    hidden: Float32,
    weights: Float32,
    base: Float32,
    move: Int64,
    going_on: int,
    ending: int,
    last: bool,
    space: bool,
) -> tuple[int, np.float32]:
    """The best allowed action, and by how much.    going_on, ending: of the open entity, -1 where
    none is.
    """
    best, second, chosen = NOTHING, NOTHING, 0
    for a in range(len(move)):
        if allows(move[a], ending >= 0, a == going_on, a == ending, last, space):
            score = base[a]
            for k in range(len(hidden)):
                score += weights[a, k] * hidden[k]
            if score > best:
                best, second, chosen = score, best, a
            elif score > second:
                second = score
    return chosen, best - second


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def act(
    starts: Int64,
    ends: Int64,
    space: NDArray[np.bool_],
    features: Float32,
    outside: Float32,
    bias: Float32,
    weights: Float32,
    base: Float32,
    move: Int64,
    label: Int64,
    going_on: Int64,
    ending: Int64,
) -> tuple[Int64, Float32]:
    """The best allowed action of each token, given those before it. Texts are rows starts[d] ...
    ends[d] - 1.

    features: float32[N, 3, 2 H], what a token adds as the next one, as the first of the open
    entity, as the one before;
    outside: float32[3, 2 H], the same where there is none. The hidden numbers are the greater
    halves of their sum with bias float32[2 H]; weights float32[A, H] and base float32[A] make the
    actions' scores of them.
    move, label: int64[A], of an action. going_on, ending: int64[labels], the actions for an open
    entity. Returns int64[M, 4]: text, first token and the one after the last, in it, and label; and
    float32[texts], the least difference of the two best scores of a choice in a text.
    """
    half = weights.shape[1]
    total, hidden = np.empty(2 * half, np.float32), np.empty(half, np.float32)
    found, count = np.empty((space.size + 1, 4), np.int64), 0
    gaps = np.empty(len(starts), np.float32)
    for d in range(len(starts)):
        begin, end, first, opened, gap = starts[d], ends[d], 0, -1, -NOTHING
        for t in range(begin, end):
            is_open = opened >= 0
            one = features[first, 1] if is_open else outside[1]
            other = features[t - 1, 2] if is_open else outside[2]
            greatest(features[t, 0], one, other, bias, total, hidden)
            goes_on, ends_it = (going_on[opened], ending[opened]) if is_open else (-1, -1)
            chosen, lead = choose(
                hidden, weights, base, move, goes_on, ends_it, t + 1 == end, space[t]
            )
            gap = min(gap, lead)
            if move[chosen] == BEGIN or move[chosen] == UNIT:
                first, opened = t, label[chosen]
            if move[chosen] == LAST or move[chosen] == UNIT:
                found[count] = d, first - begin, t + 1 - begin, opened
                count, opened = count + 1, -1
        gaps[d] = gap
    return found[:count], gaps
