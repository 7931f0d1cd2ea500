"""Sparse matrices and packed arrays of artifacts are held against their form as they are read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.arrays import arrow, distinct, find, to_numpy


@given(
    st.lists(st.integers(-5, 5) | st.integers(-(2**31), 2**31 - 1)),
    st.sampled_from((np.int32, np.int64)),
)
def test_distinct_numbers_are_numpy_s(values: list[int], kind: type) -> None:
    given_values = np.array(values, kind)
    found = distinct(given_values)
    assert found.dtype == kind
    assert found.tolist() == np.unique(given_values).tolist()


@given(st.lists(st.text(max_size=3)), st.lists(st.text(max_size=3), unique=True))
def test_columns_are_those_of_pyarrow(texts: list[str], among: list[str]) -> None:
    column, places = arrow(texts), np.arange(len(texts))
    assert column.equals(pa.array(texts, pa.string()))
    assert arrow(places).equals(pa.array(places))
    assert arrow(places % 3 == 1).equals(pa.array(places % 3 == 1))
    assert (to_numpy(pa.chunked_array([places, places])) == [*places, *places]).all()
    expected = [among.index(text) if text in among else 9 for text in texts]
    assert find(column, arrow(among), absent=9).tolist() == expected


def test_a_text_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError):
        arrow(["a", 1])  # type: ignore[list-item]
