"""What the answers of `harness answer` become in a tracker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.core.input import read_json
from harness.report.tracking.entry import Entry, Group
from harness.report.tracking.parameters import numbers, shortened, text

ASIDE = {"condition", "source", "k", "n"}


def read(path: Path) -> Group:
    """What a file of `harness answer` becomes. Raises HarnessError for one that is damaged."""
    found = read_json(path, "what `harness answer` kept")
    try:
        return answers(found, path)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"[:120]
        raise HarnessError(
            f"{path}: not what `harness answer` kept ({reason}); remove it and run `harness answer` again"
        ) from error


def answers(found: Mapping[str, Any], path: Path) -> Group:
    """A run for the command, a run below it for each condition. See harness.report.console.answers for ``found``."""
    dataset, split = str(found["dataset"]), str(found["split"])
    settings = {f"reader.{key}": text(value) for key, value in found["reader"].items() if key != "_target_"}
    base = {"dataset": dataset, "split": split, "n": str(found["n"]), **settings}
    scored = {str(row["condition"]): _numbers(row) for row in found["conditions"]}
    name = digest([base, list(scored)])[:12]
    content = digest([found["data_sha256"], name, list(scored.items())])
    common = {"dataset": dataset, "data_sha256": str(found["data_sha256"]), "split": split, "code": str(found["code"])}
    top = Entry(
        id=digest([content, "top"])[:32],
        name=f"answers {dataset} {name}",
        params=shortened({**base, "baseline": str(found["baseline"])}),
        metrics={"conditions": float(len(scored))},
        tags={**common, "kind": "answers"},
    )
    children = [
        Entry(
            id=digest([content, row["condition"]])[:32],
            name=str(row["condition"])[:250],
            params=shortened({**base, "source": str(row["source"]), "k": text(row["k"])}),
            metrics=scored[str(row["condition"])],
            tags={**common, "kind": "condition"},
        )
        for row in found["conditions"]
    ]
    data = (dataset, str(found["data_sha256"]), split)
    texts = {"answers_table.json": _table(found)}
    ended = path.stat().st_mtime
    return Group(f"answers/{name}", content, *data, ended, 0.0, top, children, {"answers.json": path}, texts)


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """Metrics with ``em_low`` and ``em_high`` for ``em_interval``; tokens, calls and cost."""
    flat = {key.removesuffix("_interval"): value for key, value in row.items() if key.endswith("_interval")}
    bounds = [pair for key, value in flat.items() for pair in numbers(key, value)]
    rest = {key: value for key, value in row.items() if key not in ASIDE and not key.endswith("_interval")}
    counted = rest.pop("counted", {})
    return dict([*numbers("", rest), *bounds, *numbers("", counted)])


def _table(found: Mapping[str, Any]) -> str:
    """A row a question and condition, as MLflow shows tables."""
    columns = ["query", "condition", "answer", "em", "f1"]
    rows = [
        [query, condition, one["answer"], one["em"], one["f1"]]
        for query, conditions in found["per_query"].items()
        for condition, one in conditions.items()
    ]
    return json.dumps({"columns": columns, "data": rows})
