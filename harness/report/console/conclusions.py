"""The sentences about a sweep, each with its kind: one set for terminal, PDF, site and Python.

The words for a finding and a caution are those of ``harness.evaluation.conclusion``, the words for
a forecast those of ``forecast``.
"""

from __future__ import annotations

import numpy as np

from harness.core.table import counted, percent
from harness.evaluation.conclusion import (
    LEAD,
    Headroom,
    Sentence,
    blind_spots,
    by_topic,
    conclude,
    evidence,
    select_texts,
    smallest,
)
from harness.report.console.forecast import forecasts, is_empty, outlook
from harness.report.table.hops import exceptions
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View

SHORT = "in short"


def conclusions(result: SweepResult) -> dict[str, str]:
    """Return texts by heading: first ``in short``, a line a paragraph, then explanations."""
    said = sentences(result, result.locked)
    return {SHORT: "\n".join(in_short(result)), **by_topic(said, "explanation", "forecast")}


def in_short(result: SweepResult) -> list[str]:
    """Return what was compared, what won, what to expect, and what fusion adds."""
    return select_texts(sentences(result, result.locked), *LEAD)


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
        *forecasts(result),
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


def _verdict(view: View) -> list[Sentence]:
    """Return the verdict on the winner against the reference and the best list of tune.

    If the winner ranks as a list, it has the name of that list.
    """
    found = {name: one for name in view.rivals if (one := view.winner_against(name)) is not None}
    if not found:
        return [Sentence("verdict", _alone(view))]
    clauses = [_clause(view, name, place == 0) for place, name in enumerate(found)]
    said = [Sentence("verdict", f"On {view.split} {view.winner_title} is {''.join(clauses)}.")]
    for name, one in found.items():
        pair = conclude(one, view.winner_name, name)
        said += [sentence for sentence in pair if sentence.kind != "verdict"]
    return said


def _clause(view: View, name: str, first: bool) -> str:
    """Return what is shown about the winner against a list.

    Args:
        view: the trials.
        name: the list.
        first: whether the list is the first one of the sentence.
    """
    found = view.winner_against(name)
    if found is None:
        return ""
    best = name == view.best_single and name != view.reference
    named = f"{name}, the best list on tune" if best else name
    if not found.decided.tested:
        return f"; {named}, was therefore not tested ({evidence(found)})"
    figures = evidence(found)
    if not first and found.decided.rule == "sequence":
        figures += "; tested second, because the first was shown"
    if found.finding != "even":
        return f"{'' if first else ' and '}{found.finding} than {named} ({figures})"
    if first:
        return f"not shown to be better than {named} ({figures})"
    return f"; against {named}, no difference is shown ({figures})"


def _alone(view: View) -> str:
    """Return the scores of a winner that is, or ranks as, the only list to compare it with."""
    best, score = str(view.best_single), view.score(view.rows[view.best_place])
    most = view.score(view.rows[view.singles.get(best, view.best_place)])
    if most <= score:
        return f"{view.winner_title}: {percent(score)}%."
    fused = f"The best fusion: {percent(score)}%, the same as {view.winner_name}."
    return f"{best} alone: {percent(most)}%. {fused}"


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


def _addition(result: SweepResult, view: View) -> list[Sentence]:
    """Return whether the winner only ranks as the best list, and the largest possible gain."""
    best = str(view.best_single)
    found = view.winner_against(best)
    settled = found is not None and found.decided.tested and found.finding == "better"
    text = ""
    if view.winner_list == best:
        within = f" in its first {view.metric.k}" if view.metric.k else ""
        text = f"No fusion is better than {best}, the best list on tune: the best fusion ranks as "
        text += f"{best} does{within}. "
    elif found is None:
        return []
    fused = result.whole.fused_lists
    values = {name: view.scores[place] for name, place in view.singles.items() if name in fused}
    if len(values) < 2 or best not in values:
        return [Sentence("addition", text.strip())] if text else []
    room = Headroom.of(values, best)
    why = Sentence("explanation", room.explanation(settled=settled), "headroom")
    return [Sentence("addition", f"{text}{room.addition(settled=settled)}"), why]


def _elsewhere(view: View) -> list[Sentence]:
    """Return the hop counts at which a single list scores more than the winner.

    Of those at which a list is shown to be better, the one of most questions is an addition. The
    others are explanations, with the smallest difference that could be shown.
    """
    found = exceptions(view)
    worse = [one for _, _, one in found if one.finding == "worse"]
    shown = max(worse, key=lambda one: one.n, default=None)
    said = []
    for label, name, one in found:
        scores = f"{percent(one.score)}% and {name} {percent(one.baseline_score)}%"
        text = f"At {label} (n = {one.n}) the winner scores {scores} ({evidence(one)})"
        explained = Sentence("explanation", f"{text}; {smallest(one)}.", "hops")
        said.append(Sentence("addition", f"{text}.", "hops") if one is shown else explained)
    return said


def _blind_spots(result: SweepResult, view: View) -> list[Sentence]:
    """Return why the forecast may be wrong: fitted lists, and large clusters of tune."""
    forecast = result.lock.get("expected")
    if not forecast or (view.split != "test" and is_empty(forecast)):
        return []
    lists, fused = result.manifest.get("fitted") or {}, result.whole.fused_lists
    seen = {name: one.get("seen") or {} for name, one in lists.items() if name in fused}
    found = blind_spots(seen, np.bincount(result.whole.clusters))
    return (
        [Sentence("forecast", one.text, "expected on test") for one in found]
        if view.split == "test"
        else found
    )
