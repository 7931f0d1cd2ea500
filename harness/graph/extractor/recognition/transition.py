"""spaCy's transition-based recogniser in larger matrix products: several times as fast, with the
same entities.

spaCy computes the vector of each token again, and the scores of actions in products of a few rows.
Here a word's vector is computed once, by spaCy's own layer. The convolution is one product for each
layer and many texts, and the actions of all texts are taken side by side. float32 sums in another
order differ by about 1e-5. A text in which the two best scores of a choice differ by less than
``NEAR`` is left to spaCy itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.core.arrays import Float32Array, Int64Array
from harness.graph.extractor.recognition.transition_actions import (
    BEGIN,
    IN,
    LAST,
    OUT,
    UNIT,
    Actions,
    add_maxout,
    windows,
)

NEAR = 1e-3
"""Difference of two scores below which spaCy decides, a hundred times the error of the sums."""
WORDS = 1 << 17
"""Number of words whose vectors are kept: 50 MB."""
ALIKE = {"NORM", "PREFIX", "SUFFIX", "SHAPE", "LOWER", "ORTH"}
"""Attributes that depend only on a word and its norm."""
MOVES = {"B": BEGIN, "I": IN, "L": LAST, "U": UNIT, "O": OUT}

Float32 = Float32Array
Entities = list[tuple[int, int, str]]
"""First token, the one after the last, and label of each entity."""


@dataclass(frozen=True)
class Layer:
    """x + norm(max of three pieces of window(x) weights + bias): float32[3 D, 3 D], [3 D], [D],
    [D].
    """

    weights: Float32
    bias: Float32
    gain: Float32
    shift: Float32

    @classmethod
    def of(cls, residual: Any) -> Layer:
        """Return the layer of thinc's ``residual(expand_window >> maxout >> layernorm >>
        dropout)``.
        """
        window, rest = residual.layers[0].layers[:2]
        maxout, norm = rest.layers[0].layers
        weights, bias = maxout.get_param("W"), maxout.get_param("b")
        width, pieces, read = weights.shape
        if window.attrs["window_size"] != 1 or (pieces, read) != (3, 3 * width):
            raise ValueError("another window or number of pieces")
        return cls(
            np.ascontiguousarray(weights.transpose(1, 0, 2).reshape(-1, read).T),
            np.ascontiguousarray(bias.T.reshape(-1)),
            norm.get_param("G"),
            norm.get_param("b"),
        )


BUILD = {
    "pipes": ["ner"],
    "layers": ("list2array", "linear", "linear"),
    "features, pieces, beam": (3, 2, 1),
    "other columns": set(),
    "unseen classes": False,
}
"""The build of pipelines that ``Transitions`` supports."""


class Transitions:
    """The recogniser. Its call returns the entities of tokenised documents, or None for one that
    spaCy has to decide.

    Raises:
        ValueError: the pipeline has another build (also the errors of looking for a missing layer).
    """

    def __init__(self, nlp: Any) -> None:
        ner = nlp.get_pipe("ner")
        tokens, lower, upper = ner.model.layers
        encoder, array, linear = tokens.layers
        self.embed, convolution = encoder.layers
        build = {
            "pipes": nlp.pipe_names,
            "layers": (array.name, linear.name, upper.name),
            "features, pieces, beam": (
                lower.get_dim("nF"),
                lower.get_dim("nP"),
                ner.cfg["beam_width"],
            ),
            "other columns": set(self.embed.layers[0].attrs["columns"]) - ALIKE,
            "unseen classes": bool(ner.model.attrs["unseen_classes"]),
        }
        if build != BUILD:
            raise ValueError("another build")
        self.nlp, self.pad = nlp, convolution.attrs["pad"]
        self.layers = [Layer.of(residual) for residual in convolution.layers[0].layers]
        parts = lower.get_param("W")  # feature, hidden, piece, input
        self.features = np.ascontiguousarray(
            parts.transpose(3, 0, 2, 1).reshape(parts.shape[3], -1)
        )
        self.project = np.ascontiguousarray(linear.get_param("W").T)
        self.projected = linear.get_param("b")
        names = [ner.moves.get_class_name(action) for action in range(ner.moves.n_moves)]
        self.labels = sorted({name[2:] for name in names if name[2:]})
        going_on = np.array([names.index(f"I-{label}") for label in self.labels], dtype=np.int64)
        ending = np.array([names.index(f"L-{label}") for label in self.labels], dtype=np.int64)
        self.actions = Actions(
            outside=lower.get_param("pad")[0].transpose(0, 2, 1).reshape(parts.shape[0], -1),
            bias=lower.get_param("b").T.reshape(-1),
            weights=upper.get_param("W"),
            base=upper.get_param("b"),
            move=np.array(
                [MOVES.get(name[0], -1) if name == "O" or name[2:] else -1 for name in names]
            ),
            label=np.array([self.labels.index(name[2:]) if name[2:] else -1 for name in names]),
            going_on=going_on,
            ending=ending,
        )
        self.known: dict[tuple[int, int], int] = {}
        self.vectors = np.empty((WORDS, len(self.project)), np.float32)
        self.spaces = np.empty(WORDS, np.bool_)

    @classmethod
    def of(cls, nlp: Any) -> Transitions | None:
        """Return the recogniser of a pipeline, or None if it has another build."""
        try:
            return cls(nlp)
        except (AttributeError, LookupError, TypeError, ValueError):
            return None

    def __call__(self, documents: Sequence[Any]) -> list[Entities | None]:
        """Return the entities of each document in order, or None if two scores are too close."""
        lengths = np.array([len(document) for document in documents], dtype=np.int64)
        if not lengths.any():
            return [[] for _ in documents]
        words = self._words(documents)
        taken = np.where(lengths > 0, lengths + self.pad, 0)
        starts = self.pad + np.cumsum(taken) - taken
        rows = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(len(words))
        size = int(rows[-1]) + 1 + self.pad
        x, space = np.zeros((size, self.vectors.shape[1]), np.float32), np.zeros(size, np.bool_)
        x[rows], space[rows] = self.vectors[words], self.spaces[words]
        window = np.empty((size, 3 * x.shape[1]), np.float32)
        for layer in self.layers:
            windows(x, window)
            add_maxout(window @ layer.weights, layer.bias, layer.gain, layer.shift, x)
        features = ((x @ self.project + self.projected) @ self.features).reshape(
            size, *self.actions.outside.shape
        )
        entity_rows, gaps = self.actions.take(starts, starts + lengths, space, features)
        entities: list[Entities | None] = [None if gap < NEAR else [] for gap in gaps.tolist()]
        for text, first, after, label in entity_rows.tolist():
            if (of_document := entities[text]) is not None:
                of_document.append((first, after, self.labels[label]))
        return entities

    def _words(self, documents: Sequence[Any]) -> Int64Array:
        """Return the rows of ``vectors`` of all tokens. New words are added."""
        from spacy.attrs import NORM, ORTH

        attributes = np.concatenate(
            [document.to_array([ORTH, NORM]).reshape(-1, 2) for document in documents]
        )
        pairs = (
            np.ascontiguousarray(attributes, dtype=np.uint64)
            .view([("word", np.uint64), ("norm", np.uint64)])
            .ravel()
        )
        distinct, place = np.unique(pairs, return_inverse=True)
        words: list[tuple[int, int]] = distinct.tolist()
        fresh = [word for word in words if word not in self.known]
        if len(self.known) + len(fresh) > len(self.spaces):
            self.known.clear()
            fresh = words
            if len(words) > len(self.spaces):
                self.vectors = np.empty((len(words), self.vectors.shape[1]), np.float32)
                self.spaces = np.empty(len(words), np.bool_)
        if fresh:
            self._add(fresh)
        return np.array([self.known[word] for word in words], dtype=np.int64)[place.ravel()]

    def _add(self, fresh: Sequence[tuple[int, int]]) -> None:
        from spacy.tokens import Doc

        strings = self.nlp.vocab.strings
        document = Doc(self.nlp.vocab, words=[strings[word] for word, _ in fresh])
        for token, (_, norm) in zip(document, fresh, strict=True):
            if token.norm != norm:
                token.norm_ = strings[norm]
        rows = slice(len(self.known), len(self.known) + len(fresh))
        self.vectors[rows] = self.embed.predict([document])[0]
        self.spaces[rows] = [token.is_space for token in document]
        self.known.update(zip(fresh, range(rows.start, rows.stop), strict=True))
