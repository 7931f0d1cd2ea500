"""The importance of knobs: how much of the variance of scores lies between a knob's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.core.table import Column, Source, Table, counted, percent
from harness.sweep.folder import BENCHMARK, SweepResult, caption, differing

if TYPE_CHECKING:
    import pandas as pd

OTHERS = 4
"""Number of values that are shown after the best one."""


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

    views = [result.whole for result in results]
    view = views[0]
    if len({(own.data_sha256, own.objective, own.n) for own in views}) > 1:
        return []
    frame = pd.DataFrame(_settings(results))
    scores = pd.Series(
        [own.score(own.rows[place]) for own in views for place in own.fused], dtype=float
    )
    total = float(((scores - scores.mean()) ** 2).sum())
    if not total > 1e-12:
        return []
    last = [str(knob).rpartition(".")[2] for knob in frame]
    rows: list[list[Any]] = []
    for knob, name in zip(frame, last, strict=True):
        fusers = pd.Series("", frame.index) if knob == "fuser" else frame["fuser"]
        if frame[knob].groupby(fusers).nunique().max() < 2:
            continue
        share = _between(frame[knob], fusers, scores) / total
        title = name if last.count(name) == 1 else knob
        rows.append([title, int(frame[knob].notna().sum()), share, *_levels(frame[knob], scores)])
    if not rows:
        return []
    columns = [
        Column("knob", "text"),
        Column("trials", "count"),
        Column("share %"),
        Column("best value", "text"),
        Column("points behind it", "text"),
    ]
    note = (
        f"Share: eta squared, the part of the variance of {view.objective} over the "
        f"{counted(len(scores), 'fusion')} that lies between the values of the knob: of fuser "
        "among all, of another knob among the trials of each fuser that has it. A knob that the "
        "fuser decides is left out. Behind: how many points the best trial with another value "
        "scores less than the best trial with the knob."
    )
    several = len(results) > 1
    over = f" over {counted(len(results), 'sweep')}" if several else ""
    title = f"The share of each knob{over} on {view.half}"
    source = Source() if several else caption.source(view)
    rows.sort(key=lambda row: -row[2])
    return [Table("knobs", title, columns, rows, source, [note])]


def _settings(results: Sequence[SweepResult]) -> list[dict[str, str]]:
    """Return the settings of all fusions as texts, with the typed parameters of their sweeps."""
    found: list[dict[str, str]] = []
    for result, typed in zip(results, differing(results), strict=True):
        given = {key: text or "default" for key, text in typed.items() if key not in BENCHMARK}
        for row in (result.whole.rows[place] for place in result.whole.fused):
            texts = {knob: value_text(value) for knob, value in row["parameters"].items()}
            found.append({**given, **texts})
    return found


def _between(values: pd.Series, fusers: pd.Series, scores: pd.Series) -> float:
    """Return the sum of squares between a knob's values within each fuser."""
    known = values.notna()
    fusers, scores = fusers[known], scores[known]
    apart = scores - scores.groupby(fusers).transform("mean")
    cells = apart.groupby([fusers, values[known]])
    return float((cells.size() * cells.mean() ** 2).sum())


def _levels(values: pd.Series, scores: pd.Series) -> tuple[str, str]:
    """Return the best value of a knob, and how far the others are behind it."""
    levels = (
        scores.groupby(values, sort=False)
        .agg(["max", "mean"])
        .sort_values(["max", "mean"], ascending=False)
    )
    best, *others = levels["max"].items()
    behind = [f"{value}: {percent(best[1] - score)}" for value, score in others]
    if len(behind) > OTHERS:
        behind = [*behind[: OTHERS - 1], f"... {behind[-1]}"]
    return str(best[0]), ", ".join(behind)


def value_text(value: Any) -> str:
    """Return a knob's value as in a grid; no cap is ``all``."""
    if isinstance(value, (list, tuple)):
        return "+".join(map(value_text, value))
    if value is None:
        return "all"
    return f"{value:g}" if isinstance(value, float) else str(value)
