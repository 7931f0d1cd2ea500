"""Data frames of pandas, polars or Arrow, with one row for each entry. None of the libraries is
imported.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from harness.core.errors import HarnessError, described
from harness.run.content import Content
from harness.run.entries import Entries
from harness.run.form.columns import choose_columns, of_rows, of_table

FRAME = "the data frame"
Frame = Any
"""A data frame of pandas, polars or Arrow."""


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame: it has columns, and Arrow can read it."""
    return hasattr(value, "columns") and (
        hasattr(value, "__arrow_c_stream__") or hasattr(value, "iloc")
    )


def entries_of(frame: Frame, content: Content) -> Entries:
    """Return the entries of a data frame with two columns of ids and one of numbers.

    Raises:
        HarnessError: a column is missing or wrong; names the row.
    """
    if not is_frame(frame):
        raise HarnessError(
            f"expected a data frame with the columns {', '.join(content.columns)}, got "
            f"{described(frame)}"
        )
    if hasattr(frame, "iloc"):
        index = {*frame.index.names} - {None, *frame.columns}
        frame = frame.reset_index(list(index)) if index else frame
    of_arrow = isinstance(frame, (pa.Table, pa.RecordBatch))
    columns = frame.column_names if of_arrow else frame.columns
    names = list(map(str, columns))
    wanted = choose_columns(FRAME, names, content)
    places = list(map(names.index, wanted))
    if not hasattr(frame, "iloc"):
        return of_table(FRAME, pa.table(frame).select(places), content)
    chosen = frame.iloc[:, places]
    try:
        table = pa.Table.from_pandas(chosen, preserve_index=False).rename_columns(wanted)
    except (pa.ArrowException, OverflowError):  # a column of mixed values
        return of_rows(
            f"{FRAME}: row ",
            wanted,
            enumerate(chosen.itertuples(index=False, name=None), 1),
            content,
        )
    return of_table(FRAME, table, content)
