"""What a sweep shows, in words: what to expect on test, what came of it, and in short what won and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from harness.core.table import percent, percents, points
from harness.evaluation.comparison import compare_trials
from harness.evaluation.conclusion import Headroom, blind_spots, conclude
from harness.sweep.folder import SweepResult


def conclusions(result: SweepResult) -> dict[str, str]:
    """Sentences by heading, the same in the terminal, on the page and in the PDF."""
    found = {
        "expected on test": _expected(result),
        "what test can see": _power(result),
        "on test": _outcome(result),
        "edge of the grid": _edges(result),
        "in short": in_short(result),
    }
    return {heading: text for heading, text in found.items() if text}


def in_short(result: SweepResult) -> str:
    """What won, by how much against the reference and the best single list, and whether it would again.

    A winner that is a list is called by its name, and is not compared with itself.
    """
    view, best = result.locked, result.lock.get("best_single")
    fused = sum(row["family"] != "single" for row in result.whole.rows)
    where = f"test (evaluation {view.evaluation})" if result.test else "tune, which chose it"
    winner = view.rows[view.winner_place]
    said = f"{winner['name']} is the best of {fused} fusions on tune by {view.objective}."
    if view.winner_list:
        within = f" in its first {view.metric.k}" if view.metric.k else ""
        said = f"{view.winner_title}: {said[:-1]}, and has all gold{within} where {view.winner_list} has it."
    sentences, start = [said], f"On {view.n} questions of {where}, the winner"
    for name in dict.fromkeys([result.reference, best]):
        place = view.row_of(name) if name else None
        if place is not None and place not in (view.winner_place, view.best_place):
            pair = view.scores[[view.winner_place, place]]
            found = compare_trials(pair, 1, view.metric.binary, view.margin)[0]
            title = f"{name}, the best single list on tune," if name == best else str(name)
            holm = winner.get("p_holm" if name == result.reference else "p_best_holm")
            sentences += conclude(found, start, title, holm) if found else []
            start = "The winner"
    sentences += _headroom(result)
    if forecast := result.lock.get("expected"):
        usual = f"On new questions {percent(forecast['low'])} to {percent(forecast['high'])} is expected."
        outcome = _outcome(result)
        sentences += [f"It scored {outcome}"] if outcome else [usual, *_blind_spots(result)]
    return " ".join(sentences)


def _headroom(result: SweepResult) -> list[str]:
    """Of the lists that any trial fuses, over the best single list; nothing without others."""
    view, best, fused = result.locked, str(result.lock.get("best_single")), _fused(result)
    single = {str(row["name"]): view.scores[place] for place, row in enumerate(view.rows) if row["family"] == "single"}
    values = {name: own for name, own in single.items() if name in fused}
    if best not in values or len(values) < 2:
        return []
    return Headroom.of(values, best).sentences()


def _expected(result: SweepResult) -> str:
    forecast = result.lock.get("expected")
    if not forecast:
        return ""
    return (
        f"{result.manifest['objective']} {percent(forecast['score'])} (95% {percent(forecast['low'])} to "
        f"{percent(forecast['high'])}) on {forecast['n']} queries. Tune's {percent(forecast['tune'])} is that "
        f"of the best of {len(result.trials)} trials; {points(forecast['bias'])} points of it are the winner's curse, "
        "estimated by repeating the whole choice in bootstrap resamples and scoring it on the queries left out."
        f"{''.join(f' {line}' for line in _blind_spots(result))}"
    )


def _blind_spots(result: SweepResult) -> list[str]:
    """Of the lists that any trial fuses, and of tune's clusters."""
    fitted = {name: one for name, one in result.manifest.get("fitted", {}).items() if name in _fused(result)}
    return blind_spots(fitted, np.bincount(result.whole.clusters))


def _fused(result: SweepResult) -> set[str]:
    """The lists that any trial fuses; all, when none says."""
    fusions = [row["parameters"] for row in result.whole.rows if row["family"] != "single"]
    single = [str(row["name"]) for row in result.whole.rows if row["family"] == "single"]
    return {name for knobs in fusions for name in knobs.get("pool.lists") or single}


def _power(result: SweepResult) -> str:
    power = result.lock.get("power")
    if not power:
        return ""
    seen = (
        f"against {result.reference}, at tune's discordance ({percent(power['discordance'])}% of queries differ) and "
        f"{power['n']} queries, {_smallest(power)}. The winner's net win on tune is {points(power['effect'])} points, "
        f"found with probability {power['power']:.2f}{_needed(power['queries'])}; less the winner's curse it is "
        f"{points(power['effect_corrected'])} points, found with probability {power['power_corrected']:.2f}"
    )
    return f"{seen}{_needed(power['queries_corrected'])}."


def _edges(result: SweepResult) -> str:
    """Which best trials lie on the edge of an axis that could go on, and which axes went on already."""
    sentences = []
    if found := result.lock.get("edges"):
        named = [f"{_whose(edge)} has {edge['knob']}={edge['value']:g} (next: {edge['next']:g})" for edge in found]
        extended = "extended" in result.lock
        mend = "a greater grid.extend_rounds goes further" if extended else "grid.extend=true tries it"
        sentences.append(f"{'; '.join(named)}: the last value of its axis, so a better one may lie beyond; {mend}.")
    if added := result.lock.get("extended"):
        axes: dict[str, dict[float, None]] = {}
        for edge in added:
            axes.setdefault(edge["knob"], {})[edge["next"]] = None
        listed = [f"{knob} {', '.join(f'{value:g}' for value in sorted(new))}" for knob, new in axes.items()]
        sentences.append(f"The grid was extended on tune by {'; '.join(listed)}; all its trials are corrected for.")
    return " ".join(sentences)


def _whose(edge: Mapping[str, Any]) -> str:
    return "the winner" if edge["winner"] else f"the best {edge['family']}"


def _outcome(result: SweepResult) -> str:
    """Whether the winner scored on test what was expected, with as many digits as that takes."""
    view, forecast = result.test, result.lock.get("expected")
    if view is None or not forecast:
        return ""
    score = float(view.rows[view.winner_place][view.objective])
    inside = "inside" if forecast["low"] <= score <= forecast["high"] else "OUTSIDE"
    shown, low, high = percents(score, forecast["low"], forecast["high"])
    return f"{shown}, {inside} the {low} to {high} that was expected."


def _smallest(power: Mapping[str, Any]) -> str:
    if power["smallest"] is None:
        return "no net win reaches significance in 4 of 5 tests"
    queries = -(-power["smallest"] * power["n"] // 1)
    return (
        f"the smallest net win that 4 of 5 tests find is {points(power['smallest'])} points "
        f"({queries:.0f} of {power['n']} queries)"
    )


def _needed(queries: int | None) -> str:
    return f" (for .80 it takes {queries} queries)" if queries else ""
