"""Each lane as NumPy has it, to the bit."""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

import numba
import numpy as np

from harness.retriever.pagerank.lanes import COUNT, distance, keep, load, plus, same, store, times, where


@numba.njit
def operated(rows, weight, out, sums):
    one, two, three = load(rows, 0), load(rows, 1), load(rows, 2)
    store(out, 0, plus(one, weight, two))
    store(out, 1, times(one, two))
    store(out, 2, distance(one, two))
    store(out, 3, where(three, one, two))
    store(out, 4, same(weight))
    keep(plus(plus(same(0.5), 3.0, one), 0.1, two), sums)


def test_every_operation_is_the_lane_s_own() -> None:
    rows = np.random.default_rng(0).standard_normal((3, COUNT)).astype(np.float32)
    rows[2] *= np.arange(COUNT) % 2
    one, two, weight = rows[0], rows[1], np.float32(0.3)
    out, sums = np.empty((5, COUNT), np.float32), np.empty(COUNT)
    operated(rows, weight, out, sums)
    np.testing.assert_array_equal(out[0], one + weight * two)
    np.testing.assert_array_equal(out[1], one * two)
    np.testing.assert_array_equal(out[2], np.abs(one - two))
    np.testing.assert_array_equal(out[3], np.where(rows[2] != 0, one, two))
    np.testing.assert_array_equal(out[4], np.full(COUNT, weight))
    wide = rows.astype(np.float64)
    np.testing.assert_array_equal(sums, (0.5 + 3.0 * wide[0]) + 0.1 * wide[1])
