"""The trials in an experiment's tables: of those that match a row's description,
the best on tune.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.core.errors import HarnessError, nearest
from harness.sweep.folder.rows import Row, Setting, Settings

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
        found = (
            f"{error} is missing"
            if isinstance(error, KeyError)
            else f"{type(error).__name__}: {error}"
        )
        raise HarnessError(
            f"{part}: {found[:200]}; expected the form of conf/experiment/*.yaml (see "
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


def find_trials(described: Sequence[Spec], trials: Sequence[Settings]) -> list[int | None]:
    """Return for each described row the index of its trial among ``trials``, or None.

    A row is ``{label, where, as, same}``: its trial is the first that matches ``where`` and, with
    ``as``, has the same value as that row's trial in every knob of ``same``.

    Args:
        described: the rows.
        trials: knobs in the order of a leaderboard.
    """
    places: dict[str, int | None] = {}
    for row in described:
        where = dict(row["where"])
        if "as" in row:
            if row["as"] not in places:
                raise HarnessError(
                    f"experiment: row {row['label']!r} is as "
                    f"{row['as']!r}{nearest(row['as'], places)}, "
                    "which is no row above it"
                )
            place = places[row["as"]]
            where |= (
                {} if place is None else {knob: trials[place].get(knob) for knob in row["same"]}
            )
        places[row["label"]] = next(
            (place for place, knobs in enumerate(trials) if matches(knobs, where)), None
        )
    return list(places.values())


def find_named(experiment: Spec | None, trials: Sequence[Settings]) -> list[int]:
    """Return the indices of all trials in the experiment's tables, which are locked with the
    winner.
    """
    with described_errors("experiment.tables"):
        tables = (experiment or {}).get("tables") or []
        described = [
            part["rows"]
            for table in tables
            for part in table.get("parts", [table])
            if "rows" in part
        ]
        found = [place for rows in described for place in find_trials(rows, trials)]
    return list(dict.fromkeys(place for place in found if place is not None))


def find_added(added: Mapping[str, tuple[str, str]], rows: Sequence[Row]) -> dict[str, int]:
    """Return the index of the best fusion with each added strategy or list; rows: best first."""
    fused = [place for place, row in enumerate(rows) if row["family"] != "single"]
    found = {
        name: next(
            (place for place in fused if _holds(rows[place]["parameters"].get(knob), value)), None
        )
        for name, (knob, value) in added.items()
    }
    return {name: place for name, place in found.items() if place is not None}


def _holds(setting: Setting, value: str) -> bool:
    return value in setting if isinstance(setting, list) else setting == value
