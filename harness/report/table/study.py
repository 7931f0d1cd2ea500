"""The cost of a study, and a reproducibility checklist that is filled in from its sweeps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.benchmark.source import read_card
from harness.core.concepts import package_folder
from harness.core.configuration import leaves
from harness.core.table import Column, Table, counted
from harness.sweep.folder import SweepResult
from harness.work.compute import read_compute

SHORT = 16
"""Number of digits of a hash in a table; `details.tex` has all of them."""


def study_tables(results: Sequence[SweepResult], runs: Path) -> list[Table]:
    """Return the tables ``compute``, if the runs folder has records of its commands, and
    ``checklist``.

    Args:
        results: the sweeps of a report.
        runs: the runs folder, all of whose commands are counted, also failed ones.
    """
    records = read_compute(runs)
    compute = [_compute(records)] if records else []
    number, failed, processor, wall = _sums(records)
    lost = f" ({failed} failed)" if failed else ""
    total = (
        f"{counted(number, 'run')}{lost}, {processor:.1f} processor minutes, {wall:.1f} minutes of "
        "wall time"
    )
    return [*compute, _checklist(results, total)]


def _compute(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each command on each kind of machine, and a total."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        groups.setdefault((_machine(record), record["command"]), []).append(record)
    rows = [[*names, *_sums(own)] for names, own in sorted(groups.items())]
    rows.append(["all", "", *_sums(records)])
    columns = [
        Column("machine", "text"),
        Column("command", "text"),
        Column("runs", "count"),
        Column("failed", "count"),
        Column("processor minutes", "measured"),
        Column("minutes", "measured"),
    ]
    notes = [
        "Every sweep, held-out evaluation and preparation that was begun in this runs folder. "
        "Processor time is user and system time of a command's process and of "
        "the processes that it waited for."
    ]
    if killed := sum("wall" not in record for record in records):
        notes.append(
            f"Failed runs include {counted(killed, 'run')} killed before their time was recorded."
        )
    return Table("compute", "What the study cost", columns, rows, notes=notes)


def _sums(records: Sequence[Mapping[str, Any]]) -> tuple[int, int, float, float]:
    """Return runs, failed runs, processor minutes and minutes of wall time."""
    failed = sum(record.get("failed", True) for record in records)
    processor = sum(record.get("processor", 0.0) for record in records) / 60
    wall = sum(record.get("wall", 0.0) for record in records) / 60
    return len(records), failed, processor, wall


def _machine(record: Mapping[str, Any]) -> str:
    """Return processor, cores, memory and GPUs of a record."""
    hardware = record.get("hardware") or {}
    processor = hardware.get("cpu") or {}
    cores = processor.get("number of cores")
    cards = (hardware.get("gpu") or {}).get("model") or []
    parts = [
        processor.get("model", processor.get("architecture")),
        counted(cores, "core") if cores else None,
        hardware.get("ram"),
        *cards,
    ]
    return ", ".join(str(part) for part in parts if part)


def _checklist(results: Sequence[SweepResult], total: str) -> Table:
    """Return a row for each item and each of the sweeps' answers."""
    answers: dict[str, dict[str, None]] = {}
    for result in results:
        for item, answer in _of_sweep(result):
            answers.setdefault(item, {})[answer] = None
    machines = dict.fromkeys(
        _machine(dict(result.manifest.get("machine") or {})) for result in results
    )
    answers["Hardware"] = {"; ".join(filter(None, machines)) or "not noted": None}
    answers["Total compute"] = {total: None}
    rows = [
        ["" if place else item, answer]
        for item, own in answers.items()
        for place, answer in enumerate(own)
    ]
    columns = [Column("item", "text"), Column("answer", "text")]
    notes = [
        "The items are those of the reproducibility checklists of NeurIPS and ACL; the answers "
        "are read from manifests, locks and the ledger."
    ]
    return Table("checklist", "Reproducibility checklist", columns, rows, notes=notes)


def _of_sweep(result: SweepResult) -> Iterator[tuple[str, str]]:
    """Yield the items of a sweep with its answers."""
    manifest, view = result.manifest, result.locked
    name = str(manifest["dataset"])
    version = [*result.size, f"SHA-256 {manifest['data_sha256'][:SHORT]}"]
    yield "Dataset version", f"{name}: {', '.join(version)}"
    if (package_folder("datasets") / f"{name}.yaml").is_file():
        card = read_card(name)
        yield "Dataset licence and citation", f"{name}: {card.licence}; {card.citation}"
    test = f", {len(result.heldout_queries)} of test" if result.heldout else ""
    own = manifest.get("split_sha256")
    hashed = f", SHA-256 {own[:SHORT]}" if own else ""
    yield (
        "Split",
        f"{name}: {counted(len(result.queries), 'question')} of tune{test}; by the rule "
        f"{view.splitting}{hashed}",
    )
    evaluated = (
        f"evaluation {result.heldout[0]['evaluation']} of this test split"
        if result.heldout
        else "none: test was not evaluated"
    )
    yield "Evaluations on test", f"{name}: {evaluated}"
    yield "Hyperparameters tried", f"{name}: {_grid(result)}; chosen by {view.objective} on tune"
    yield (
        "Random seeds",
        f"{name}: {_seeds(result) or 'none is set; no step of this sweep draws at random'}",
    )
    yield (
        "Error bars",
        f"{name}: 95% intervals over questions{view.deciding}, paired for differences; they do "
        "not include the variation between training runs of an encoder or answers of a language "
        "model",
    )
    yield "Code and libraries", f"multihop harness {manifest['code']}; {result.libraries}"


def _grid(result: SweepResult) -> str:
    """Return the number of trials, and the number of values of each knob that varies."""
    knobs: dict[str, set[str]] = {}
    for row in result.whole.rows:
        for knob, value in dict(row["parameters"]).items():
            knobs.setdefault(knob, set()).add(json.dumps(value, sort_keys=True))
    many = [f"{knob} ({len(values)})" for knob, values in sorted(knobs.items()) if len(values) > 1]
    trials = counted(len(result.trials), "trial")
    return f"{trials}; values of {', '.join(many)}" if many else trials


def _seeds(result: SweepResult) -> str:
    """Return the keys of the configuration that set a random seed, with their values."""
    found = leaves(result.config)
    return ", ".join(f"{'.'.join(path)}={value}" for path, value in found if path[-1] == "seed")
