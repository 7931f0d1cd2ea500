"""The words for forecasts: the expected result on test, its power, and whether it came true."""

from __future__ import annotations

from collections.abc import Iterator

from harness.core.artifact import Facts
from harness.core.table import Column, Table, counted, percent, percents, points
from harness.evaluation.statement import Sentence
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View


def forecast_table(result: SweepResult) -> list[Table]:
    """Return what was known before test was scored, a row a fact; empty without a forecast."""
    rows = [*_expected(result), *_power(result), *_edges(result)]
    columns = [Column("before test", "text"), Column("value", "text")]
    notes = [
        "Winner's curse: by how much the best of many trials scores too high on tune, estimated by "
        "repeating the whole choice in bootstrap resamples and scoring it on the questions left "
        "out. Power: the chance that the winner's test against the best list finds its net win."
    ]
    title = "The forecast for test"
    return [Table("forecast", title, columns, rows, notes=notes)] if rows else []


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


def _expected(result: SweepResult) -> Iterator[list[object]]:
    """Yield the forecast of the winner's score and of its difference from the best list."""
    forecast, apart = result.lock.get("expected"), result.lock.get("expected_difference")
    if not forecast:
        return
    name, n = result.manifest["objective"], counted(forecast["n"], "question")
    yield [f"{name} expected on {n}", f"{percent(forecast['score'])} (95% {_bounds(forecast)})"]
    trials = counted(len(result.trials), "trial")
    yield [f"{name} on tune, of the best of {trials}", percent(forecast["tune"])]
    yield ["of these the winner's curse", f"{points(forecast['bias'])} points"]
    if apart:
        expected = f"{points(apart['score'])} points (95% {_span(apart)})"
        yield [f"difference from {result.whole.best_single} expected", expected]
        yield ["this difference on tune", f"{points(apart['tune'])} points"]


def _power(result: SweepResult) -> Iterator[list[object]]:
    """Yield the power of the winner's test against the best single list."""
    power = result.lock.get("power")
    if not power or "n_effective" not in power:
        return
    known, smallest, queries = power["n_effective"], power["smallest"], power["queries"]
    yield [
        f"questions that differ from {result.whole.best_single} on tune",
        f"{percent(power['discordance'])}%",
    ]
    if known != power["n"]:
        yield [f"independent ones that {counted(power['n'], 'question')} are worth", str(known)]
    detectable = "none" if smallest is None else f"{points(smallest)} points"
    yield ["smallest net win that 4 of 5 tests find", detectable]
    corrected = f"{points(power['effect_corrected'])} without the winner's curse"
    yield ["net win on tune", f"{points(power['effect'])} points, {corrected}"]
    yield ["power for the latter", f"{power['power_corrected']:.2f}"]
    if queries:
        yield ["questions for a power of .80", f"{queries:,}"]


def _edges(result: SweepResult) -> Iterator[list[object]]:
    """Yield the axes of which the winner has the last value: a wider grid may be better."""
    for edge in result.lock.get("edges") or ():
        yield [
            f"{edge['knob']} at the edge of the grid",
            f"{edge['value']:g} (next: {edge['next']:g})",
        ]
