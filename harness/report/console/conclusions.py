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
    difference,
    select_texts,
    smallest,
)
from harness.evaluation.paired_comparison import corrected
from harness.report.console.forecast import forecasts, is_empty, outlook
from harness.report.table.hops import exceptions
from harness.sweep.folder import SweepResult, View, caption

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
        *_addition(result, view),
        *_other_lists(view),
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
    chosen = f"the locked ones of {trials}" if view.split == "test" else trials
    disjoint = "" if view.splitting == "md5" else f", split={view.splitting}"
    extent = f"{caption.extent(view)}{caption.unordered(view)}{disjoint}"
    return Sentence("compared", f"{extent}: {chosen}, by {view.objective}.")


def _verdict(view: View) -> list[Sentence]:
    """Return the verdict on the winner against the reference.

    If the winner copies a list, it has the name of that list. If that is the reference, a best
    single list of tune with a higher score comes first.
    """
    found = view.winner_against(view.reference)
    if found is not None:
        return conclude(found, view.winner_name, view.reference)
    best, score = str(view.best_single), view.score(view.rows[view.best_place])
    most = view.score(view.rows[view.singles.get(best, view.best_place)])
    if most <= score:
        return [Sentence("verdict", f"{view.winner_title}: {percent(score)}%.")]
    fused = f"The best fusion: {percent(score)}%, the same as {view.winner_name}."
    return [Sentence("verdict", f"{best} alone: {percent(most)}%. {fused}")]


def _addition(result: SweepResult, view: View) -> list[Sentence]:
    """Return whether fusion adds to the best single list of tune, and the largest possible gain."""
    best = str(view.best_single)
    found, named = view.winner_against(best), f"{best}, the best single list on tune"
    settled = found is not None and found.finding == "better"
    more: list[Sentence] = []
    if view.winner_list == best:
        within = f" in its first {view.metric.k}" if view.metric.k else ""
        same = f"the best finds the same gold{within}"
        text = f"No fusion is shown to be better than {named}: {same}"
        locked = f"it was locked as {view.rows[view.winner_place]['name']}."
        more.append(Sentence("explanation", locked, "the winner"))
    elif found is None:
        return []
    elif best == view.reference:
        text = f"{'The best' if settled else 'No'} fusion is shown to be better than {named}"
    else:
        text = f"Against {named}, it is {difference(found)}"
        more += [one for one in conclude(found, "The winner", best) if one.kind != "verdict"]
    fused = result.whole.fused_lists
    values = {name: view.scores[place] for name, place in view.singles.items() if name in fused}
    if len(values) < 2 or best not in values:
        return [Sentence("addition", f"{text}."), *more]
    room = Headroom.of(values, best)
    why = Sentence("explanation", room.explanation(settled=settled), "headroom")
    return [Sentence("addition", f"{text}. {room.addition(settled=settled)}"), *more, why]


def _other_lists(view: View) -> list[Sentence]:
    """Return the winner on test against the lists that no other sentence compares it with."""
    others = [name for name in view.singles if name not in (view.reference, view.best_single)]
    found = {name: one for name in others if (one := view.winner_against(name)) is not None}
    if view.split != "test" or not found:
        return []
    compared = corrected([*found.values()], view.evaluation)
    messages = [
        f"{name}, at {one.scale.score(one.baseline_score)}: {difference(one)}"
        for name, one in zip(found, compared, strict=True)
    ]
    text = f"The winner against the other single lists: {'; '.join(messages)}."
    return [Sentence("addition", text)]


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
        text = f"At {label} (n = {one.n}) the winner scores {scores}: {difference(one)}"
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
