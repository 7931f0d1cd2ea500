import numpy as np
import pytest
import scipy.sparse as sp

from harness.core.errors import HarnessError
from harness.graph import Network
from harness.graph.extractor.extraction import KINDS
from harness.retriever.walk import Walk, normalize_rows


def network() -> Network:
    """Entities a, b, c; passages 0 (titled a, mentions b as a title, c as an entity) and 1 (titled
    b, mentions c).
    """
    empty = sp.csr_array((3, 2), dtype=np.float32)
    context = dict.fromkeys(KINDS, empty)
    context["title"] = sp.csr_array(np.array([[0, 0], [3, 0], [0, 0]], dtype=np.float32))
    context["entity"] = sp.csr_array(np.array([[0, 0], [0, 0], [1, 1]], dtype=np.float32))
    about = sp.csr_array(np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32))
    synonym = sp.csr_array(np.array([[0, 0.9, 0], [0.9, 0, 0], [0, 0, 0]], dtype=np.float32))
    return Network(["a", "b", "c"], about, context, sp.csr_array((3, 3), dtype=np.float32), synonym)


def test_transition_worked_by_hand() -> None:
    """0 mentions b (1 x 1/1) and c (.5 x 1/2): 4/5 and 1/5. b leads to 1 (about 1), 0 (back .25), a
    (synonym .75).
    """
    walk = Walk(title=1, entity=0.5, specificity=1, about=1, back=0.25, synonym=0.75)
    expected = [
        [0, 0.75 / 1.75, 0, 1 / 1.75, 0],
        [0.75 / 2, 0, 0, 0.25 / 2, 1 / 2],
        [0, 0, 0, 1 / 2, 1 / 2],
        [0, 4 / 5, 1 / 5, 0, 0],
        [0, 0, 1, 0, 0],
    ]
    np.testing.assert_allclose(walk.transition(network()).toarray(), expected, rtol=1e-15)


def test_nothing_to_walk_on_is_dangling() -> None:
    walk = Walk(title=0, entity=0, about=1, back=0, synonym=0)
    assert np.diff(walk.transition(network()).indptr).tolist() == [1, 1, 0, 0, 0]


def test_rows_sum_to_one_or_to_nothing() -> None:
    matrix = normalize_rows(sp.csr_array(np.array([[1.0, 3.0], [0.0, 0.0]])))
    assert matrix.toarray().tolist() == [[0.25, 0.75], [0.0, 0.0]]


def test_bounds() -> None:
    with pytest.raises(HarnessError, match=r"lists\.NAME\.walk\.back.*\[0.*back=-1"):
        Walk(back=-1)


def test_a_row_whose_sum_has_no_inverse_is_divided_too() -> None:
    """1 / 5e-324 is infinite."""
    weights = sp.csr_array(
        [[5e-324, 0.0, 0.0], [1.0, 3.0, 0.0], [1e-310, 0.0, 1e-310], [0.0, 0.0, 0.0]]
    )
    assert normalize_rows(weights).toarray().tolist() == [
        [1, 0, 0],
        [0.25, 0.75, 0],
        [0.5, 0, 0.5],
        [0, 0, 0],
    ]
