"""The arrays of a transition-based recogniser: a layer of its convolution, and its actions, which
are taken token by token for many texts at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.core.arrays import BoolArray, Float32Array, Int64Array

BEGIN, IN, LAST, UNIT, OUT = range(5)
"""The kinds of actions: begin an entity, continue it, end it, an entity of one token, no entity."""
SMALL = np.float32(1e-8)

Float32 = Float32Array
Int64 = Int64Array


def windows(x: Float32, out: Float32) -> None:
    """Fill out float32[N, 3 D] with each row of x float32[N, D] between the row before and the row
    after it, with zeros at the ends.
    """
    width = x.shape[1]
    out[:1, :width] = 0
    out[1:, :width] = x[:-1]
    out[:, width : 2 * width] = x
    out[:-1, 2 * width :] = x[1:]
    out[-1:, 2 * width :] = 0


def add_maxout(y: Float32, bias: Float32, gain: Float32, shift: Float32, x: Float32) -> None:
    """Add gain (m - mean m) / sd m + shift to x, where m is the greatest of the three pieces of
    y + bias. y is overwritten.

    Args:
        y: float32[N, 3 D].
        bias: float32[3 D].
        gain: float32[D].
        shift: float32[D].
        x: float32[N, D].
    """
    width = x.shape[1]
    y += bias
    best = np.maximum(y[:, :width], y[:, width : 2 * width])
    np.maximum(best, y[:, 2 * width :], out=best)
    best -= best.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", best, best) / np.float32(width)
    best *= (1 / np.sqrt(variance + SMALL))[:, None]
    best *= gain
    best += shift
    x += best


@dataclass(frozen=True, eq=False)
class Actions:
    """The A actions, and how the scores of a token's actions are computed.

    Attributes:
        outside: float32[3, 2 H], the features of a missing token.
        bias: float32[2 H].
        weights: float32[A, H], from hidden values to scores.
        base: float32[A], added to the scores.
        move: int64[A], the kind of each action, or -1.
        label: int64[A], its label, or -1.
        going_on: int64[labels], the action that continues an entity of each label.
        ending: int64[labels], the action that ends it.
    """

    outside: Float32
    bias: Float32
    weights: Float32
    base: Float32
    move: Int64
    label: Int64
    going_on: Int64
    ending: Int64

    def forbidden(self) -> Float32:
        """Return float32[4 + 2 labels, A]: 0 for an action that may be taken, -inf for another.

        Without an open entity the row is 2 last + space, where last tells whether the token is its
        text's last and space whether it is white space. With one it is 4 + 2 label + last.
        """
        allowed = np.zeros((4 + 2 * len(self.ending), len(self.move)), np.bool_)
        allowed[:4] = self.move == OUT
        allowed[[0, 2]] |= self.move == UNIT
        allowed[0] |= self.move == BEGIN
        opened = np.arange(4, len(allowed), 2)
        allowed[opened, self.ending] = allowed[opened + 1, self.ending] = True
        allowed[opened, self.going_on] = True
        return np.where(allowed, 0, -np.inf).astype(np.float32)

    def take(
        self, starts: Int64, ends: Int64, space: BoolArray, features: Float32
    ) -> tuple[Int64, Float32]:
        """Take the best allowed action of each token, given those before it.

        Args:
            starts: int64[texts], the first row of each text.
            ends: int64[texts], the row after its last one.
            space: bool[N], whether a token is white space.
            features: float32[N, 3, 2 H], what a token adds as the next one, as the first of the
                open entity and as the one before. The hidden values are the greater halves of
                their sum with the bias.

        Returns:
            int64[M, 4], text, first token, the one after the last, and label of each entity, by
            text and token. float32[texts], the least difference between the two best scores of a
            choice in a text.
        """
        lengths = ends - starts
        order = np.argsort(-lengths, kind="stable")
        begin, left = starts[order], lengths[order]
        counts = np.searchsorted(-left, -np.arange(left.max(initial=0)))
        absent = len(features)
        of_first, of_previous = (
            np.concatenate([features[:, place], self.outside[place : place + 1]])
            for place in (1, 2)
        )
        current, forbidden = features[:, 0] + self.bias, self.forbidden()
        weights, half = np.ascontiguousarray(self.weights.T), self.weights.shape[1]
        first, opened = np.zeros(len(starts), np.int64), np.full(len(starts), -1)
        gaps, closed = np.full(len(starts), np.inf, np.float32), []
        for step, count in enumerate(counts.tolist()):
            row, label = begin[:count] + step, opened[:count]
            is_open, last = label >= 0, left[:count] == step + 1
            total = current[row] + of_first[np.where(is_open, first[:count], absent)]
            total += of_previous[np.where(is_open, row - 1, absent)]
            scores = np.maximum(total[:, :half], total[:, half:]) @ weights + self.base
            scores += forbidden[np.where(is_open, 4 + 2 * label + last, 2 * last + space[row])]
            chosen = scores.argmax(axis=1)
            places = np.arange(count)
            best = scores[places, chosen]
            scores[places, chosen] = -np.inf
            np.minimum(gaps[:count], best - scores.max(axis=1), out=gaps[:count])
            kind = self.move[chosen]
            starting = (kind == BEGIN) | (kind == UNIT)
            first[:count][starting] = row[starting]
            label[starting] = self.label[chosen[starting]]
            closing = np.flatnonzero((kind == LAST) | (kind == UNIT))
            if len(closing):
                since = first[closing] - begin[closing]
                after = np.full(len(closing), step + 1)
                closed.append(np.stack([order[closing], since, after, label[closing]], axis=1))
                label[closing] = -1
        entities = np.concatenate([np.empty((0, 4), np.int64), *closed])
        smallest = np.empty_like(gaps)
        smallest[order] = gaps
        return entities[np.lexsort((entities[:, 1], entities[:, 0]))], smallest
