"""Tables of experiments only: several comparisons in one, statistics of graphs,
groups of trials.
"""

from __future__ import annotations

import json
from dataclasses import replace

from harness.core.table import Column, Source, Style, Table, counted, stack
from harness.evaluation.column import won_lost
from harness.report.table.comparison_table import UNPRINTED, ComparisonTable, not_comparable
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.judge.table_rows import Spec, is_shown, matches

GRAPHS = {
    "entities": Column("entities", "count"),
    "relation": Column("relation edges", "count"),
    "synonym": Column("synonym edges", "count"),
    "degree": Column("mean degree", "value"),
    "components": Column("components", "count"),
    "isolated_entities": Column("isolated entities %"),
    "isolated_passages": Column("isolated passages %"),
    "largest_component": Column("largest component %"),
}
"""The columns of graphs, by their names in facts."""


def parts_table(result: SweepResult, spec: Spec, experiment: Spec) -> Table:
    """Return ``spec.parts`` (``label, against, rows`` each) one below the other.

    The first column, ``spec.unit``, names the part; the last is the number of candidates of a
    question in the row's pool (on tune), a dash for single lists.
    """
    tables: dict[str, Table] = {}
    columns: list[Column] = []
    candidates = {
        json.dumps([pool["lists"], pool["cap"]]): pool.get("candidates")
        for pool in result.manifest["ceiling"]
    }
    for part in spec["parts"]:
        compared = ComparisonTable(result, {**spec, **part}, experiment)
        table = compared.table()
        columns = columns or [*table.columns, Column("candidates", "value")]
        rows = []
        for line, row in zip(compared.lines, table.rows, strict=True):
            values = dict(zip(table.titles, row, strict=True))
            knobs = result.whole.rows[line.place].parameters
            knob_pool = knobs.get("pool.lists"), knobs.get("pool.cap")
            values["candidates"] = candidates.get(json.dumps(knob_pool))
            rows.append([values.get(column.title) for column in columns])
        tables[part["label"]] = replace(table, columns=columns, rows=rows)
    table = stack(tables, spec["unit"])
    note = "Candidates: mean number of passages in a query's pool, on tune."
    return replace(table, notes=[*table.notes, note], style=Style())


def fragmentation(result: SweepResult, spec: Spec, experiment: Spec) -> Table:
    """Return a row for each graph of ``spec.graphs`` (``label, list``), from the
    sweep's manifest.
    """
    known = result.manifest.get("graphs", {})
    rows = []
    for label, facts in ((row["label"], known.get(row["list"])) for row in spec["graphs"]):
        if facts:
            values = {**facts, **facts["edges"], "degree": facts["entity_degree"]["mean"]}
            rows.append([label, *(values.get(key, 0) for key in GRAPHS)])
    columns = [Column("graph", "text"), *GRAPHS.values()]
    notes = [
        f"Degree: edges of an entity of any kind; components: parts of the "
        "graph without an edge between them; isolated: without any edge; the largest component's "
        "share: of all nodes. "
        f"{not_comparable(result, experiment, 'graphs')}.",
    ]
    source = Source(f"graphs of {result.manifest['dataset']}")
    return Table(spec["name"], spec["title"], columns, rows, source, notes)


def summary(result: SweepResult, spec: Spec, experiment: Spec) -> Table:
    """Return a row for each group of ``spec.summary`` (``label, where,
    published``), and a total.
    """
    objective = result.manifest["objective"]
    view = result.whole
    trials = [view.rows[place] for place in view.fused if is_shown(view.rows[place], spec)]
    rows = []
    for group in [*spec["summary"], {"label": "total", "where": {}}]:
        mine = [row for row in trials if matches(row.parameters, group["where"])]
        if mine:
            outcomes = [row.outcome for row in mine]
            counts = [(outcome.wins, outcome.losses) if outcome else (0, 0) for outcome in outcomes]
            most = max(counts, key=lambda count: (count[0], -count[1]))
            means = [sum(column) / len(mine) for column in zip(*counts, strict=True)]
            numbers = [len(mine), *most, *means, view.score(mine[0]), mine[0].name]
            rows.append([group["label"], *numbers, str(group.get("published", UNPRINTED))])
    columns = [
        Column("trials", "text"),
        Column("number", "count"),
        Column("most W", "count"),
        Column("its L", "count"),
        Column("mean W", "value"),
        Column("mean L", "value"),
        Column(f"best {objective} %"),
        Column("best strategy", "text"),
        Column("published", "text"),
    ]
    if all(row[-1] == UNPRINTED for row in rows):
        rows, columns = [row[:-1] for row in rows], columns[:-1]
    facts = result.manifest
    extent = (
        f"{experiment['source']}, on {facts['dataset']}, tune split, n = "
        f"{counted(facts['n'], 'question')}"
    )
    source = Source("; ".join(filter(None, [extent, caption.systems(view)])))
    notes = [
        f"{won_lost('the trial', view.reference)}, by {objective}. "
        f"{not_comparable(result, experiment)}.",
    ]
    return Table(spec["name"], spec["title"], columns, rows, source, notes)
