"""One table of several comparisons, each with rows and a row of its own that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.core.table import Column, Table
from harness.report.table.comparison_table import ComparisonTable
from harness.sweep.folder import SweepResult


def parts_table(result: SweepResult, spec: Mapping[str, Any], experiment: Mapping[str, Any]) -> Table:
    """``spec.parts`` (``label, against, rows`` each) one below the other.

    The first column, ``spec.unit``, names the part; the last is how many candidates a query has in the row's pool (on
    tune), a dash for single lists.
    """
    parts = [(part["label"], ComparisonTable(result, {**spec, **part}, experiment)) for part in spec["parts"]]
    tables = [(label, compared, compared.table()) for label, compared in parts]
    first = tables[0][2]
    titles = [column.title for column in first.columns]
    rows = []
    for label, compared, table in tables:
        own = [column.title for column in table.columns]
        for line, row in zip(compared.lines, table.rows, strict=True):
            values = dict(zip(own, row, strict=True))
            knobs = result.whole.rows[line.place]["parameters"]
            rows.append([label, *(values.get(title) for title in titles), _candidates(result, knobs)])
    columns = [Column(spec["unit"], "text"), *first.columns, Column("candidates", "text")]
    caption = f"{first.caption} Candidates: mean number of passages in a query's pool, on tune."
    commands = [command for _, _, table in tables for command in table.commands]
    return replace(first, caption=caption, columns=columns, rows=rows, commands=commands)


def _candidates(result: SweepResult, knobs: Mapping[str, Any]) -> str | None:
    wanted = knobs.get("pool.lists"), knobs.get("pool.cap")
    found = [one["candidates"] for one in result.manifest["ceiling"] if (one["lists"], one["cap"]) == wanted]
    return f"{found[0]:.1f}" if found and "candidates" in result.manifest["ceiling"][0] else None
