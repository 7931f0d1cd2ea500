"""What a sweep says: every sentence with what it is about, made once for terminal, PDF, paper and
site.
"""

from __future__ import annotations

import numpy as np

from harness.core.table import counted, p_value, percent, percents, points, shown
from harness.evaluation.comparison import Comparison, corrected
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
from harness.report.table.effect import exceptions
from harness.sweep.folder import Edged, Forecast, Power, SweepResult, View
from harness.sweep.judge import choose_again

SHORT = "in short"


def conclusions(result: SweepResult) -> dict[str, str]:
    """Texts by heading, for a page or a document: first ``in short``, a line a paragraph, then what
    explains it.
    """
    said = sentences(result, result.locked)
    return {SHORT: "\n".join(in_short(result)), **by_topic(said, "explanation", "forecast")}


def in_short(result: SweepResult) -> list[str]:
    """What was compared, what won, what to expect, and what fusion adds: a paragraph each."""
    return select_texts(sentences(result, result.locked), *LEAD)


def sentences(result: SweepResult, view: View) -> list[Sentence]:
    """All that is said about a sweep, other splits of ``result.splits`` among it.

    view: its locked trials, on tune or on test.
    """
    forecasts = {
        "expected on test": _expected(result),
        "power on test": _power(result),
        "edge of the grid": _edges(result),
    }
    return [
        _compared(result, view),
        *_verdict(view),
        *_outlook(result, view),
        *_addition(result, view),
        *_other_lists(view),
        *_elsewhere(view),
        *_other_splits(result),
        *(Sentence("caveat", f"{line}.") for line in view.warnings),
        *(Sentence("forecast", text, topic) for topic, text in forecasts.items() if text),
        *_blind_spots(result, view),
    ]


def _compared(result: SweepResult, view: View) -> Sentence:
    trials = (
        f"{counted(len(result.whole.fused), 'fusion')} and "
        f"{counted(len(result.whole.singles), 'single list')}"
    )
    chosen = f"the locked ones of {trials}" if view.split == "test" else trials
    disjoint = "" if view.splitting == "md5" else f", split={view.splitting}"
    return Sentence(
        "compared", f"{view.where}{view.unordered()}{disjoint}: {chosen}, by {view.objective}."
    )


