"""Prior importance of documents from a file, the value of `pool.importance`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from harness.core.arrays import Float64Array
from harness.core.errors import HarnessError, bounded, described
from harness.core.input.read import read_json

FORM = '{"document": importance, ...}'


def read_importance(path: str | Path) -> dict[str, float]:
    """Return importance in [0, 1] by document id, from a JSON object ``{"document": importance,
    ...}``.

    Raises HarnessError that names the file and the document.
    """
    place = Path(path)
    importance: dict[str, float] = read_json(place, FORM)
    _check(importance, str(place))
    return importance


def _check(importance: object, source: str) -> None:
    if not isinstance(importance, Mapping):
        raise HarnessError(f"{source}: expected {FORM}, got {described(importance)}")
    for name, value in importance.items():
        bounded(f"{source}: {name}", value, 0, 1)


def prior(path: str | Path, doc_ids: pa.StringArray) -> Float64Array:
    """Return float64[D], the importance of these documents in a file; raise HarnessError if it has
    none.
    """
    return prior_of(read_importance(path), doc_ids, str(path))


def prior_of(
    importance: Mapping[str, float], doc_ids: pa.StringArray, source: str = "importance"
) -> Float64Array:
    """Return float64[D], the importance in [0, 1] of each document by id, 0 if it is not given.

    Raises HarnessError, with ``source``, if no document is given.
    """
    _check(importance, source)
    ids = doc_ids.to_pylist()
    if not any(name in importance for name in ids):
        raise HarnessError(
            f"{source}: names none of the {len(ids)} documents; use the ids that the lists use"
        )
    return np.array([importance.get(name, 0.0) for name in ids], dtype=np.float64)
