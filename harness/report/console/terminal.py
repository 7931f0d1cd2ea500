"""The output of `harness sweep` and `heldout`: tables of trials, and sentences chosen by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.benchmark.source.card import sample_note
from harness.core.table import Table, counted, fit, paragraph, shown_lines
from harness.evaluation.column import MCNEMAR, SIGN
from harness.evaluation.statement import Sentence, lead, select_texts
from harness.report.console.conclusions import explanations, sentences
from harness.report.console.forecast import forecast_table
from harness.report.display import Display
from harness.report.table import trials
from harness.report.table.main import by_hops
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View

ROWS = 6
"""Number of rows of a short table; more fusers have more rows."""
KNOBS = {
    "alpha=": "alpha: share of the reference list, or of the first of two others",
    "beta=": "beta: bonus for documents of several lists",
    " auto": "auto: temperature from a list's own scores",
    " cap=": "cap=N: only the N best of each list in pool.capped are fused",
}
"""Explanations of words in the names of strategies."""
PAPER = ("strategy", "p")
"""Columns of an experiment's table that only files have, next to intervals."""
ALL = 15
"""Number of trials in a table with explanations."""


def leaderboard(result: SweepResult, explain: bool = False) -> str:
    """Return the trials of a sweep with findings.

    Args:
        result: the sweep.
        explain: whether to show the best trials, every single list and all explanations, rather
            than the few trials that matter.
    """
    view, findings = result.whole, sentences(result, result.tune)
    legend = f"{_won(view)}; {caption.correction(view, view.reference)}"
    if not explain:
        table = trials.leaderboard(result, len(view.rows), "screen")
        places = [int(row[0]) - 1 for row in table.rows]
        return _text([_short(table, view, places), *_published(result)], f"{legend}.", findings)
    table = trials.leaderboard(result, ALL, "explained")
    below = f"{legend}; {_explained(view)}. {table.notes[0]}{_data(view)}"
    tables = [table, by_hops(result.tune, Display()), *explanations(result, result.tune)]
    return _text([*tables, *forecast_table(result), *_published(result)], below, findings)


def heldout(result: SweepResult, explain: bool = False) -> str:
    """Return the locked trials on test with findings.

    Args:
        result: the sweep.
        explain: whether to show all of them, hop counts and all explanations, rather than the few
            trials that matter.
    """
    view, findings = result.locked, sentences(result, result.locked)
    legend = f"{_won(view)}; {caption.correction(view, view.reference)}"
    if not explain:
        table = _short(trials.heldout(result, "screen"), view, view.best_first)
        hidden = len(view.rows) - len(table.rows)
        more = f" explain=true prints {counted(hidden, 'more locked trial')}." if hidden else ""
        return _text([table, *_published(result)], f"{legend}.{more}", findings)
    tables = [trials.heldout(result, "explained"), by_hops(view, Display())]
    tables += [*explanations(result, view), *_published(result)]
    return _text(tables, f"{legend}; {_explained(view)}.{_data(view)}", findings)


def _published(result: SweepResult) -> list[Table]:
    """Return the first table of the sweep's experiment, if it has one, with the names of the
    others.
    """
    if not result.config.get("experiment"):
        return []
    from harness.report.experiment import table_names  # with the code of figures

    if not (names := table_names(result)):
        return []
    others = [f"`harness report table=NAME` prints {', '.join(names[1:])}."] if names[1:] else []
    return [replace(experiment_table(result, names[0]), notes=others)]


def experiment_table(result: SweepResult, name: str) -> Table:
    """Return a table of the sweep's experiment without the columns that are for paper."""
    from harness.report.experiment import build_table

    table = build_table(result, name)
    shown = [
        place
        for place, column in enumerate(table.columns)
        if column.kind != "interval"
        and column.title not in PAPER
        and (column.title != "split" or result.heldout)
    ]
    return table.take(shown)


def _text(tables: Sequence[Table], legend: str, findings: Sequence[Sentence]) -> str:
    """Return what was compared, the tables, what won, and cautions.

    Args:
        tables: the first one has no title; the others have titles and notes.
        legend: printed below the first table.
        findings: all sentences.
    """
    first, *others = tables
    words = "; ".join(text for word, text in KNOBS.items() if word in str(first.rows))
    legends = [legend, f"{words}."] if words else [legend]
    above = [line for text in select_texts(findings, "compared") for line in paragraph(text)]
    below = [line for text in (*legends, *lead(findings)) for line in paragraph(text)]
    for table in others:
        below += ["", *shown_lines(table)[:-1]]
    return "\n".join([*above, "", *fit(first), "", *below])


def _short(table: Table, view: View, places: Sequence[int]) -> Table:
    """Return the winner, the single lists, the best trial of each fuser, and the best others up to
    ``ROWS``.

    Args:
        table: the trials.
        view: the rows of the sweep.
        places: indices of the table's rows in the view.
    """
    wanted = dict.fromkeys([view.best_place, *view.singles.values(), *view.fusers])
    first = [place for place in wanted if place in places]
    others = [place for place in places if place not in first and not view.repeats[place]]
    others.sort(key=lambda place: -view.gain(place))
    chosen = {*first, *others[: max(0, ROWS - len(first))]}
    order = sorted(chosen, key=lambda place: (-view.gain(place), place != view.best_place, place))
    table = table.take(rows=[places.index(place) for place in order])
    return replace(table, marked=frozenset({order.index(view.best_place)}))


def _data(view: View) -> str:
    sample = sample_note(view.dataset)
    return f" Data sha256 {view.data_sha256[:12]}; scores in percent.{sample}"


def _explained(view: View) -> str:
    """Return the sentence that explains p and the columns with a star."""
    star = f"*: against {view.best_single}, the best list on tune"
    return f"{MCNEMAR if view.metric.binary else SIGN}; {star}"


def _won(view: View) -> str:
    """Return the sentence that explains W and L."""
    known = " (GraphWin, GraphLoss)" if trials.counts_graph_wins(view) else ""
    return f"W, L{known}: won, lost against {view.reference}"