def _verdict(view: View) -> list[Sentence]:
    """The winner, by its list's name where it is one, against the reference.

    Where it is the reference itself, the best single list of tune comes first if it scores more.
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


def _outlook(result: SweepResult, view: View) -> list[Sentence]:
    """What is expected of test; once test was scored, whether it came true."""
    forecast = result.lock.get("expected")
    if not forecast:
        return []
    if view.split == "test":
        return [Sentence("expectation", _outcome(view, forecast))]
    asked = f"the {counted(forecast['n'], 'question')} of test"
    if _empty(forecast):
        return [
            Sentence(
                "expectation", f"{asked.capitalize()} can show nothing: any score is expected."
            )
        ]
    bounds = f"{percent(forecast['low'])} to {percent(forecast['high'])}"
    return [Sentence("expectation", f"On {asked} the winner is expected to score {bounds}.")]


def _empty(forecast: Forecast) -> bool:
    """Whether any score is expected."""
    return forecast["low"] <= 0 and forecast["high"] >= 1


def _addition(result: SweepResult, view: View) -> list[Sentence]:
    """Whether fusion adds to the best single list of tune, on how many questions that hangs, and
    how that is known.
    """
    best = str(view.best_single)
    found = view.winner_against(best)
    if found is None and view.winner_list != best:
        return []
    settled = found is not None and found.finding == "better"
    said, more = _against_best(view, best, found)
    room = _headroom(result, view)
    if room is None:
        return [Sentence("addition", f"{said}."), *more]
    few = "" if room.answers or settled else ", too few to show a gain"
    others = " or ".join(room.wins)
    gain = (
        f"On {room.questions} of {counted(room.n, 'question')} {others} finds more than {best}{few}"
    )
    return [Sentence("addition", f"{said}. {gain}."), *more, *room.sentences(settled=settled)]


def _against_best(view: View, best: str, found: Comparison | None) -> tuple[str, list[Sentence]]:
    """What the winner is against the best single list of tune, and what explains it.

    found: their comparison; None where the winner is that list.
    """
    named = f"{best}, the best single list on tune"
    if found is None or view.winner_list == best:
        within = f" in its first {view.metric.k}" if view.metric.k else ""
        same = f"the best fusion finds the same gold passages{within}"
        locked = f"it was locked as {view.rows[view.winner_place]['name']}."
        return f"No fusion is shown to be better than {named}: {same}", [
            Sentence("explanation", locked, "the winner")
        ]
    if best == view.reference:
        return (
            f"{'The best' if found.finding == 'better' else 'No'} fusion is shown to be better "
            f"than {named}",
            [],
        )
    if not found.wins + found.losses:
        return f"It differs from {named}, on no question", []
    more = [one for one in conclude(found, "The winner", best) if one.kind != "verdict"]
    return f"Against {named}, it is {difference(found)}", more


def _other_lists(view: View) -> list[Sentence]:
    """On test, the winner against each list that is neither the reference nor the best one
    of tune.
    """
    apart = {view.singles.get(name) for name in view.rivals}
    others = [name for name, place in view.singles.items() if place not in apart]
    found = {name: one for name in others if (one := view.winner_against(name)) is not None}
    if view.split != "test" or not found:
        return []
    told = [
        f"{name}, at {one.scale.score(one.baseline_score)}: {difference(one)}"
        for name, one in zip(found, corrected([*found.values()], view.evaluation), strict=True)
    ]
    return [Sentence("addition", f"The winner against the other single lists: {'; '.join(told)}.")]


def _elsewhere(view: View) -> list[Sentence]:
    """Return where, by hop count, a single list scores more than the winner.

    A hop count at which a list is shown to be better is an addition. The others, and whether the
    difference depends on the number of hops, are explanations.
    """
    said: list[Sentence] = []
    lists: dict[str, float | None] = {}
    for label, one, found in exceptions(view):
        text = (
            f"At {label} (n = {found.n}) the winner scores {percent(found.score)}% and {one.name} "
            f"{percent(found.baseline_score)}%: {difference(found)}; {smallest(found)}."
        )
        shown_worse = found.finding == "worse"
        said.append(Sentence("addition" if shown_worse else "explanation", text, "hops"))
        lists[one.name] = one.p_hops
    for name, p in lists.items():
        if p is not None:
            verb = "depends" if shown(p) else "is not shown to depend"
            text = f"The difference from {name} {verb} on the number of hops (p {p_value(p)})."
            said.append(Sentence("explanation", text, "hops"))
    return said


def _other_splits(result: SweepResult) -> list[Sentence]:
    """How much hangs on which half of tune was chosen on; nothing unless it is asked for."""
    if not result.splits:
        return []
    found = choose_again(result.whole, result.splits)
    if not found.splits:
        return [
            Sentence(
                "addition",
                f"None of {result.splits} other splits of tune has questions on either side.",
            )
        ]
    over = {
        "the best list of the first": found.over_best,
        result.whole.reference: found.over_reference,
    }
    gains = [
        f"from {points(min(own))} to {points(max(own))} over {name}"
        for name, own in over.items()
        if own
    ]
    said = (
        f"Under {counted(found.splits, 'other split')} of tune, chosen on one half and scored on "
        "the other, the same"
    )
    same = f"winner is chosen in {found.same} ({counted(len(set(found.names)), 'winner')} in all)"
    return [Sentence("addition", f"{said} {same}; its gain in points goes {', '.join(gains)}.")]


def _headroom(result: SweepResult, view: View) -> Headroom | None:
    """Of the lists that any trial fuses, over the best single list; None without others."""
    best, fused = str(view.best_single), _fused(result)
    values = {name: view.scores[place] for name, place in view.singles.items() if name in fused}
    return Headroom.of(values, best) if best in values and len(values) > 1 else None


def _expected(result: SweepResult) -> str:
    forecast = result.lock.get("expected")
    if not forecast:
        return ""
    return (
        f"{result.manifest['objective']} {percent(forecast['score'])} (95% "
        f"{percent(forecast['low'])} to "
        f"{percent(forecast['high'])}) on {counted(forecast['n'], 'question')}. Tune's "
        f"{percent(forecast['tune'])} is "
        f"that of the best of {counted(len(result.trials), 'trial')}; {points(forecast['bias'])} "
        "points of it are the "
        "winner's curse, estimated by repeating the whole choice in bootstrap resamples and "
        "scoring it on the "
        "questions left out."
        f"{_apart(result)}"
    )


def _apart(result: SweepResult) -> str:
    """What is expected of the winner's difference from the best single list."""
    apart = result.lock.get("expected_difference")
    if not apart:
        return ""
    return (
        f" Its difference from {result.whole.best_single} is {points(apart['tune'])} points on "
        "tune; "
        f"{points(apart['score'])} (95% {points(apart['low'])} to {points(apart['high'])}) is "
        "expected on test."
    )


