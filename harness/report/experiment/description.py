"""The description of an experiment, as conf/experiment/<name>.yaml has it, with its faults."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from harness.core.errors import HarnessError, nearest
from harness.evaluation.metric import Metric

EXPERIMENT = ("source", "differs", "made_with", "tables", "figures")
USUAL = {"source": "An experiment of our own", "differs": "there are none for these lists."}
"""What stands for the publication, and its differences, of an experiment that has none."""
TABLES = {
    "rows": ("metrics", "against", "slices", "odds", "objective"),
    "parts": ("metrics", "unit", "objective"),
    "graphs": (),
    "summary": (),
}
"""The keys of a table next to its name and title, by the key of what it shows."""
OPTIONAL = ("slices", "odds", "objective")
PUBLISHED = ("source", "differs", "made_with", "blocks")
"""The further keys that any table may have."""
ROWS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "rows": (("label", "where"), ("published", "as", "same", "unmeasured")),
    "parts": (("label", "against", "rows"), ("series",)),
    "graphs": (("label", "list"), ()),
    "summary": (("label", "where"), ("published",)),
}
"""The required and the optional keys of what a table shows."""


def read_experiment(section: Mapping[str, Any] | None, place: str) -> dict[str, Any]:
    """Return the description of an experiment, with what it leaves out.

    Args:
        section: the section ``experiment`` of a configuration; None for none.
        place: the file that has it.

    Raises:
        HarnessError: the description has faults; one line names all of them.
    """
    if section is None:
        return {}
    faults: list[str] = []
    if _check_keys(faults, "experiment", section, (), EXPERIMENT):
        for number, table in enumerate(_listed(faults, section, "tables")):
            _check_table(faults, f"experiment.tables.{number}", table)
        for number, figure in enumerate(_listed(faults, section, "figures")):
            _check_keys(faults, f"experiment.figures.{number}", figure, ("name", "kind"), None)
    if faults:
        raise HarnessError(f"{place}: {'; '.join(faults)}; correct that file")
    return {**USUAL, **section}


def _listed(faults: list[str], section: Mapping[str, Any], key: str) -> list[Any]:
    """Return the entries of a key, none if it is missing or no list, which is a fault."""
    entries = section.get(key) or []
    if isinstance(entries, (list, tuple)):
        return list(entries)
    faults.append(f"experiment.{key}: expected a list, got {str(entries)[:60]!r}")
    return []


def _check_table(faults: list[str], place: str, table: Any) -> None:
    kind = next((key for key in TABLES if isinstance(table, Mapping) and key in table), "")
    if not kind:
        faults.append(f"{place}: expected one of the keys {', '.join(TABLES)}")
        return
    keys = TABLES[kind]
    required = ("name", "title", *(key for key in keys if key not in OPTIONAL))
    if not _check_keys(faults, place, table, required, (kind, *keys, *PUBLISHED)):
        return
    _check_metrics(faults, f"{place}.metrics", table.get("metrics") or ())
    _check_metrics(faults, f"{place}.objective", table.get("objective") or ())
    _check_rows(faults, place, kind, table)
    if kind == "parts":
        for number, part in enumerate(table[kind]):
            if isinstance(part, Mapping):
                _check_rows(faults, f"{place}.parts.{number}", "rows", part)


def _check_rows(faults: list[str], place: str, kind: str, table: Mapping[str, Any]) -> None:
    """Add the faults of the rows of a table, and of the row that others are compared with."""
    rows = table.get(kind)
    if not isinstance(rows, (list, tuple)):
        faults.append(f"{place}.{kind}: expected a list")
        return
    for number, row in enumerate(rows):
        _check_keys(faults, f"{place}.{kind}.{number}", row, *ROWS[kind])
    labels = [str(row.get("label")) for row in rows if isinstance(row, Mapping)]
    against = table.get("against")
    if kind == "rows" and against is not None and str(against) not in labels:
        hint = nearest(str(against), labels)
        faults.append(f"{place}.against: no row has the label {against}{hint}")


def _check_metrics(faults: list[str], place: str, metrics: Any) -> None:
    for name in metrics if isinstance(metrics, (list, tuple)) else [metrics]:
        try:
            Metric.parse(str(name))
        except HarnessError as error:
            faults.append(f"{place}: {error}")


def _check_keys(
    faults: list[str],
    place: str,
    node: Any,
    required: Collection[str],
    optional: Collection[str] | None,
) -> bool:
    """Add the faults of a section's keys. Return whether it is a section.

    Args:
        faults: gets the faults.
        place: the key of the section.
        node: the section.
        required: keys that it must have.
        optional: the others that it may have; None for any.
    """
    if not isinstance(node, Mapping):
        faults.append(f"{place}: expected keys with values, got {str(node)[:60]!r}")
        return False
    faults += [f"{place}: {key} is missing" for key in required if key not in node]
    if optional is not None:
        known = [*required, *optional]
        wrong = [str(key) for key in node if key not in known]
        faults += [f"{place} has no {key}{nearest(key, known)}" for key in wrong]
    return True
