"""``sample``: a made-up world and questions about it, generated; for a first look, for tests, and for scaling."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from harness.artifacts import Store
from harness.benchmark import Benchmark
from harness.dataset.assemble import assemble
from harness.dataset.card import read_card
from harness.dataset.prepared import read_prepared
from harness.dataset.records import Record
from harness.errors import HarnessError, bounded
from harness.identity import identity


@dataclass(frozen=True)
class Sample:
    """``passages`` passages about people, places, works and organisations, and 3 questions for every 10 of them.

    passages: in [200, 1000000].    seed: of the world; another seed is another world of the same kind.
    The world of the default parameters is pinned by its hash in ``datasets/sample.yaml``.
    """

    version: ClassVar[int] = 1
    passages: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        bounded("dataset.passages", self.passages, 200, 1_000_000)
        bounded("dataset.seed", self.seed, 0)

    def load(self, store: Store) -> Benchmark:
        """The benchmark; the generated files are kept as prepared files in an artifact."""
        card = read_card("sample")
        folder = store.get("dataset", identity(self), {}, self._write).path
        found = read_prepared(folder)
        if found is None:
            raise HarnessError(f"{folder}: the generated files are gone; remove the folder and run again")
        benchmark = assemble(card.name, *found, card.chain)
        if self == Sample():
            card.check("generated", str(folder), len(benchmark.queries), len(benchmark.corpus), benchmark.sha256)
        return benchmark

    def _write(self, folder: Path) -> Mapping[str, Any]:
        corpus, queries = generate(self.passages, self.seed)
        for name, records in (("corpus", corpus), ("queries", queries)):
            with (folder / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as stream:
                stream.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        return {"passages": len(corpus), "queries": len(queries)}


def generate(passages: int, seed: int) -> tuple[list[Record], list[Record]]:
    """The corpus and the queries, in the form of prepared files."""
    from harness.dataset.world.dice import Dice
    from harness.dataset.world.making import populated
    from harness.dataset.world.prose import Writer
    from harness.dataset.world.questions import Asker

    world = populated(passages, seed)
    writer = Writer(world, seed)
    entities = Dice(seed, "order of passages").shuffled(world.entities)
    ids = dict(zip(map(id, entities), _ids("sample", len(entities)), strict=True))
    corpus: list[Record] = [
        {"id": ids[id(entity)], "title": entity.title, "text": writer.passage(entity, number)}
        for number, entity in enumerate(entities)
    ]
    questions = Asker(world, seed).ask(passages * 3 // 10)
    queries: list[Record] = [
        {
            "id": name,
            "question": question.text,
            "answers": question.answers,
            "supporting_ids": [ids[id(entity)] for entity in question.gold],
            "hops": len(question.gold),
            "type": question.type,
        }
        for name, question in zip(_ids("sample-q", len(questions)), questions, strict=True)
    ]
    return corpus, queries


def _ids(prefix: str, count: int) -> Iterable[str]:
    width = max(5, len(str(count - 1)))
    return (f"{prefix}-{number:0{width}d}" for number in range(count))
