"""The result of answering: data, table, estimate, and published figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.benchmark import Benchmark
from harness.core.arrays import Int64Array
from harness.core.identity import code_version
from harness.core.table import Column, Table, counted
from harness.plugins.llm.answering.answering import AnswerScores
from harness.plugins.llm.endpoint.chat import Estimate

if TYPE_CHECKING:
    from harness.sweep.judge.table_rows import Spec

COLUMNS = (
    Column("condition", "text"),
    Column("passages", "text"),
    Column("n", "count"),
    Column("EM %"),
    Column("EM 95%", "interval", "EM %"),
    Column("F1 %"),
    Column("F1 95%", "interval", "F1 %"),
    Column("W", "count"),
    Column("L", "count"),
    Column("p", "p"),
    Column("F1 diff 95%", "span"),
    Column("unusable", "count"),
)
SCORES = (
    "em",
    "em_interval",
    "f1",
    "f1_interval",
    "wins",
    "losses",
    "p_cluster",
    "f1_difference_interval",
    "unusable",
)
"""The keys of a condition in the last columns."""
RULES = {
    "by cluster": "p and intervals by cluster",
    "too few clusters": "too few clusters for p and intervals",
}
"""The part of the table's title for the rule that decides."""


def result(
    conditions: Mapping[str, AnswerScores],
    against: str | None,
    data: Benchmark,
    members: Int64Array,
    split: str,
    reader: Mapping[str, object],
    published: Spec,
) -> dict[str, object]:
    """Return everything, for JSON."""
    ids = data.query_ids.to_pylist()
    rows = []
    for name, judged in conditions.items():
        versus = {} if against in (None, name) else judged.against(conditions[against])
        counted = dict(judged.counted)
        unusable = sum(counted.get("malformed", {}).values())
        rows.append(
            {
                "condition": name,
                "source": judged.condition.source,
                "k": judged.condition.k,
                "passages": judged.passages,
                **judged.scores(),
                **versus,
                "unusable": unusable,
                "counted": counted,
            }
        )
    per_query = {}
    for i, number in enumerate(members.tolist()):
        answers = {}
        for name, judged in conditions.items():
            answers[name] = {"answer": judged.answers[i], "em": judged.em[i], "f1": judged.f1[i]}
        per_query[ids[number]] = answers
    figures = published.get("rows", {}).get(data.name, {})
    return {
        "dataset": data.name,
        "data_sha256": data.sha256,
        "split": split,
        "n": len(members),
        "of": len(data.members(split)),
        "baseline": against,
        "reader": dict(reader),
        "code": code_version(),
        "conditions": rows,
        "published": {
            "paper": published.get("paper"),
            "differs": published.get("differs"),
            "rows": {
                system: {"em": em / 100, "f1": f1 / 100} for system, (em, f1) in figures.items()
            },
        },
        "per_query": per_query,
    }


def table(report: Mapping[str, Any]) -> Table:
    """Return the table: a row per condition, then the published ones."""
    rows: list[list[Any]] = [
        [row["condition"], f"{row['passages']:.1f}", report["n"], *map(row.get, SCORES)]
        for row in report["conditions"]
    ]
    for system, scores in report["published"]["rows"].items():
        rows.append(
            [f"published: {system}", None, None, scores["em"], None, scores["f1"], *[None] * 6]
        )
    model = report["reader"].get("model", "")
    part = f"{report['n']} of {counted(report['of'], 'question')}, split {report['split']}"
    title = f"{report['dataset']}: {part}, reader {model}, in percent"
    title += f", W and L against {report['baseline']}" if report["baseline"] else ""
    decides = {row["decides"] for row in report["conditions"] if "decides" in row}
    title += "".join(f", {words}" for how, words in RULES.items() if how in decides)
    if report["published"]["rows"]:
        title += f"; published, not comparable: {report['published']['paper']}"
    return Table("answers", title, COLUMNS, rows)


def notes(report: Mapping[str, Any]) -> list[str]:
    """Return the sentences below the table."""
    counted = [row["counted"] for row in report["conditions"]]
    answers = sum(counts["answers"] for counts in counted)
    prompt = sum(counts["tokens"]["prompt"] for counts in counted)
    completion = sum(counts["tokens"]["completion"] for counts in counted)
    lines = [
        f"{answers} answers, {prompt} prompt and {completion} completion tokens if each condition "
        "is asked alone; requests of several conditions, and stored answers, are paid for once"
    ]
    unusable = sum(row["unusable"] for row in report["conditions"])
    if unusable:
        again = int(report["reader"].get("refresh", 0)) + 1
        lines.append(
            f"{unusable} unusable (another form, cut, or refused), counted as wrong; "
            f"reader.refresh={again} asks again"
        )
    if report["published"]["rows"]:
        lines.append(f"published: {report['published']['paper']}; {report['published']['differs']}")
    if report["split"] != "tune":
        lines.append("these are test questions: use them for no choice")
    return lines


def estimate_table(estimates: Mapping[str, Estimate], dataset: str, n: int) -> Table:
    """Return the table of each condition's estimate."""
    parts = ("requests", "kept", "prompt", "completion")
    rows: list[list[Any]] = [
        [name, *map(dict(estimate).get, parts)] for name, estimate in estimates.items()
    ]
    _, *numbers = zip(*rows, strict=True)
    rows.append(["all", *map(sum, numbers)])
    counts = ("requests", "answered", "prompt tokens", "completion tokens")
    columns = [Column("condition", "text"), *(Column(title, "count") for title in counts)]
    return Table("estimate", f"{dataset}: {counted(n, 'question')} a condition", columns, rows)
