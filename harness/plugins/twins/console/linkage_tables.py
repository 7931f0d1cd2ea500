"""What `harness linkage` says: tables of what links passages and what that does for gold, and sentences below them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired

from harness.core.table import Column, Table, counted, percent, points, span
from harness.plugins.twins.analysis.linkage_gain import Expected, Judged
from harness.plugins.twins.analysis.links import Described, Joined, Reached, Started

REACHED = (Column("reached", "value"), Column("p90", "value"), Column("precision %"))


class Linkage(Described):
    """What `harness linkage` found."""

    dataset: str
    split: str
    rare: int
    gold: Joined | None
    start: Started | None
    expected: NotRequired[dict[str, Expected]]
    judged: NotRequired[Judged]


def tables_of(found: Linkage, encoder: str, explain: bool) -> list[Table]:
    """The tables of what was found, at least one.    encoder: of the measured gains."""
    tables = [gold_table(found, gold)] if (gold := found["gold"]) else []
    tables += [start_table(found, start)] if (start := found["start"]) else []
    if explain or not tables:
        tables.append(link_table(found))
    if explain and "expected" in found:
        tables.append(gain_table(found, encoder))
    return tables


def gold_table(found: Linkage, gold: Joined) -> Table:
    """A row a kind of link: the share of gold pairs that it joins, and the passages that it reaches."""
    hops = list(gold["by_hops"]) if len(gold["by_hops"]) > 1 else []
    columns = [
        Column("link", "text"), Column("joined %"), *(Column(f"{hop} hops %") for hop in hops), *REACHED,
    ]  # fmt: skip
    rows = [
        [name, way["joined"], *(way["by_hops"][hop] for hop in hops), *_reached(way)]
        for name, way in gold["ways"].items()
    ]
    size = f"{counted(gold['pairs'], 'gold pair')} of {counted(gold['questions'], 'question')}"
    return Table("linkage", f"{found['dataset']}, split {found['split']}: {size}", columns, rows)


def start_table(found: Linkage, start: Started) -> Table:
    """A row a number of steps from the passages that a question names: the last hops there, and the passages."""
    columns = [Column("steps from a named title", "text"), Column("last hops %"), *REACHED]
    rows = [[str(steps), row["last"], *_reached(row)] for steps, row in start["steps"].items()]
    asked = start["questions"]
    named = f"from the titles that {counted(asked, 'question')} name{'s' * (asked == 1)}"
    return Table("start", f"{found['dataset']}, split {found['split']}: {named}", columns, rows)


def gain_table(found: Linkage, encoder: str) -> Table:
    """A row a measured benchmark: graph's gain over dense, and what the others let expect; this one's on top."""
    columns = [
        Column("benchmark", "text"), Column("one step away %"), Column("gain", "points"),
        Column("expected", "points"), Column("95% of expected", "span", "expected"),
    ]  # fmt: skip
    rows = [
        [name, row["share"], row.get("gain"), row["expected"], row["interval"]]
        for name, row in {**found["expected"], **found["judged"]["benchmarks"]}.items()
    ]
    title = (
        f"graph less dense by last_hop@5, measured on tune with encoder={encoder}; expected from the other benchmarks"
    )
    return Table("gain", title, columns, rows)


def link_table(found: Linkage) -> Table:
    """A row a kind of link: the passages that have one, how many, and the largest connected component."""
    columns = [
        Column("link", "text"), Column("linked %"), Column("links", "value"), Column("p90", "value"),
        Column("most", "count"), Column("largest component %"),
    ]  # fmt: skip
    rows = [
        [name, kind["linked"], kind["median"], kind["p90"], kind["most"], kind["component"]]
        for name, kind in found["links"].items()
    ]
    return Table("links", f"{found['dataset']}: {counted(found['passages'], 'passage')}", columns, rows)


def _reached(way: Reached) -> list[float | None]:
    return [way["reached"]["median"], way["reached"]["p90"], way["precision"]]


def linkage_sentences(found: Linkage, measured: Mapping[str, Any]) -> list[str]:
    """Where a walk can start, titles that say too little, and what is expected, with how often that was wrong.

    measured: ``rare`` and ``encoder`` of the benchmarks that an expectation is fitted on.
    """
    said = []
    if start := found["start"]:
        said.append(
            f"{percent(start['names_gold'])}% of the questions name the title of a gold passage, "
            f"{percent(start['names_any'])}% that of any passage."
        )
        if not found["gold"]:
            said.append("No question has two gold passages, so there is no pair to join.")
    shared, without = found["ambiguous_titles"], found["without_title"]
    said.append(f"{shared:,} of {found['passages']:,} passages share their title with another, {without:,} have none.")
    if "expected" in found:
        name = found["dataset"]
        said += _expectation(found["expected"][name], found["judged"], measured["encoder"], name)
    elif start:
        other_rare = f"others were measured at rare={measured['rare']}"
        why = "no hop order is known" if found["rare"] == measured["rare"] else other_rare
        said.append(f"Of graph over dense nothing is expected: {why}.")
    return said


def _expectation(expected: Expected, judged: Judged, encoder: str, name: str) -> list[str]:
    low, high = expected["interval"]
    sign = "more than dense" if low > 0 else "fewer than dense" if high < 0 else "neither more nor fewer is shown"
    count, own = len(judged["benchmarks"]), name in judged["benchmarks"]
    line = f"{count - own}{' other' * own} measured benchmarks"
    known = []
    if own:
        gain = judged["benchmarks"][name]["gain"]
        within = "within" if low <= gain <= high else "outside"
        known = [f"Measured on tune of {name}: {points(gain)} points, {within} the interval of what is expected below."]
    return [
        *known,
        f"Expected of graph over dense (encoder={encoder}) by last_hop@5: {points(expected['expected'])} points (95% "
        f"{span(expected['interval'])}): {sign}.",
        f"This is a line through {line}. Each of the {count} left out in turn, it missed the gain by "
        f"{percent(judged['error'])} points on average (the mean of the others by {percent(judged['error_of_mean'])}); "
        f"{judged['covered']} of {count} intervals held it. What it goes by was chosen on these: on yours it may miss "
        "by more.",
    ]
