"""The table of a paper, the locked trials of each sweep, and the winner by hop count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from harness.core.table import WINNER, Column, Field, Source, Style, Table, stack
from harness.evaluation.column import COLUMNS, MCNEMAR, SIGN, judged, won_lost
from harness.evaluation.statement import SIGNS
from harness.report.display import Display, normalizer_of
from harness.report.table.hops import POOLED, hop_counts
from harness.report.table.trials import decided, in_paper, trial_table
from harness.sweep.folder import caption
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.result import SweepResult, differing
from harness.sweep.folder.view import View

MOST = 20
"""The largest number of rows of a sweep."""


def main(results: Sequence[SweepResult], display: Display) -> list[Table]:
    """Return the table of a paper: lists, untuned fusions, and the best trial of each fuser.

    Args:
        results: the sweeps, a group of rows each.
        display: the names of fusers, normalizers, lists and benchmarks.

    Returns:
        One table; for sweeps with different objectives or references, one of each kind.
    """
    kinds: dict[tuple[str, str], list[SweepResult]] = {}
    for result in results:
        kinds.setdefault((result.locked.objective, result.locked.reference), []).append(result)
    return [_main(group, display) for group in kinds.values()]


def _main(results: Sequence[SweepResult], display: Display) -> Table:
    """Return the table of sweeps of one objective and reference."""
    views = [result.locked for result in results]
    parts = [_part(result, display) for result in results]
    first = next((part for part, view in zip(parts, views, strict=True) if view.deciding), parts[0])
    title = _title(first.titles, views)
    signs = {sign for part in parts for sign in part.style.marks.values()}
    meaning, *evaluations = _notes(views, display, signs)
    if len(parts) == 1:
        source = Source(notes=caption.source(views[0]).notes)
        notes = [meaning, *first.notes, *evaluations]
        return replace(first, title=title, source=source, notes=notes)
    groups = dict(zip(_group_names(results, display), parts, strict=True))
    table = stack(groups, "benchmark")
    columns = [table.columns[0], *first.columns]
    of_groups = [f"{group}: {note}" for group, part in groups.items() for note in part.notes]
    notes = [meaning, *of_groups, *evaluations]
    return replace(table, columns=columns, banded=True, title=title, source=Source(), notes=notes)


def _title(columns: Sequence[str], views: Sequence[View]) -> str:
    """Return the title: the metrics among the columns, and the halves."""
    ending = f"@{views[0].metric.k} %"
    metrics = [name for name in columns if name.endswith(ending)] or columns[1:2]
    halves = dict.fromkeys(view.half for view in views)
    return f"{_listed([name.removesuffix(' %') for name in metrics])} on {_listed([*halves])}"


def _part(result: SweepResult, display: Display) -> Table:
    """Return the rows of one sweep: the lists, then the fusions, each the best first.

    Up to ``MOST`` of them, each trial once. The winner and the lists that it is compared with are
    always among them. A fusion with the gold ranks of another one above it is in the notes alone.
    """
    view = result.locked
    untuned = [entry["trial"] for entry in result.lock["baselines"] if entry["family"] != "single"]
    fused = [place for place in map(view.place, untuned) if place is not None] + view.fusers
    places = [*view.singles.values(), *_apart(view, fused)]
    wanted = {view.best_place, view.winner_place, *view.rivals.values()}
    places.sort(key=lambda place: (place not in wanted, -view.gain(place)))
    lists = {place for place in places[:MOST] if view.rows[place].family == "single"}
    places = sorted(places[:MOST], key=lambda place: (place not in lists, -view.gain(place)))
    names = _names(view, places, untuned, display)
    table = trial_table("main", result, view, places, "paper")
    rows = [[names[place], *cells[1:]] for place, cells in zip(places, table.rows, strict=True)]
    rules = {len(lists)} if 0 < len(lists) < len(places) else set[int]()
    same = dict.fromkeys(_same(view, fused, places, names, display))  # names may be shortened
    notes = [*_fused_lists(view, places, display), *same]
    style = replace(table.style, marks=_marks(view, places), rules=frozenset(rules))
    return replace(table, rows=rows, style=style, notes=notes)


def _same(
    view: View,
    fused: Sequence[int],
    places: Sequence[int],
    names: Mapping[int, str],
    display: Display,
) -> Iterator[str]:
    """Yield a note on each fusion that has no row, as it has the gold ranks of one that has."""
    shown_first = {view.originals[place]: place for place in reversed(places)}
    for place in set(fused) - set(places):
        first = shown_first.get(view.originals[place])
        if first is not None and first in fused:
            yield f"{display.trial(view.rows[place])} has the gold ranks of {names[first]}."


def _marks(view: View, places: Sequence[int]) -> dict[tuple[int, int], str]:
    """Return the signs of the rows that are shown to differ from the best list, if it is not the
    reference; by row and column.
    """
    other = view.best_single if view.best_single != view.reference else None
    findings = {number: view.finding(place, other) for number, place in enumerate(places)}
    return {(number, 1): SIGNS[finding] for number, finding in findings.items() if finding in SIGNS}


def _apart(view: View, fused: Sequence[int]) -> list[int]:
    """Return the fusions without those that have the gold ranks of an earlier fusion."""
    first: dict[int, int] = {}
    for place in fused:
        original = place if view.ranks_as(place) else view.originals[place]
        first.setdefault(original, place)
    return [*dict.fromkeys(first.values())]


def _names(
    view: View, places: Sequence[int], untuned: Sequence[str], display: Display
) -> dict[int, str]:
    """Return the names of rows. Fusions of the same name, of other lists than the most rows, or
    without a choice on tune have their settings in it.
    """
    short = {place: _name(view.rows[place], display) for place in places}
    usual, names = _usual_lists(view, places), {}
    for place, name in short.items():
        row, listed = view.rows[place], view.ranks_as(place)
        lists = "+".join(row.lists)
        other = place in view.fused and lists != "+".join(usual)
        if other or row.trial in untuned or [*short.values()].count(name) > 1:
            name = display.trial(row)
        more = [lists] if other and lists not in name else []
        more += ["default"] if row.trial in untuned else []
        if more:
            start = f"{name[:-1]}, " if name.endswith(")") else f"{name} ("
            name = f"{start}{', '.join(more)})"
        names[place] = f"{name} = {display.list.get(listed, listed)}" if listed else name
    return names


def _usual_lists(view: View, places: Sequence[int]) -> list[str]:
    """Return the lists that most fusions among some rows are of."""
    pools = Counter(tuple(view.rows[place].lists) for place in places if place in view.fused)
    return [*pools.most_common(1)[0][0]] if pools else []


def _fused_lists(view: View, places: Sequence[int], display: Display) -> list[str]:
    """Return the sentence on the lists of fusions whose names do not have them; none if every
    fusion is of all lists.
    """
    pools = {tuple(view.rows[place].lists) for place in places if place in view.fused}
    usual = _usual_lists(view, places)
    if not usual or (len(pools) == 1 and {*usual} == {*view.singles}):
        return []
    named = _listed([display.list.get(name, name) for name in usual])
    more = " unless their names have other lists" if len(pools) > 1 else ""
    return [f"Fusions are of {named}{more}."]


def _name(row: JudgedTrial, display: Display) -> str:
    if row.family == "single":
        return display.list.get(row.name, row.name)
    return display.strategy(row.family, normalizer_of(row))


def _group_names(results: Sequence[SweepResult], display: Display) -> list[str]:
    """Return the benchmark of each sweep, and its overrides if several have the same one."""
    views = [result.locked for result in results]
    names = [display.dataset.get(view.dataset, view.dataset) for view in views]
    if len({view.split for view in views}) > 1:
        names = [f"{name} ({view.split})" for name, view in zip(names, views, strict=True)]
    if len(set(names)) == len(names):
        return names
    titles = []
    for name, result, typed in zip(names, results, differing(results), strict=True):
        settings = [f"{key}={value}" for key, value in typed.items() if key != "dataset" and value]
        titles.append(f"{name} {', '.join(settings) or result.folder.name}")
    return titles


def _notes(views: Sequence[View], display: Display, signs: Collection[str]) -> list[str]:
    """Return the notes: the meaning of W, L, p and signs, and the number of the evaluation."""
    first = views[0]
    lists = dict.fromkeys(display.list.get(str(v.best_single), str(v.best_single)) for v in views)
    words = ", ".join(f"{sign} shown to be {word}" for word, sign in SIGNS.items() if sign in signs)
    than = f"; {words} than {_listed([*lists])}, the best list on tune" if words else ""
    corrections = dict.fromkeys(caption.correction(view, view.reference) for view in views)
    evaluations = dict.fromkeys(
        f"Evaluation {view.evaluation} of test{view.charge}." for view in views if view.evaluation
    )
    return [
        f"{_won_lost('the strategy', first, display)}; "
        f"{MCNEMAR if first.metric.binary else SIGN}; {'; '.join(corrections)}. {decided(first)}"
        f"Bold: the best of a column. {WINNER}: the winner chosen on tune{than}.",
        *evaluations,
    ]


def _won_lost(subject: str, view: View, display: Display) -> str:
    """Return the meaning of the columns of wins and losses, by their titles in a paper."""
    wins, losses = (in_paper(COLUMNS[title], view).title for title in ("W", "L"))
    return won_lost(subject, display.list.get(view.reference, view.reference), wins, losses)


def _listed(texts: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def by_hops(view: View, display: Display) -> Table:
    """Return the winner's comparison with the reference on the questions of each hop count.

    Three hops and more are also one row together. The last column is the smallest detectable
    difference.
    """
    parts = hop_counts(view)
    reference = view.singles.get(view.reference, view.winner_place)
    comparisons = {
        name: view.compare(view.winner_place, reference, members) for name, members in parts.items()
    }
    columns = judged(comparisons.get, "n", "W", "L", "p", "p by cluster", "detectable")
    n, *others = [replace(field, column=in_paper(field.column, view)) for field in columns]
    shown = [field for field in others if field.column.name != "p_deciding" or view.deciding]
    fields: list[Field[str]] = [
        Field(Column("hops", "text"), lambda label: label.removesuffix(" hops")),
        n,
        Field(Column(f"{view.objective} %"), lambda name: comparisons[name].score),
        *shown,
    ]
    notes = [
        f"{_won_lost('the winner', view, display)}. "
        "Detectable: the smallest difference in points that is found with 80% power, at this "
        "number of questions and clusters and this share of questions won or lost; a dash if no "
        "difference can be shown."
    ]
    rules = {len(parts) - 1} if POOLED in parts else set[int]()
    title = f"{view.winner_title} by number of hops on {view.half}"
    style = Style(rules=frozenset(rules))
    return Table.of("by_hops", title, fields, parts, Source(), notes, style=style)
