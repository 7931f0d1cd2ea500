"""What `harness sweep` and `heldout` print: a table of the trials that matter, and sentences,
chosen by kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.benchmark.source import sample_note
from harness.core.table import Column, Source, Table, counted, fit, paragraph, shown_lines
from harness.evaluation.conclusion import Kind, Sentence, by_topic, select_texts
from harness.report.console.conclusions import sentences
from harness.report.table import tables
from harness.report.table.knobs import knobs
from harness.sweep.folder import SweepResult, View

ROWS = 6
"""Rows of a short table."""
FIRST = 2
"""Metrics in front of W and L; the others of the configuration follow."""
ALL = 15
"""Trials of a table that explains."""


def leaderboard(result: SweepResult, explain: bool = False) -> str:
    """The trials of a sweep: the ones that matter; with explain the best, every single list, and
    how sure it is.
    """
    view, said = result.whole, sentences(result, result.tune)
    table = tables.leaderboard(result, ALL if explain else len(view.rows))
    first, others = _scores(table)
    judged = counted(sum(row["p"] is not None for row in view.rows), "comparison")
    legend = f"{_won(view)}; Holm p{view.deciding}: over {judged}"
    if explain:
        told = f"{legend}; p: raw, exact McNemar by question.{_copies(view)}{_data(view)}"
        table = table.select(["rank", "strategy", *first, *_counts(table), "p", "Holm p", *others])
        lines = [line for one in knobs(view) for line in shown_lines(replace(one, source=Source()))]
        return "\n".join(
            [_text(table, others, told, said, "explanation", "forecast"), "", *lines]
        ).rstrip("\n")
    table = table.select(["rank", "strategy", *first, *_counts(table), "Holm p", *others])
    places = [int(row[0]) - 1 for row in table.rows]
    copies = (
        " Trials that rank all gold passages as one above them are not shown."
        if any(view.copies)
        else ""
    )
    told = f"in percent; >: the winner; {legend}.{copies}"
    return _text(_short(table, view, places), others, told, said)


def heldout(result: SweepResult, explain: bool = False) -> str:
    """The locked trials on test: the ones that matter; with explain all, and against the best
    single list of tune.
    """
    view, table, said = result.locked, tables.heldout(result), sentences(result, result.locked)
    trials = counted(len(view.rows), "locked trial")
    legend = f"{_won(view)}; Holm p{view.deciding}: over the {trials}{view.charge}"
    first, others = _scores(table)
    shown = ["strategy", *first, f"95% of {view.objective}", *_counts(table)]
    if explain:
        best = view.best_single
        told = (
            f"{legend}; p: raw, exact McNemar by question; *: against {best}, the best single "
            "list on tune."
        )
        table = table.select([*shown, "p", "Holm p", "W*", "L*", "Holm p*", *others])
        return _text(table, others, f"{told}{_data(view)}", said, "explanation")
    table = table.select([*shown, "Holm p", *others])
    return _text(
        _short(table, view, view.best_first), others, f"in percent; >: the winner; {legend}.", said
    )


def _text(
    table: Table, others: Sequence[str], legend: str, said: Sequence[Sentence], *explained: Kind
) -> str:
    """What was compared, the table, what won and what may not hold; then the paragraphs that
    explain.

    others: columns of the table that stand below it, a line each.
    """
    lead = [
        *select_texts(said, "verdict", "expectation", "addition"),
        *(f"caution: {one}" for one in select_texts(said, "caveat")),
    ]
    more = [
        ["", *paragraph(f"{topic}: {text}")] for topic, text in by_topic(said, *explained).items()
    ]
    above = [line for text in select_texts(said, "compared") for line in paragraph(text)]
    below = [line for text in (legend, *lead) for line in paragraph(text)]
    return "\n".join(
        [
            *above,
            "",
            *fit(table.without(others)),
            "",
            *_below(table, others),
            *below,
            *(line for lines in more for line in lines),
        ]
    )


def _below(table: Table, titles: Sequence[str]) -> list[str]:
    """Some metrics, a line each, with a column for each row of the table: its rank, or its
    number.
    """
    if not titles:
        return []
    places = [table.titles.index(title) for title in titles]
    ranked = table.columns[0].title == "rank"
    heads = [str(row[0] if ranked else number) for number, row in enumerate(table.rows, start=1)]
    columns = [Column("rank" if ranked else "row", "text"), *map(Column, heads)]
    rows = [
        [title.removesuffix(" %"), *(row[place] for row in table.rows)]
        for title, place in zip(titles, places, strict=True)
    ]
    return [*fit(Table("metrics", "", columns, rows)), ""]


def _short(table: Table, view: View, places: Sequence[int]) -> Table:
    """The winner, the best single list, the reference, what was added, and the best of the others.

    No row is the same as another, but that of what the command line added, which its author looks
    for.
    places: of the table's rows among those of the view.
    """
    singles = [view.singles.get(name) for name in (str(view.best_single), view.reference)]
    wanted = dict.fromkeys([view.best_place, *singles, *view.added.values()])
    first = [place for place in wanted if place is not None and place in places]
    others = [
        place
        for place in places
        if not (place in first or view.copies[place] or view.is_winner(place))
    ]
    others.sort(key=lambda place: -view.score(view.rows[place]))
    chosen = {*first, *others[: max(0, ROWS - len(first))]}
    order = sorted(chosen, key=lambda place: -view.score(view.rows[place]))
    rows = [table.rows[places.index(place)] for place in order]
    return replace(table, rows=rows, marked=frozenset({order.index(view.best_place)}), commands=())


def _data(view: View) -> str:
    sample = sample_note(view.dataset, view.data_sha256)
    return f" Data sha256 {view.data_sha256[:12]}; scores in percent.{sample}"


def _copies(view: View) -> str:
    copies = sum(view.copies)
    said = f" Left out: {copies} with the same gold ranks as one above; Holm p counts them."
    return said if copies else ""


def _scores(table: Table) -> tuple[list[str], list[str]]:
    """The metrics: those that stand first, the objective among them, and the others of the
    configuration.
    """
    found = [
        column.title
        for column in table.columns
        if column.kind == "share" and column.title != "chain %"
    ]
    return found[:FIRST], found[FIRST:]


def _counts(table: Table) -> list[str]:
    return [title for title in table.titles if title in ("W", "L", "GraphWin", "GraphLoss")]


def _won(view: View) -> str:
    """What W and L are."""
    known = " (GraphWin, GraphLoss)" if tables.counts_graph_wins(view) else ""
    return f"W, L{known}: questions won and lost against {view.reference}"
