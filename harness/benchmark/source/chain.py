"""Which questions have a chain as their gold, so that they have a last hop in the strict sense.

In a folder of a user's own, and in `harness evaluate` and `compare`, only these count in last_hop.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.benchmark.source.records import Record
from harness.core.errors import HarnessError, nearest

Chain = str | Mapping[str, Sequence[str]]
"""``all``, ``none``, or for each field the values that mean a chain: ``{type: [compositional, inference]}``."""


def check_chain(name: str, chain: Chain) -> None:
    """Raise unless ``chain`` is a rule; ``name`` is the knob as it is typed."""
    if isinstance(chain, str) and chain in ("all", "none"):
        return
    lists = chain.values() if isinstance(chain, Mapping) else [None]
    if not all(isinstance(values, Sequence) and not isinstance(values, str) for values in lists):
        raise HarnessError(f"{name} must be all, none, or a mapping of a field to a list of values, got {chain!r}")


def chains(chain: Chain, queries: Iterable[Record]) -> NDArray[np.bool_]:
    """bool[Q]: whether the gold of each query is a chain. Raises HarnessError for a field that no query has."""
    rows = list(queries)
    if isinstance(chain, str):
        return np.full(len(rows), chain == "all")
    for key in chain:
        if not any(key in row for row in rows):
            known = list(rows[0]) if rows else []
            raise HarnessError(f"dataset.chain names {key}, a field that no query has{nearest(key, known)}")
    return np.array([all(row.get(key) in values for key, values in chain.items()) for row in rows], np.bool_)


def with_chain(benchmark: Benchmark, chain: Chain) -> Benchmark:
    """The benchmark where only the queries of this rule have a known hop order."""
    rows = ({**row, **json.loads(row["extra"])} for row in benchmark.queries)
    return benchmark.without_order(~chains(chain, rows))
