"""The words for forecasts: the expected result on test, its power, and whether it came true."""

from __future__ import annotations

from harness.core.artifact import Facts
from harness.core.table import counted, percent, percents, points
from harness.evaluation.conclusion import Sentence
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View


def forecasts(result: SweepResult) -> list[Sentence]:
    """Return the forecasts that were made before test was scored, by topic."""
    texts = {
        "expected on test": _expected(result),
        "power on test": _power(result),
        "edge of the grid": _edges(result),
    }
    return [Sentence("forecast", text, topic) for topic, text in texts.items() if text]


def outlook(result: SweepResult, view: View) -> list[Sentence]:
    """Return the expected difference of the winner from the best list on test; after test was
    scored, whether it came true. Without such a list it is the expected score.
    """
    forecast, apart = result.lock.get("expected"), result.lock.get("expected_difference")
    if not forecast:
        return []
    expected = apart or forecast
    ends = _span(expected) if apart else _bounds(expected)
    what = f"difference from {view.best_single}" if apart else "score"
    if view.split == "test":
        place = view.singles.get(str(view.best_single))
        score = view.score(view.rows[view.winner_place])
        other = 0.0 if not apart or place is None else view.score(view.rows[place])
        inside = "inside" if expected["low"] <= score - other <= expected["high"] else "outside"
        value = points(score - other)
        if not apart:
            value, low, high = percents(score, forecast["low"], forecast["high"])
            ends = f"{low} to {high}"
        text = f"Its {what} on test, {value}, is {inside} the {ends} that tune predicted."
        return [Sentence("expectation", text)]
    questions = f"the {counted(forecast['n'], 'question')} of test"
    text = f"On {questions} its expected {what} is {ends}."
    if apart:
        text = (
            f"On {questions} its expected {what} is {points(apart['score'])} points (95% {ends})."
        )
    if is_empty(forecast):
        text = f"{questions.capitalize()} can show nothing: any score is expected."
    return [Sentence("expectation", text)]


def is_empty(forecast: Facts) -> bool:
    """Return whether no score is expected."""
    return bool(forecast["low"] <= 0 and forecast["high"] >= 1)


def _bounds(forecast: Facts) -> str:
    return f"{percent(forecast['low'])} to {percent(forecast['high'])}"


def _span(forecast: Facts) -> str:
    return f"{points(forecast['low'])} to {points(forecast['high'])}"


def _expected(result: SweepResult) -> str:
    """Return the forecast of the winner's score and of its difference from the best list."""
    forecast, apart = result.lock.get("expected"), result.lock.get("expected_difference")
    if not forecast:
        return ""
    text = (
        f"{result.manifest['objective']} {percent(forecast['score'])} (95% {_bounds(forecast)}) "
        f"on {counted(forecast['n'], 'question')}. Tune's {percent(forecast['tune'])} is that of "
        f"the best of {counted(len(result.trials), 'trial')}; {points(forecast['bias'])} points "
        "of it are the winner's curse, estimated by repeating the whole choice in bootstrap "
        "resamples and scoring it on the questions left out."
    )
    if apart:
        text += (
            f" Its difference from {result.whole.best_single} is {points(apart['tune'])} points "
            f"on tune; {points(apart['score'])} (95% {points(apart['low'])} to "
            f"{points(apart['high'])}) is expected on test."
        )
    return text


def _power(result: SweepResult) -> str:
    """Return the power of the winner's test against the best single list."""
    power, best = result.lock.get("power"), result.whole.best_single
    if not power or "n_effective" not in power:
        return ""
    known, smallest, queries = power["n_effective"], power["smallest"], power["queries"]
    shared = "" if known == power["n"] else f", worth {known} independent ones"
    least = "no net win reaches significance in 4 of 5 tests"
    if smallest is not None:
        least = f"the smallest net win that 4 of 5 tests find is {points(smallest)} points"
    needed = f" (for .80 it takes {queries} questions)" if queries else ""
    return (
        f"the test of the winner against {best}, at tune's discordance "
        f"({percent(power['discordance'])}% of questions differ) and "
        f"{counted(power['n'], 'question')}{shared}: {least}. Its net win on tune is "
        f"{points(power['effect'])} points; less the winner's curse it is "
        f"{points(power['effect_corrected'])} points, found with probability "
        f"{power['power_corrected']:.2f}{needed}."
    )


def _edges(result: SweepResult) -> str:
    """Return where the winner is at the edge of an axis that could be extended."""
    named = [
        f"the winner has {edge['knob']}={edge['value']:g} (next: {edge['next']:g})"
        for edge in result.lock.get("edges") or ()
    ]
    last = "the last value of its axis. Another value may be better: try a wider grid."
    return f"{'; '.join(named)}: {last}" if named else ""
