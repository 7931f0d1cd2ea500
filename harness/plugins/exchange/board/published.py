"""Published figures beside a board: ``claims.yaml`` of its repository, shown apart from what is scored from lists."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import HarnessError, bounded
from harness.core.input import read_settings
from harness.evaluation.metric import Metric

NAME = "claims.yaml"
TEXTS = ("benchmark", "system", "metric", "source", "sample")
LONGEST = 400
"""Characters of a text, at most."""


@dataclass(frozen=True)
class Figure:
    """A figure that somebody printed, not checked by anything.

    figure: a share from 0 to 1.    source: where it is printed.    sample: which questions and passages it is of.
    """

    benchmark: str
    system: str
    metric: str
    figure: float
    source: str
    sample: str


def read_published(folder: Path) -> list[Figure]:
    """The figures of a board's ``claims.yaml``, in its order; none where it has no such file.

    Raises HarnessError that names the entry, its field and what is expected.
    """
    path = folder / NAME
    if not path.is_file():
        return []
    entries = read_settings(path)
    expected = f"a list of {{{', '.join(TEXTS)}: text, figure: share}}"
    if not isinstance(entries, list):
        raise HarnessError(f"{path}: found {str(entries)[:40]!r}, expected {expected}")
    return [_figure(f"{path}: entry {number}", entry, expected) for number, entry in enumerate(entries, 1)]


def _figure(where: str, entry: object, expected: str) -> Figure:
    if not isinstance(entry, dict) or set(entry) != {*TEXTS, "figure"}:
        raise HarnessError(f"{where}: found {str(entry)[:80]!r}, expected {expected}")
    for name in TEXTS:
        if not isinstance(entry[name], str) or not 0 < len(entry[name].strip()) <= LONGEST:
            raise HarnessError(f"{where}: {name} = {str(entry[name])[:40]!r}, expected 1 to {LONGEST} characters")
    bounded(f"{where}: figure", entry["figure"], 0, 1)
    Metric.parse(entry["metric"])
    return Figure(**entry)
