"""The table of a paper, the locked trials of each sweep, and the winner by hop count."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from harness.core.table import Column, Field, Source, Style, Table, shown, stack
from harness.evaluation.column import COLUMNS, MCNEMAR, SIGN, judged, won_lost
from harness.report.display import Display, normalizer_of
from harness.report.table.effect import labelled, pooled_hops
from harness.report.table.trials import in_paper, trial_table
from harness.sweep.folder import SweepResult, View, caption, differing

MOST = 12
"""The largest number of rows of a sweep."""
BETTER, WORSE = "†", "‡"


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
    return [_main(own, display) for own in kinds.values()]


def _main(results: Sequence[SweepResult], display: Display) -> Table:
    """Return the table of sweeps of one objective and reference."""
    views = [result.locked for result in results]
    parts = [_part(result, display) for result in results]
    first = next((part for part, view in zip(parts, views, strict=True) if view.deciding), parts[0])
    k = views[0].metric.k
    metrics = [name for name in first.titles if name.endswith(f"@{k} %")] or first.titles[1:2]
    title = (
        f"{_listed([name.removesuffix(' %') for name in metrics])} on "
        f"{_listed([*dict.fromkeys(view.half for view in views)])}"
    )
    table = first
    if len(parts) > 1:
        table = stack(dict(zip(_group_names(results, display), parts, strict=True)), "benchmark")
        table = replace(table, columns=[table.columns[0], *first.columns], banded=True)
    signs = {sign for part in parts for sign in part.style.marks.values()}
    source = Source(notes=caption.source(views[0]).notes if len(views) == 1 else ())
    notes = _notes(views, display, signs)
    return replace(table, name="main", title=title, source=source, notes=notes, commands=())


def _part(result: SweepResult, display: Display) -> Table:
    """Return the rows of one sweep, single lists first; a rule separates the fusions."""
    view = result.locked
    untuned = [one["trial"] for one in result.lock["baselines"] if one["family"] != "single"]
    places = _places(result, untuned)
    table = trial_table("main", result, view, places, "paper")
    rows = [
        [_label(view, place, untuned, display), *row[1:]]
        for place, row in zip(places, table.rows, strict=True)
    ]
    signs = {(number, 1): _sign(view, place) for number, place in enumerate(places)}
    marks = {cell: sign for cell, sign in signs.items() if sign}
    lists = sum(view.rows[place]["family"] == "single" for place in places)
    rules = frozenset({lists} if 0 < lists < len(places) else ())
    return replace(table, rows=rows, style=Style(marks=marks, rules=rules))


def _places(result: SweepResult, untuned: Sequence[str]) -> list[int]:
    """Return the indices of the shown rows: lists, untuned fusions, tuned ones; the best first in
    each.

    Up to ``MOST`` of them, each trial once. The winner and the lists that it is compared with are
    always among them. If the winner copies a list, that list is shown.
    """
    view = result.locked
    wanted = [*untuned, *(one["trial"] for one in result.lock["fusers"])]
    found = [place for trial in wanted if (place := view.place(trial)) is not None]
    fused = [place for place in found if place == view.best_place or not view.is_winner(place)]
    kept = {view.best_place, *view.rivals.values()}

    def strength(place: int) -> tuple[bool, float]:
        return place not in kept, -view.score(view.rows[place])

    def group(place: int) -> tuple[bool, bool, float]:
        row = view.rows[place]
        return row["family"] != "single", row["trial"] not in untuned, -view.score(row)

    best = sorted(dict.fromkeys([*view.singles.values(), *fused]), key=strength)
    return sorted(best[:MOST], key=group)


def _label(view: View, place: int, untuned: Sequence[str], display: Display) -> str:
    """Return ``PIT + Boltzmann``, ``RRF (default)``, or the name of a list."""
    row = view.rows[place]
    if row["family"] == "single":
        return display.list.get(row["name"], row["name"])
    default = " (default)" if row["trial"] in untuned else ""
    return display.strategy(row["family"], normalizer_of(row)) + default


def _sign(view: View, place: int) -> str:
    """Return the sign of a row that is shown to be better or worse than the best single list."""
    found = None
    if view.best_single != view.reference:
        found = view.outcome(place, view.best_single)
    if found is None or not shown(found.p_holm):
        return ""
    return BETTER if (found.difference or 0) > 0 else WORSE


def _group_names(results: Sequence[SweepResult], display: Display) -> list[str]:
    """Return the benchmark of each sweep, and its overrides if several have the same one."""
    views = [one.locked for one in results]
    several = len({view.split for view in views}) > 1
    names = [
        display.dataset.get(view.dataset, view.dataset) + (f" ({view.split})" if several else "")
        for view in views
    ]
    if len(set(names)) == len(names):
        return names
    typed = [[*given.items()] for given in differing(results)]
    messages = [
        ", ".join(f"{key}={value}" for key, value in own if key != "dataset" and value)
        for own in typed
    ]
    return [
        " ".join(filter(None, [name, own or one.folder.name]))
        for name, own, one in zip(names, messages, results, strict=True)
    ]


def _notes(views: Sequence[View], display: Display, signs: Collection[str]) -> list[str]:
    """Return the notes: the meaning of W, L, p and signs, and the number of the evaluation."""
    first, shared = views[0], any(view.deciding for view in views)
    wins, losses = (in_paper(COLUMNS[title], first).title for title in ("W", "L"))
    counts = won_lost(
        "the strategy", display.list.get(first.reference, first.reference), wins, losses
    )
    lists = dict.fromkeys(display.list.get(str(v.best_single), str(v.best_single)) for v in views)
    words = {BETTER: "better", WORSE: "worse"}
    message = ", ".join(f"{sign} {word}" for sign, word in words.items() if sign in signs)
    than = (
        f"; {message} than {_listed([*lists])}, the best list on tune, by Holm p" if message else ""
    )
    test = "of the test over whole clusters of questions that share gold, " if shared else ""
    rows = f"corrected over {_listed([_compared(view) for view in views])} comparisons"
    evaluations = dict.fromkeys(
        f"Evaluation {view.evaluation} of test{view.charge}." for view in views if view.evaluation
    )
    return [
        f"{counts}; {MCNEMAR if first.metric.binary else SIGN}; Holm p: {test}{rows}. Bold: the "
        f"winner chosen on tune{than}.",
        *evaluations,
    ]


def _compared(view: View) -> str:
    return str(sum(one["against"] == view.reference for one in view.comparisons))


def _listed(texts: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def by_hops(view: View, display: Display) -> Table:
    """Return the winner's comparison with the reference on the questions of each hop count.

    Three hops and more are also one row together. The last column is the smallest detectable
    difference.
    """
    parts = labelled(view, "hops")
    parts |= (many := pooled_hops(parts))
    reference = view.singles.get(view.reference, view.winner_place)
    found = {name: view.compare(view.winner_place, reference, own) for name, own in parts.items()}
    columns = judged(found.get, "n", "W", "L", "p", "p by cluster", "detectable")
    n, *others = [replace(one, column=in_paper(one.column, view)) for one in columns]
    shown = [one for one in others if one.column.name != "p_deciding" or view.deciding]
    fields: list[Field[str]] = [
        Field(Column("hops", "text"), lambda label: label.removesuffix(" hops")),
        n,
        Field(Column(f"{view.objective} %"), lambda name: found[name].score),
        *shown,
    ]
    wins, losses = (in_paper(COLUMNS[title], view).title for title in ("W", "L"))
    name = display.list.get(view.reference, view.reference)
    notes = [
        f"{won_lost('the winner', name, wins, losses)}. "
        "Detectable: the smallest net share of wins, in points, that the test finds in 4 of 5 "
        "cases with this number of questions and clusters and this share of questions won or "
        "lost; a dash if no difference can be shown."
    ]
    style = Style(rules=frozenset({len(parts) - 1} if many else ()))
    title = f"{view.winner_name} by number of hops on {view.half}"
    return Table.of("by_hops", title, fields, parts, Source(), notes, style=style)
