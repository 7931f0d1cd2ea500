"""The importance of knobs: how much of the variance of scores lies between a knob's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.core.table import Column, Source, Table, counted
from harness.sweep.folder import BENCHMARK, SweepResult, caption, differing


def knobs(results: Sequence[SweepResult]) -> list[Table]:
    """Return the table of all fusions on tune.

    Args:
        results: one sweep, or several of one benchmark and objective. Typed parameters in which
            they differ, such as encoder, are knobs, too.

    Returns:
        The table; empty if no knob was varied, all scores are equal, or the sweeps have different
        questions or objectives.
    """
    import pandas as pd

    view = results[0].whole
    if len({(one.whole.data_sha256, one.whole.objective, one.whole.n) for one in results}) > 1:
        return []
    settings, values = [], []
    for result, typed in zip(results, differing(results), strict=True):
        given = {key: text or "default" for key, text in typed.items() if key not in BENCHMARK}
        for row in (result.whole.rows[place] for place in result.whole.fused):
            texts = {knob: value_text(value) for knob, value in row["parameters"].items()}
            settings.append({**given, **texts})
            values.append(result.whole.score(row))
    frame, scores = pd.DataFrame(settings), pd.Series(values, dtype=float)
    total = ((scores - scores.mean()) ** 2).sum()
    rows: list[list[Any]] = []
    for knob in frame if total > 1e-12 else ():
        fusers = "" if knob == "fuser" else frame["fuser"]
        own = pd.DataFrame({"fuser": fusers, "value": frame[knob], "score": scores}).dropna()
        groups = own.groupby("fuser")
        if groups["value"].nunique().max() < 2:
            continue
        own["score"] -= groups["score"].transform("mean")
        cells = own.groupby(["fuser", "value"])["score"]
        between = (cells.size() * cells.mean() ** 2).sum()
        rows.append([knob, len(own), float(between / total)])
    note = (
        f"Share: eta squared, the part of the variance of {view.objective} over the "
        f"{counted(len(scores), 'fusion')} that lies between the values of the knob: of fuser "
        "among all, of another knob among the trials of each fuser that has it. A knob that the "
        "fuser decides is left out."
    )
    several = len(results) > 1
    over = f" over {counted(len(results), 'sweep')}" if several else ""
    title = f"The share of each knob{over} on {view.half}"
    source = Source() if several else caption.source(view)
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
