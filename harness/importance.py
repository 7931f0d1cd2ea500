"""Prior importance of documents, from a file: what `pool.importance` names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harness.errors import HarnessError, bounded


def read(path: str | Path) -> dict[str, float]:
    """Importance in [0, 1] by document id, from a JSON object ``{"document": importance, ...}``.

    Raises HarnessError that names the file and the document.
    """
    place = Path(path)
    try:
        found: Any = json.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise HarnessError(f"pool.importance={place}: cannot be read ({error.strerror}); give a JSON file") from error
    except ValueError as error:
        raise HarnessError(f'{place}: broken JSON ({error}); expected {{"document": importance, ...}}') from error
    if not isinstance(found, dict):
        raise HarnessError(f'{place}: expected {{"document": importance, ...}}, found a {type(found).__name__}')
    for name, value in found.items():
        bounded(f"{place}: {name}", value, 0, 1)
    return found


def prior(path: str | Path, doc_ids: pa.StringArray) -> NDArray[np.float64]:
    """float64[D]: the importance of each of these documents, 0 for one that the file does not name.

    Raises HarnessError when it names none of them.
    """
    found = read(path)
    names = doc_ids.to_pylist()
    if not any(name in found for name in names):
        raise HarnessError(f"{path}: names none of the {len(names)} documents; use the ids that the lists use")
    return np.array([found.get(name, 0.0) for name in names], dtype=np.float64)
