"""What questions and passages say, for strategies that read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from harness.artifacts import Store


@dataclass(frozen=True, eq=False)
class Texts:
    """questions: of Q queries.    passages: of all documents, by number.    store: keeps what a model says of them."""

    questions: Sequence[str]
    passages: Sequence[str]
    store: Store

    def take(self, queries: NDArray[np.int64]) -> Texts:
        """Those of some of the queries."""
        return replace(self, questions=[self.questions[query] for query in queries.tolist()])
