"""What links passages, and what that does for gold (``harness linkage``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.table import Column, Table

REACHED = (Column("reached", "value"), Column("p90", "value"), Column("precision %"))


def gold_table(found: Mapping[str, Any]) -> Table:
    """A row a kind of link: the share of gold pairs that it joins, and the passages that it reaches."""
    gold = found["gold"]
    hops = list(gold["by_hops"]) if len(gold["by_hops"]) > 1 else []
    columns = [
        Column("link", "text"), Column("joined %"), *(Column(f"{hop} hops %") for hop in hops), *REACHED,
    ]  # fmt: skip
    rows = [
        [name, way["joined"], *(way["by_hops"][hop] for hop in hops), *_reached(way)]
        for name, way in gold["ways"].items()
    ]
    size = f"{gold['pairs']:,} gold pairs of {gold['questions']:,} questions"
    return Table("linkage", f"{found['dataset']}, split {found['split']}: {size}", columns, rows)


def start_table(found: Mapping[str, Any]) -> Table:
    """A row a number of steps from the passages that a question names: the last hops there, and the passages."""
    columns = [Column("steps from a named title", "text"), Column("last hops %"), *REACHED]
    rows = [[str(steps), row["last"], *_reached(row)] for steps, row in found["start"]["steps"].items()]
    named = f"from the titles that {found['start']['questions']:,} questions name"
    return Table("start", f"{found['dataset']}, split {found['split']}: {named}", columns, rows)


def gain_table(found: Mapping[str, Any], encoder: str) -> Table:
    """A row a measured benchmark: graph's gain over dense, and what the others let expect; this one's on top."""
    columns = [
        Column("benchmark", "text"), Column("one step away %"), Column("gain", "points"),
        Column("expected", "points"), Column("95% interval", "span"),
    ]  # fmt: skip
    rows = [
        [name, row["share"], row.get("gain"), row["expected"], row["interval"]]
        for name, row in {**found["expected"], **found["judged"]["benchmarks"]}.items()
    ]
    title = (
        f"graph less dense by last_hop@5, measured on tune with encoder={encoder}; expected from the other benchmarks"
    )
    return Table("gain", title, columns, rows)


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


def _reached(way: Mapping[str, Any]) -> list[float]:
    return [way["reached"]["median"], way["reached"]["p90"], way["precision"]]
