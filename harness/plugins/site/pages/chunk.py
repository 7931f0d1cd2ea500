"""Data files that a page can read from disk: scripts that pass JSON in a string to the page's
``put``.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core import escape
from harness.core.arrays import Float64Array, Int32Array
from harness.core.files import write_text
from harness.core.table import Table, sort_key
from harness.evaluation.metric import ABSENT
from harness.report.display import Display

Content = dict[str, object]
"""An object of the site's data, as its pages read it."""
SIZES: Mapping[int, Any] = {1: np.uint8, 2: np.dtype("<u2"), 4: np.dtype("<u4")}
"""Types of numbers that a script reads, by their bytes."""


class Chunks:
    """The files below a site's ``data`` folder. Files of an earlier site that are not written are
    removed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, None] = {}

    def put(self, name: str, content: Any) -> None:
        """Write ``<name>.js``; the page gets ``content`` by ``load(name)``."""
        text = json.dumps(
            json_value(content), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        write_text(self.folder / f"{name}.js", f"put({json.dumps(name)},{json.dumps(text)});\n")
        self.keep(f"{name}.js")

    def keep(self, name: str) -> None:
        """Record that a file below the folder belongs to the site."""
        self.files[name] = None

    def remove_others(self) -> None:
        """Remove the files that do not belong to the site, and empty folders."""
        written = {self.folder / name for name in self.files}
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in written:
                path.unlink()


def json_value(value: Any) -> Any:
    """Return the value for JSON: text without invisible characters, no NaN."""
    if isinstance(value, str):
        return value if value.isprintable() else escape.terminal(value)
    if isinstance(value, Mapping):
        return {json_value(str(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def packed(values: NDArray[Any], largest: int) -> Content:
    """Return whole numbers of 0 to ``largest`` as base64, with the fewest bytes that hold them."""
    size = next(size for size in SIZES if largest < 1 << 8 * size)
    return {"bytes": size, "data": base64.b64encode(values.astype(SIZES[size]).tobytes()).decode()}


def packed_ranks(ranks: Int32Array) -> Content:
    """Return gold ranks as base64; ``absent`` and ``none`` are the two numbers above the greatest
    rank.
    """
    held = (ranks != ABSENT) & (ranks > 0)
    greatest = int(ranks[held].max(initial=0))
    absent, none = greatest + 1, greatest + 2
    coded = np.where(held, ranks, np.where(ranks == ABSENT, absent, none))
    return {**packed(coded, none), "absent": absent, "none": none}


def packed_scores(scores: Float64Array) -> Content:
    """Return each query's score as base64, by its place among the distinct ``levels``,
    ascending.
    """
    levels, places = np.unique(scores, return_inverse=True)
    return {
        **packed(places.reshape(scores.shape), max(len(levels) - 1, 0)),
        "levels": levels.tolist(),
    }


def table(shown: Table, display: Display) -> Content:
    """Return a table with the names of conf/display and its columns' sort keys."""
    rows, keys = shown.cells(), [list(map(sort_key, row)) for row in shown.rows]
    for place, column in enumerate(shown.columns):
        if column.kind == "text":
            for row, key in zip(rows, keys, strict=True):
                row[place], key[place] = display.cell(row[place]), None
    return {
        "name": shown.name,
        "title": display.text(shown.title),
        "of": display.text(shown.source.extent),
        "caption": display.text(" ".join([*shown.notes, *shown.source.notes])),
        "columns": [
            {"title": display.text(column.title), "kind": column.kind} for column in shown.columns
        ],
        "rows": rows,
        "keys": keys,
        "marked": sorted(shown.marked),
    }
