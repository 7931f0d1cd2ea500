"""Which trials the rows of an experiment's tables are about."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError, nearest
from harness.evaluation.metric import Metric
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.list_scores import Settings
from harness.sweep.folder.lock import Baselines
from harness.sweep.judge.choice import by_rule

Spec = Mapping[str, Any]
"""A row, a table, a figure or an experiment as in conf/experiment; each kind has its own keys."""


@contextlib.contextmanager
def described_errors(part: str) -> Iterator[None]:
    """Report a missing or malformed part of an experiment's description in one line; part: its
    place.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        fault = (
            f"{error} is missing"
            if isinstance(error, KeyError)
            else f"{type(error).__name__}: {error}"
        )
        raise HarnessError(
            f"{part}: {fault[:200]}; expected the form of conf/experiment/*.yaml (see "
            "harness.report.experiment): mend "
            "the experiment's file and sweep again"
        ) from error


def matches(knobs: Settings, where: Mapping[str, object]) -> bool:
    """Return whether a trial's knobs are those of ``where``: a value, or a list of allowed ones.

    A missing knob is null.
    """
    for knob, wanted in where.items():
        allowed: list[object] = [wanted]
        if isinstance(wanted, (list, tuple)):
            allowed = [*wanted, [*wanted]]
        if knobs.get(knob) not in allowed:
            return False
    return True


def is_shown(row: JudgedTrial, spec: Spec) -> bool:
    """Return whether a table or figure may show a trial: it is untuned, or in one of the blocks of
    the grid that ``spec.blocks`` names (without that key: any).
    """
    return row.untuned or "blocks" not in spec or bool({*spec["blocks"]} & {*row.blocks})


def find_rows(
    table: Spec,
    described: Sequence[Spec],
    rows: Sequence[JudgedTrial],
    ranks: Int32Array,
    baselines: Baselines,
) -> list[int | None]:
    """Return for each described row of a table the index of its trial, or None.

    A row is ``{label, where, as, same}``: its trial is the first that matches ``where`` and, with
    ``as``, has the same value as that row's trial in every knob of ``same``. Trials are in the
    order of the protocol by ``table.objective``, or else by the sweep's.

    Args:
        table: its keys ``blocks`` and ``objective``.
        described: the rows of the table, or of one of its parts.
        rows: the leaderboard.
        ranks: int32[T, Q, H], their gold ranks on tune.
        baselines: the single lists.
    """
    order = [place for place, row in enumerate(rows) if is_shown(row, table)]
    shown = [rows[place] for place in order]
    if "objective" in table:
        key = baselines.lists.get(baselines.reference)
        base = next((at for at, row in enumerate(shown) if row.trial == key), None)
        candidates = [(row.practical, row.tie) for row in shown]
        ranking = by_rule(candidates, ranks[order], Metric.parse(table["objective"]), base)
        order = [order[at] for at in ranking]
    return _first_matches(described, {place: rows[place].parameters for place in order})


def _first_matches(described: Sequence[Spec], trials: Mapping[int, Settings]) -> list[int | None]:
    """Return for each described row the key of the first trial that it is about, or None."""
    places: dict[str, int | None] = {}
    for row in described:
        where = row["where"] | _same_knobs(row, places, trials)
        matching = (place for place, knobs in trials.items() if matches(knobs, where))
        places[row["label"]] = next(matching, None)
    return list(places.values())


def _same_knobs(
    row: Spec, places: Mapping[str, int | None], trials: Mapping[int, Settings]
) -> dict[str, object]:
    """Return the knobs that a described row has as another row's trial has them."""
    if "as" not in row:
        return {}
    if row["as"] not in places:
        raise ValueError(
            f"row {row['label']!r} is as {row['as']!r}{nearest(row['as'], places)}, which is no "
            "row above it"
        )
    place = places[row["as"]]
    return {} if place is None else {knob: trials[place].get(knob) for knob in row["same"]}


def find_named(
    experiment: Spec | None,
    rows: Sequence[JudgedTrial],
    ranks: Int32Array,
    baselines: Baselines,
) -> list[int]:
    """Return the indices of all trials in the experiment's tables, which are locked with the
    winner; the arguments are those of ``find_rows``.
    """
    places: list[int | None] = []
    with described_errors("experiment.tables"):
        for table in (experiment or {}).get("tables") or []:
            for part in table.get("parts", [table]):
                if "rows" in part:
                    places += find_rows(table, part["rows"], rows, ranks, baselines)
    return list(dict.fromkeys(place for place in places if place is not None))
