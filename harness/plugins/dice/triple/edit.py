"""Levenshtein's and Jaro-Winkler's similarities, which the Dice-Sorensen hybrid compares (4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.core.configuration.extras import need

EDITS: Mapping[str, str] = {"levenshtein": "Levenshtein", "jaro_winkler": "JaroWinkler"}
"""Modules of ``rapidfuzz.distance`` by name."""


@dataclass(frozen=True, eq=False)
class EditLabels:
    """Labels in lower case, as the paper's query; each similarity is in [0, 1].

    - levenshtein: 1 - edits / length of the longer text, as ``apoc.text.levenshteinSimilarity``.
    - jaro_winkler: Jaro's; above .7, plus a tenth of the rest for each of up to four equal first
      letters.
    """

    texts: Sequence[str]
    kind: str

    @classmethod
    def of(cls, texts: Sequence[str], kind: str) -> EditLabels:
        """Return the labels of texts. ``kind`` is a key of ``EDITS``. Raise HarnessError without
        rapidfuzz.
        """
        need("rapidfuzz", f"lists.NAME.similarity={kind}", "sweep")
        return cls([text.lower() for text in texts], kind)

    def scores(self, question: str, rows: Int64Array, table: Int64Array) -> Float64Array:
        """Return float64[N], a question's mean similarity with the labels of the rows of int64[T,
        3].
        """
        from rapidfuzz import distance, process

        labels, place = np.unique(table[rows], return_inverse=True)
        scorer = getattr(distance, EDITS[self.kind]).normalized_similarity
        wanted = [self.texts[label] for label in labels.tolist()]
        values = process.cdist([question.lower()], wanted, scorer=scorer, dtype=np.float64)[0]
        parts = values[place.reshape(-1, 3)]
        return np.asarray((parts[:, 0] + parts[:, 1] + parts[:, 2]) / 3.0)
