"""Numbers beyond the bounds of this plug-in's strategies."""

import pytest

from harness.core.configuration.conf_files import strategy
from harness.core.errors import HarnessError
from harness.plugins.phasegraph.retriever.part import Part
from harness.retriever.bm25 import BM25

BEYOND = [
    ("fuser", "log_linear", {"alpha": 2}),
    ("fuser", "ot_gaussian", {"alpha": -0.5}),
    ("fuser", "plackett_luce", {"alpha": 1.01, "prior": 0}),
    ("fuser", "power_mean", {"alpha": -1, "r": 0}),
    ("fuser", "quantum", {"theta": 4}),
    ("fuser", "tsallis", {"alpha": 1.5, "beta": -1, "q": 0}),
    ("reranker", "ising", {"J": -1, "T": 0, "blend": 1.5, "m": 0}),
]


@pytest.mark.parametrize(("concept", "name", "fields"), BEYOND)
def test_a_number_beyond_its_bounds_is_named(concept: str, name: str, fields: dict) -> None:
    for field, bad in fields.items():
        with pytest.raises(HarnessError, match=rf"^{concept}\.{field} must be .*got {field}={bad}"):
            strategy(concept, name, **{field: bad})


def test_a_part_is_a_share() -> None:
    with pytest.raises(HarnessError, match=r"\(0.*1\].*share=0"):
        Part(BM25(), 0)
