"""What the answers of `harness answer` become in a tracker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from harness.identity import digest
from harness.tracking.entry import KEPT_WHOLE, Entry, Group

NUMBERS = ("em", "f1", "wins", "losses", "p", "f1_difference", "unusable", "passages")


def answers(found: Mapping[str, Any], experiment: str) -> Group:
    """A run for the command, a run below it for each condition. See harness.report.answers for ``found``."""
    settings = {f"reader.{key}": _text(value) for key, value in found["reader"].items()}
    dataset, split, n = str(found["dataset"]), str(found["split"]), str(found["n"])
    name = digest([dataset, split, n, settings, [row["condition"] for row in found["conditions"]]])[:12]
    shown = [(row["condition"], _numbers(row)) for row in found["conditions"]]
    content = digest([experiment, found["data_sha256"], name, shown])
    common = {"dataset": dataset, "data_sha256": found["data_sha256"], "split": split, "code": found["code"]}
    top = Entry(
        id=digest([content, "parent"])[:32],
        name=f"answers {dataset} {name}",
        parent=None,
        params={**settings, "n": n, "baseline": str(found["baseline"])},
        metrics={},
        tags={**common, "kind": "answers"},
    )
    children = [
        Entry(
            id=digest([content, row["condition"]])[:32],
            name=str(row["condition"])[:250],
            parent=top.id,
            params={**settings, "n": n, "source": str(row["source"]), "k": _text(row["k"])},
            metrics=_numbers(row),
            tags={**common, "kind": "condition"},
        )
        for row in found["conditions"]
    ]
    return Group(f"answers/{name}", content, dataset, found["data_sha256"], split, [top, *children])


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    found = {name: float(row[name]) for name in NUMBERS if row.get(name) is not None}
    for name in ("em", "f1", "f1_difference"):
        if row.get(f"{name}_interval") is not None:
            found[f"{name}_low"], found[f"{name}_high"] = (float(bound) for bound in row[f"{name}_interval"])
    tokens: Mapping[str, int] = row["counted"].get("tokens", {})
    return {**found, **{f"tokens_{kind}": float(number) for kind, number in tokens.items()}}


def _text(value: Any) -> str:
    return (value if isinstance(value, str) else json.dumps(value))[:KEPT_WHOLE]
