"""The importance of knobs: how much of the variance of scores lies between a knob's values."""

from __future__ import annotations

from typing import Any

from harness.core.table import Column, Table, counted
from harness.sweep.folder import caption
from harness.sweep.folder.view import View


def knobs(view: View) -> list[Table]:
    """Return the table of all fusions on tune; empty if no knob was varied or all scores are
    equal.
    """
    import pandas as pd

    trials = [view.rows[place] for place in view.fused]
    frame = pd.DataFrame(
        [{knob: value_text(value) for knob, value in row.parameters.items()} for row in trials]
    )
    scores = pd.Series([view.score(row) for row in trials], dtype=float)
    total = ((scores - scores.mean()) ** 2).sum()
    rows: list[list[Any]] = []
    for knob in frame if total > 1e-12 else ():
        fusers = "" if knob == "fuser" else frame["fuser"]
        varied = pd.DataFrame({"fuser": fusers, "value": frame[knob], "score": scores}).dropna()
        groups = varied.groupby("fuser")
        if groups["value"].nunique().max() < 2:
            continue
        varied["score"] -= groups["score"].transform("mean")
        cells = varied.groupby(["fuser", "value"])["score"]
        between = (cells.size() * cells.mean() ** 2).sum()
        rows.append([knob, len(varied), float(between / total)])
    note = (
        f"Share: eta squared, the part of the variance of {view.objective} over the "
        f"{counted(len(scores), 'fusion')} that lies between the values of the knob. For fuser it "
        "is taken over all fusions, for another knob within each fuser that has the knob. A knob "
        "that has one value in each fuser is left out."
    )
    title, source = f"The share of each knob on {view.half}", caption.source(view)
    columns = [Column("knob", "text"), Column("trials", "count"), Column("share %")]
    rows.sort(key=lambda row: -row[2])
    return [Table("knobs", title, columns, rows, source, [note])] if rows else []


def value_text(value: Any) -> str:
    """Return a knob's value as in a grid; no cap is ``all``."""
    if isinstance(value, (list, tuple)):
        return "+".join(map(value_text, value))
    if value is None:
        return "all"
    return f"{value:g}" if isinstance(value, float) else str(value)
