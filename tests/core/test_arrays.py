"""Sparse matrices and packed arrays of artifacts are held against their form as they are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from harness.core.arrays import (
    arrow,
    check_matrix,
    distinct,
    find,
    read_arrays,
    read_matrix,
    to_numpy,
)
from harness.core.errors import HarnessError
from harness.graph.extractor.extraction import KINDS
from harness.graph.network import Network


def matrix() -> sp.csr_array:
    return sp.csr_array(np.array([[0, 0.5, 0], [1, 0, 2]], dtype=np.float32))


def test_what_was_written(tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "m.npz", matrix(), compressed=False)
    assert (read_matrix(tmp_path / "m.npz", (2, None)).toarray() == matrix().toarray()).all()


@pytest.mark.parametrize(
    ("part", "values", "said"),
    [
        ("indices", [0, 1, 3], "indices"),
        ("indices", [-1, 1, 2], "indices"),
        ("indptr", [0, 3, 1], "indptr|index pointer|length"),
        ("indptr", [1, 2, 3], "index pointer|indptr"),
        ("data", [1, np.nan, 1], "not finite"),
        ("data", [1, np.inf, 1], "not finite"),
    ],
)
def test_a_matrix_that_leads_out_of_itself(part: str, values: list[float], said: str) -> None:
    broken = matrix()
    setattr(broken, part, np.array(values, dtype=getattr(broken, part).dtype))
    with pytest.raises(HarnessError, match=rf"^here.*({said})"):
        check_matrix(broken, "here", (2, 3))


def test_another_shape_and_no_matrix(tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "m.npz", matrix())
    with pytest.raises(HarnessError, match=r"m\.npz:.*\[2.*3\].*\[3"):
        read_matrix(tmp_path / "m.npz", (3, None))
    (tmp_path / "m.npz").write_bytes(b"none")
    for read in (lambda path: read_matrix(path, (2, 3)), read_arrays):
        with pytest.raises(HarnessError, match=r"m\.npz:"):
            read(tmp_path / "m.npz")


def test_the_matrices_of_a_network_fit_its_names(tmp_path: Path) -> None:
    square = sp.csr_array(np.eye(2, dtype=np.float32))
    Network(["a", "b"], matrix(), dict.fromkeys(KINDS, matrix()), square, square).save(tmp_path)
    assert Network.load(tmp_path).names == ["a", "b"]
    sp.save_npz(tmp_path / "relation.npz", sp.csr_array(np.eye(3, dtype=np.float32)))
    with pytest.raises(HarnessError, match=r"relation\.npz:.*\[3.*3\].*\[2.*2\]"):
        Network.load(tmp_path)


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
