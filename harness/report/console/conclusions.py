"""The sentences about a sweep, and the tables that explain them, for all forms of output.

The words for a finding and a caution are those of ``harness.evaluation.statement``, the words for
a forecast those of ``forecast``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.core.table import Column, Field, Table, counted, percent
from harness.evaluation.column import judged
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statement import (
    LEAD,
    Headroom,
    Sentence,
    Statement,
    blind_spots,
    headroom_table,
    select_texts,
    undone,
    verdict,
)
from harness.report.console.forecast import is_empty, outlook
from harness.report.table.hops import exceptions
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View


def in_short(result: SweepResult) -> list[str]:
    """Return what was compared, what won, what to expect, and what fusion adds."""
    return select_texts(sentences(result, result.locked), *LEAD)


def explanations(result: SweepResult, view: View) -> list[Table]:
    """Return the tables behind the sentences: findings, and the best choice of lists.

    Args:
        result: the sweep.
        view: its locked trials, on tune or on test.
    """
    room = _headroom(result, view)
    rooms = {view.objective: room} if room is not None and room.questions else {}
    return [*findings(view), *([headroom_table(rooms)] if rooms else [])]


def findings(view: View) -> list[Table]:
    """Return the winner against the lists of the verdict, and where a list scores more; empty
    without any.
    """
    rows = [("all", name, comparison) for name, comparison in view.tests.items()]
    rows += exceptions(view)
    titles = ("n", "score", "baseline", "difference", "95% of difference", "W", "L")
    fields: list[Field[tuple[str, str, Comparison]]] = [
        Field(Column("questions", "text"), lambda row: row[0]),
        Field(Column("against", "text"), lambda row: row[1]),
        *judged(lambda row: row[2], *titles, "deciding p", "detectable"),
    ]
    notes = [
        f"Deciding p{view.deciding}: that of the verdict; for hop counts, Holm over all of them. "
        "Detectable: the smallest difference in points that is found with 80% power; a dash if no "
        "difference can be shown."
    ]
    title = f"{view.winner_title} against single lists on {view.half}"
    return [Table.of("findings", title, fields, rows, notes=notes)] if rows else []


def sentences(result: SweepResult, view: View) -> list[Sentence]:
    """Return all sentences about a sweep.

    Args:
        result: the sweep.
        view: its locked trials, on tune or on test.
    """
    return [
        _compared(result, view),
        *_verdict(view),
        *outlook(result, view),
        *_tied(result, view),
        *_addition(result, view),
        *_elsewhere(view),
        *(Sentence("caveat", f"{line}.") for line in caption.cautions(view)),
        *_blind_spots(result, view),
    ]


def _compared(result: SweepResult, view: View) -> Sentence:
    trials = (
        f"{counted(len(result.whole.fused), 'fusion')} and "
        f"{counted(len(result.whole.singles), 'single list')}"
    )
    chosen = trials
    if view.split == "test":
        chosen = f"{counted(len(view.rows), 'locked trial')}, chosen among {trials}"
    disjoint = "" if view.splitting == "md5" else f", split={view.splitting}"
    extent = f"{caption.extent(view)}{caption.unordered(view)}{disjoint}"
    best = "; the winner (>) is tune's best fusion" if result.whole.fused else ""
    return Sentence("compared", f"{extent}: {chosen}, by {view.objective}{best}.")


def stated(view: View) -> list[Statement]:
    """Return what is shown about the winner: against the reference, then the best list of tune.

    If the winner ranks as a list, it has the name of that list.
    """
    statements = []
    for name, comparison in view.tests.items():
        role = "" if name == view.reference else "the best list on tune"
        statements.append(Statement(comparison, view.winner_title, name, role=role))
    return statements


def _verdict(view: View) -> list[Sentence]:
    """Return the verdict on the winner, and its cautions."""
    statements = stated(view)
    if not statements:
        return [Sentence("verdict", _alone(view))]
    named = [replace(statement, who=_short_name(view)) for statement in statements]
    return [verdict(statements, f"On {view.split}"), *undone(named)]


def _alone(view: View) -> str:
    """Return the scores of a winner that is, or ranks as, the only list to compare it with."""
    best, score = str(view.best_single), view.score(view.rows[view.best_place])
    most = view.score(view.rows[view.singles.get(best, view.best_place)])
    if most <= score:
        return f"{view.winner_title}: {percent(score)}%."
    fused = f"The best fusion: {percent(score)}%, the same as {_short_name(view)}."
    return f"{best} alone: {percent(most)}%. {fused}"


def _short_name(view: View) -> str:
    """Return the winner's name where its title is above: the list that it ranks as."""
    return view.winner_list or view.rows[view.winner_place].name


def _fused_lists(view: View) -> set[str]:
    """Return the lists that any trial fuses; all lists if no trial names any."""
    names: set[str] = set()
    for place in view.fused:
        names.update(view.rows[place].lists or view.singles)
    return names


def _tied(result: SweepResult, view: View) -> list[Sentence]:
    """Return how many fusions of tune are not shown to be worse than the winner."""
    whole = result.whole
    fused = [place for place in whole.fused if place != whole.winner_place]
    if view.split == "test" or not fused:
        return []
    tied = sum(whole.rows[place].tied for place in fused)
    others = counted(len(fused), "other fusion")
    text = f"Not shown to be worse than the winner: {tied} of {others}."
    return [Sentence("addition", text)]


def _headroom(result: SweepResult, view: View) -> Headroom | None:
    """Return the gain from the best of the fused lists for each question; None for one list."""
    best, fused = str(view.best_single), _fused_lists(result.whole)
    values = {name: view.scores[place] for name, place in view.singles.items() if name in fused}
    return Headroom.of(values, best) if len(values) > 1 and best in values else None


def _addition(result: SweepResult, view: View) -> list[Sentence]:
    """Return whether the winner only ranks as the best list, and the largest possible gain."""
    best = str(view.best_single)
    comparison = view.winner_against(best)
    settled = (
        comparison is not None and comparison.decided.tested and comparison.finding == "better"
    )
    texts = []
    if view.winner_list == best:
        within = f" in its first {view.metric.k}" if view.metric.k else ""
        texts.append(
            f"No fusion is better than {best}, the best list on tune: the best fusion ranks as "
            f"{best} does{within}."
        )
    elif comparison is None:
        return []
    if (room := _headroom(result, view)) is not None:
        texts.append(room.addition(settled=settled))
    return [Sentence("addition", " ".join(texts))] if texts else []


def _elsewhere(view: View) -> list[Sentence]:
    """Return where a list is shown to be better: the hop count of most questions."""
    worse = [row for row in exceptions(view) if row[2].finding == "worse"]
    if not worse:
        return []
    label, name, comparison = max(worse, key=lambda row: row[2].n)
    return [
        Sentence(
            "addition",
            f"At {label} (n = {comparison.n}) the winner scores {percent(comparison.score)}% and "
            f"{name} {percent(comparison.baseline_score)}% "
            f"({Statement(comparison, 'it', name).evidence}).",
        )
    ]


def _blind_spots(result: SweepResult, view: View) -> list[Sentence]:
    """Return why the forecast may be wrong, before test is scored: fitted lists, and large clusters
    of tune.
    """
    forecast = result.lock.get("expected")
    if view.split == "test" or not forecast or is_empty(forecast):
        return []
    lists, fused = result.manifest.get("fitted") or {}, _fused_lists(result.whole)
    seen = {name: strategy.get("seen") or {} for name, strategy in lists.items() if name in fused}
    return blind_spots(seen, np.bincount(result.whole.clusters))
