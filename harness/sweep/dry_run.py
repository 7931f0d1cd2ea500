"""What a sweep would do, before it does anything: its trials, what is stored already, and what would be built."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.core.artifact import MANIFEST, read_manifest
from harness.core.identity import identity
from harness.core.table import Column, Table
from harness.graph.extractor import LLM
from harness.model.endpoint import LETTERS, Chat
from harness.sweep.trial import lists
from harness.sweep.trial.override import values
from harness.sweep.trial.plan import Plan
from harness.work.read_only_store import NotStored, ReadOnlyStore
from harness.work.store import Store


def blocks(plan: Plan) -> Table:
    """A row a block of the grid: its axes, its points, and the trials that no block above it has."""
    plan.trials()  # with all that can be wrong with them
    seen: set[str] = set()
    points: dict[str, int] = {}
    new: dict[str, int] = {}
    for block, trial in plan.grid.trials_by_block():
        points[block] = points.get(block, 0) + 1
        new[block] = new.get(block, 0) + (repr(trial.identity) not in seen)
        seen.add(repr(trial.identity))
    used: dict[str, dict[str, None]] = {}
    for block, point in plan.grid.points({}):
        used.setdefault(block, {}).update(dict.fromkeys(point))
    axes = {block: _axes(plan.grid.blocks[block], knobs) for block, knobs in used.items()}
    rows = [[block, axes.get(block, "-"), points[block], new[block]] for block in points]
    columns = [Column("block", "text"), Column("axes", "text"), Column("points", "count"), Column("trials", "count")]
    return Table("blocks", f"{len(seen)} trials", columns, rows)


def stages(plan: Plan) -> Table:
    """A row a list: whether its run is stored, else about how many seconds it takes and what a model is asked.

    Seconds are those of the stored runs of the same retriever, in proportion to passages.
    """
    kept = ReadOnlyStore(Path(plan.config.paths.runs))
    made = lists.retrievers(plan.config)
    columns = [Column("list", "text"), Column("state", "text"), Column("seconds", "text"), Column("asked", "text")]
    try:
        data = lists.benchmark(plan.config, kept)
    except NotStored:
        rows = [[name, "the benchmark is not prepared yet: try again after `harness prepare`", "", ""] for name in made]
        return Table("stages", "lists", columns, rows)
    rows = []
    for name, retriever in made.items():
        if kept.place("retrieve", identity(retriever), {"benchmark": data.sha256}).is_dir():
            rows.append([name, "stored", "", ""])
        else:
            seconds, asked = _seconds(identity(retriever), data, kept), _asked(retriever, data)
            rows.append([name, "to build", f"{seconds}, and the model's" if asked else seconds, asked])
    return Table("stages", f"lists of {data.name}: {len(data.doc_ids)} passages", columns, rows)


def extension(plan: Plan) -> str:
    """Words on the trials that grid.extend may add: which, is known only when these are scored. Empty without it."""
    rounds = plan.extend_rounds
    return f", and those of at most {rounds} more values on an axis where a best trial is last" if rounds else ""


def _axes(axes: Mapping[str, Any], knobs: Iterable[str]) -> str:
    """The axes that points of the block have: how many values, or the only one."""
    varied = {knob: values(axes[knob]) for knob in knobs}
    return ", ".join(f"{knob} ({len(own)})" if len(own) > 1 else f"{knob}={own[0]}" for knob, own in varied.items())


def _seconds(config: Mapping[str, Any], data: Benchmark, kept: Store) -> str:
    """About how long it takes: the median of stored runs of the same retriever, by passages."""
    rates = []
    for path in sorted((kept.root / "artifacts" / "retrieve").glob(f"*/{MANIFEST}")):
        manifest = read_manifest(path)
        if manifest is None:
            continue
        ids = kept.place("ids", {}, manifest["inputs"]) / "documents.arrow"
        if manifest["config"].get("_target_") == config["_target_"] and ids.is_file():
            rates.append(manifest["seconds"] / max(_length(ids), 1))
    return f"about {statistics.median(rates) * len(data.doc_ids):.0f}" if rates else "unknown: none is stored"


def _length(ids: Path) -> int:
    import pyarrow as pa

    with pa.ipc.open_file(ids) as file:
        return sum(file.get_batch(number).num_rows for number in range(file.num_record_batches))


def _asked(retriever: Any, data: Benchmark) -> str:
    """At most how many calls and tokens of language models: what is kept already is not asked again."""
    said = []
    for chat in _chats(retriever):
        if isinstance(chat, LLM):
            most = chat.estimate(data.passages)
            tokens = most["tokens"]
            cost = f", cost at most {most['cost']:g}" if any(chat.price.values()) else ""
            said.append(
                f"{chat.model}: {most['requests']} calls, {tokens['prompt']} tokens asked and {tokens['completion']} "
                f"answered at most{cost}"
            )
        else:
            tokens = sum(map(len, data.questions)) // LETTERS
            said.append(f"{chat.model}: {len(data.questions)} calls, {tokens} tokens of text and the prompts")
    return "; ".join(said)


def _chats(value: Any) -> Iterator[Chat]:
    if isinstance(value, Chat):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _chats(getattr(value, field.name))
