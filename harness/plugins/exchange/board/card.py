"""A system's card: what it is, what it learned from, what it costs. Keys are ir_metadata's where that has them.

ir_metadata (Breuer, Keller & Schaer 2022, https://www.ir-metadata.org) names ``tag``, ``actor``, ``implementation``,
``method`` and ``data``; ``version``, ``encoder``, ``language models``, ``fitted data``, ``split``, ``cost``,
``licence`` and ``claims`` are ours. Further keys are allowed, and not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError, bounded
from harness.core.input import value_at
from harness.evaluation.metric import Metric
from harness.run.metadata import FIELDS, read_fields, write_fields

OPTIONAL = ("team", "commit")
LISTED = ("language_models", "trained_on", "fitted_on")
LONGEST = 200
"""Characters of a text, and entries of a list, at most."""
HINTS = {
    "code": "its address, or `closed`", "encoder": "its name, or `none`", "language_models": "a list, or []",
    "trained_on": "what weights were learned from: [NAME/SPLIT, ...], or []", "cost": "e.g. '2 CPU hours, no fee'",
    "fitted_on": "what knobs were chosen on: [NAME/SPLIT, ...], or []", "licence": "of the lists, e.g. CC-BY-4.0",
}  # fmt: skip
"""What a field is to hold, where its name does not say it."""


@dataclass(frozen=True)
class Card:
    """What is said of a system; texts of strangers, none of them checked but ``claims``.

    trained_on, fitted_on: ``benchmark/split`` each.    claims: metric to share of the test questions.
    """

    system: str
    version: str
    code: str
    encoder: str
    benchmark: str
    cost: str
    licence: str
    language_models: tuple[str, ...]
    trained_on: tuple[str, ...]
    fitted_on: tuple[str, ...]
    team: str = ""
    commit: str = ""
    claims: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """System and version."""
        return f"{self.system} {self.version}"

    @property
    def own_data(self) -> bool:
        """Whether anything of it was learned or chosen on its benchmark."""
        return any(name.partition("/")[0] == self.benchmark for name in (*self.trained_on, *self.fitted_on))


def read_card(path: Path) -> Card:
    """The card in a file. Raises HarnessError that names all fields that are missing, or the first that is no such."""
    values = read_values(path)
    if lacking := missing(values):
        raise HarnessError(f"{path}: no value for {'; '.join(lacking)}")
    try:
        texts = {name: _text(path, name, values[name]) for name in FIELDS if name not in LISTED}
        lists = {name: _texts(path, name, values[name]) for name in LISTED}
        return Card(**texts, **lists, claims=_claims(path, values["claims"]))  # type: ignore[arg-type]
    except ValueError as error:  # an integer of more digits than Python writes or reads
        raise HarnessError(f"{path}: {error}; write a text or a number of a few digits") from error


def read_values(path: Path) -> dict[str, object]:
    """The fields' values as they stand in the file, None where there is none; and ``claims``."""
    return read_fields(path, {**FIELDS, "claims": ("claims",)})


def missing(values: Mapping[str, object]) -> list[str]:
    """The fields without a value, each with its key in the file and what it is to hold."""
    lacking = [name for name in FIELDS if name not in OPTIONAL and values[name] is None]
    return [f"{': '.join(FIELDS[name])}" + (f" ({HINTS[name]})" if name in HINTS else "") for name in lacking]


def write_card(path: Path, values: Mapping[str, object]) -> None:
    """Write the fields' values; None stays as an empty place to fill in."""
    claimed = values.get("claims")
    claims = {"claims": dict(claimed)} if isinstance(claimed, Mapping) and claimed else {}
    everything = {**{name: values.get(name) for name in FIELDS}, **claims}
    write_fields(path, everything, {**FIELDS, "claims": ("claims",)})


def _text(path: Path, name: str, value: Any) -> str:
    if value is None and name in OPTIONAL:
        return ""
    plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    if not plain or not 0 < len(str(value).strip()) <= LONGEST:
        expected = f"a text of at most {LONGEST} characters"
        raise HarnessError(f"{path}: {': '.join(FIELDS[name])} = {str(value)[:40]!r}, expected {expected}")
    return str(value)


def _texts(path: Path, name: str, value: Any) -> tuple[str, ...]:
    form = "texts" if name == "language_models" else "{name: ..., split: ...}"
    if not isinstance(value, list) or len(value) > LONGEST:
        place = ": ".join(FIELDS[name])
        raise HarnessError(f"{path}: {place} = {str(value)[:40]!r}, expected a list of {form}, at most {LONGEST}")
    if name != "language_models":
        value = [f"{value_at(one, ('name',))}/{value_at(one, ('split',))}" if _named(one) else None for one in value]
    return tuple(_text(path, name, one) for one in value)


def _named(entry: Any) -> bool:
    return all(isinstance(value_at(entry, (key,)), str) and value_at(entry, (key,)) for key in ("name", "split"))


def _claims(path: Path, value: Any) -> dict[str, float]:
    claims = {} if value is None else value
    if not isinstance(claims, dict) or len(claims) > LONGEST:
        raise HarnessError(f"{path}: claims = {str(value)[:40]!r}, expected a mapping such as {{last_hop@5: 0.412}}")
    for name, share in claims.items():
        Metric.parse(str(name))
        bounded(f"{path}: claims: {str(name)[:40]}", share, 0, 1)
    return {str(name): float(share) for name, share in claims.items()}