def _blind_spots(result: SweepResult, view: View) -> list[Sentence]:
    """What the forecast cannot see: of the lists that any trial fuses, and of tune's clusters."""
    forecast = result.lock.get("expected")
    if not forecast or (view.split != "test" and _empty(forecast)):
        return []
    lists, fused = result.manifest.get("fitted") or {}, _fused(result)
    seen = {name: one.get("seen") or {} for name, one in lists.items() if name in fused}
    found = blind_spots(seen, np.bincount(result.whole.clusters))
    return (
        [Sentence("forecast", one.text, "expected on test") for one in found]
        if view.split == "test"
        else found
    )


def _fused(result: SweepResult) -> set[str]:
    """The lists that any trial fuses; all, when none says."""
    view = result.whole
    fusions = [view.rows[place]["parameters"] for place in view.fused]
    return {name for knobs in fusions for name in knobs.get("pool.lists") or view.singles}


def _power(result: SweepResult) -> str:
    """What the test of the winner against the best single list can show."""
    power, best = result.lock.get("power"), result.whole.best_single
    if not power or "n_effective" not in power:
        return ""
    known = power["n_effective"]
    shared = "" if known == power["n"] else f", which by cluster tell about as much as {known}"
    return (
        f"the winner against {best}, at tune's discordance ({percent(power['discordance'])}% of "
        "questions differ) and "
        f"{counted(power['n'], 'question')}{shared}: {_smallest(power)}. "
        f"Its net win on tune is {points(power['effect'])} points; less the winner's curse it is "
        f"{points(power['effect_corrected'])} points, found before Holm's "
        "correction, with "
        f"probability {power['power_corrected']:.2f}{_needed(power['queries'])}."
    )


def _edges(result: SweepResult) -> str:
    """Which best trials lie on the edge of an axis that could go on."""
    found = result.lock.get("edges")
    if not found:
        return ""
    named = [
        f"{_whose(edge)} has {edge['knob']}={edge['value']:g} (next: {edge['next']:g})"
        for edge in found
    ]
    return (
        f"{'; '.join(named)}: the last value of its axis. A better one may lie beyond it: try a "
        "wider grid."
    )


def _whose(edge: Edged) -> str:
    return "the winner" if edge["winner"] else f"the best {edge['family']}"


def _outcome(test: View, forecast: Forecast) -> str:
    """Whether the winner scored on test what was expected, with as many digits as that takes."""
    score = test.score(test.rows[test.winner_place])
    inside = "inside" if forecast["low"] <= score <= forecast["high"] else "outside"
    shown, low, high = percents(score, forecast["low"], forecast["high"])
    return f"On test it scored {shown}, {inside} the {low} to {high} that was expected."


def _smallest(power: Power) -> str:
    if power["smallest"] is None:
        return "no net win reaches significance in 4 of 5 tests"
    return f"the smallest net win that 4 of 5 tests find is {points(power['smallest'])} points"


def _needed(queries: int | None) -> str:
    return f" (for .80 it takes {queries} questions)" if queries else ""
