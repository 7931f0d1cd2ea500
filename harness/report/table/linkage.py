"""What links passages, and what that does for gold (``harness linkage``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.table import Column, Table


def gold_table(found: Mapping[str, Any]) -> Table:
    """A row a kind of link: the share of gold pairs that it joins, and the passages that it reaches."""
    gold = found["gold"]
    hops = list(gold["by_hops"]) if len(gold["by_hops"]) > 1 else []
    columns = [
        Column("link", "text"), Column("joined %"), *(Column(f"{hop} hops %") for hop in hops),
        Column("reached", "value"), Column("p90", "value"), Column("precision %"),
    ]  # fmt: skip
    rows = [
        [
            name,
            way["joined"],
            *(way["by_hops"][hop] for hop in hops),
            way["reached"]["median"],
            way["reached"]["p90"],
            way["precision"],
        ]
        for name, way in gold["ways"].items()
    ]
    size = f"{gold['pairs']:,} gold pairs of {gold['questions']:,} questions"
    title = f"{found['dataset']}, split {found['split']}: {size}"
    return Table("linkage", title, columns, rows)


def link_table(found: Mapping[str, Any]) -> Table:
    """A row a kind of link: the passages that have one, how many, and the largest connected component."""
    columns = [
        Column("link", "text"), Column("linked %"), Column("links", "value"), Column("p90", "value"),
        Column("most", "count"), Column("largest component %"),
    ]  # fmt: skip
    rows = [
        [name, kind["linked"], kind["median"], kind["p90"], kind["most"], kind["component"]]
        for name, kind in found["links"].items()
    ]
    return Table("links", f"{found['dataset']}: {found['passages']:,} passages", columns, rows)
