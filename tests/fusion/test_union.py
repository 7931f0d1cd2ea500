"""The union of lists against Python's sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.fusion.pool import union

LISTS = st.lists(st.lists(st.lists(st.integers(0, 2**31 - 1) | st.integers(0, 9), unique=True), min_size=3, max_size=3), min_size=1, max_size=3)  # fmt: skip


@given(LISTS)
def test_documents_ascend_and_every_entry_is_found(lists) -> None:
    indptrs = [np.cumsum([0, *map(len, queries)]).astype(np.int64) for queries in lists]
    docs = [np.array([doc for own in queries for doc in own], dtype=np.int32) for queries in lists]
    table, places = union(indptrs, docs)
    expected = [sorted({doc for queries in lists for doc in queries[query]}) for query in range(3)]
    assert table.shape == (3, max(map(len, expected)))
    for query in range(3):
        width = len(expected[query])
        assert table[query, :width].tolist() == expected[query]
        assert (table[query, width:] == -1).all()
    for part, queries in enumerate(lists):
        found = table.ravel()[places[part]] if len(docs[part]) else docs[part]
        assert found.tolist() == docs[part].tolist()
        rows = [query for query, own in enumerate(queries) for _ in own]
        assert (places[part] // max(table.shape[1], 1)).tolist() == rows
