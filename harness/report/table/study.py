"""The cost of a study, and a reproducibility checklist that is filled in from its sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from harness.benchmark.source.card import find_card
from harness.core.configuration.stored_strategy import leaves
from harness.core.table import Column, Table, counted
from harness.sweep.folder.result import SweepResult
from harness.work.compute import read_compute

RECORD = ["command", "hardware", "failed", "processor", "wall"]
SHORT = 16
"""Number of digits of a hash in a table; `details.tex` has all of them."""


def study_tables(results: Sequence[SweepResult], runs: Path) -> list[Table]:
    """Return the tables ``compute``, if the runs folder has records of its commands, and
    ``checklist``.

    Args:
        results: the sweeps of a report.
        runs: the runs folder, all of whose commands are counted, also failed ones.
    """
    spent = pd.DataFrame(read_compute(runs), columns=RECORD)
    spent["failed"] = spent["failed"].ne(False)
    for name in ("processor", "wall"):
        spent[name] = pd.to_numeric(spent[name], errors="coerce").fillna(0) / 60
    number, failed = len(spent), int(spent["failed"].sum())
    processor, wall = spent[["processor", "wall"]].sum()
    total = (
        f"{counted(number, 'run')} ({failed} failed), {processor:.1f} processor minutes, "
        f"{wall:.1f} minutes of wall time"
    )
    checklist = _checklist(results, total)
    if not number:
        return [checklist]
    groups = spent.groupby([spent["hardware"].map(_machine), "command"])
    sums = groups[["failed", "processor", "wall"]].sum()
    sums.insert(0, "runs", groups.size())
    rows = [[*names, *values] for names, *values in sums.itertuples()]
    rows.append(["all", "", number, failed, processor, wall])
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
        "the processes that it waited for. Killed runs are failed ones without a time."
    ]
    return [Table("compute", "What the study cost", columns, rows, notes=notes), checklist]


def _machine(hardware: Any) -> str:
    """Return processor, cores, memory and GPUs of a record."""
    known = hardware if isinstance(hardware, Mapping) else {}
    processor = known.get("cpu") or {}
    cores = processor.get("number of cores")
    parts = [
        processor.get("model", processor.get("architecture")),
        counted(cores, "core") if cores else None,
        known.get("ram"),
        *((known.get("gpu") or {}).get("model") or []),
    ]
    return ", ".join(str(part) for part in parts if part)


def _checklist(results: Sequence[SweepResult], total: str) -> Table:
    """Return a row for each item and each of the sweeps' answers."""
    answers: dict[str, dict[str, None]] = {}
    for result in results:
        for item, answer in _of_sweep(result):
            answers.setdefault(item, {})[answer] = None
    answers["Total compute"] = {total: None}
    rows = [
        ["" if place else item, answer]
        for item, texts in answers.items()
        for place, answer in enumerate(texts)
    ]
    columns = [Column("item", "text"), Column("answer", "text")]
    notes = [
        "The items are those of the reproducibility checklists of NeurIPS and ACL; the answers "
        "are read from manifests, locks and the ledger."
    ]
    return Table("checklist", "Reproducibility checklist", columns, rows, notes=notes)


def _of_sweep(result: SweepResult) -> Iterator[tuple[str, str]]:
    """Yield the items of a sweep with its answers."""
    manifest, view, rows = result.manifest, result.locked, result.whole.rows
    name = str(manifest["dataset"])
    digits = f"SHA-256 {manifest['data_sha256'][:SHORT]}"
    yield "Dataset version", f"{name}: {', '.join([*result.size, digits])}"
    if card := find_card(name):
        yield "Dataset licence and citation", f"{name}: {card.licence}; {card.citation}"
    test = f", {len(result.heldout_queries)} of test" if result.heldout else ""
    split_hash = manifest.get("split_sha256")
    hashed = f", SHA-256 {split_hash[:SHORT]}" if split_hash else ""
    questions = counted(len(result.queries), "question")
    yield "Split", f"{name}: {questions} of tune{test}; by the rule {view.splitting}{hashed}"
    times = f"evaluation {view.evaluation} of this test split"
    yield "Evaluations on test", f"{name}: {times if result.heldout else 'none'}"
    knobs = [{knob: str(value) for knob, value in row.parameters.items()} for row in rows]
    grid = pd.DataFrame(knobs).nunique()
    many = [f"{knob} ({count})" for knob, count in sorted(grid.items()) if count > 1]
    tried = f"{counted(len(rows), 'trial')}; values of {', '.join(many) or 'no knob'}"
    yield "Hyperparameters tried", f"{name}: {tried}; chosen by {view.objective} on tune"
    settings = leaves(result.config)
    seeds = [f"{'.'.join(path)}={value}" for path, value in settings if path[-1] == "seed"]
    none = "none is set; bootstrap resamples and drawn sign flips have seed 0"
    yield "Random seeds", f"{name}: {', '.join(seeds) or none}"
    yield (
        "Error bars",
        f"{name}: 95% intervals over questions{view.deciding}, paired for differences; they do "
        "not include the variation between training runs of an encoder or answers of a language "
        "model",
    )
    yield "Code and libraries", f"multihop harness {manifest['code']}; {result.libraries}"
    machine = manifest.get("machine") or {}
    yield "Hardware", _machine(machine.get("hardware")) or "not noted"
