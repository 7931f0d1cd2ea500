"""Rows of a sweep's tables: from ``trials.parquet``, or as ``heldout.json`` holds them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def records(trials: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table of trials as ``heldout.json`` has them: overrides and parameters read, null as None."""
    plain = trials.astype(object).where(trials.notna(), None)
    rows = [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]
    return [{**row, **{key: loaded(row[key]) for key in ("overrides", "parameters") if key in row}} for row in rows]


def loaded(value: Any) -> Any:
    """A row's ``parameters`` or ``overrides``: JSON text in ``trials.parquet``, plain in JSON files."""
    return json.loads(value) if isinstance(value, str) else value


def lists_read(row: Mapping[str, Any]) -> list[str]:
    """The lists that a row's strategy reads; none where the row does not say."""
    knobs = row["parameters"]
    return [knobs["fuser.list"]] if knobs.get("fuser") == "single" else list(knobs.get("pool.lists") or ())


def rerun(row: Mapping[str, Any]) -> str:
    """The command that runs a row's trial alone."""
    return f"harness sweep {shlex.join(loaded(row['overrides']))}"
