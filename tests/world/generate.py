"""A made-up world and questions about it, as the files of a benchmark.

``python -m tests.world.generate DIR [passages] [seed]`` writes ``corpus.jsonl.gz`` and
``queries.jsonl.gz``; with its defaults the bytes of ``datasets/sample``, of which
``dataset=sample`` is made.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from harness.benchmark.source.records import Record
from tests.world.dice import Dice
from tests.world.making import populated
from tests.world.prose import Writer
from tests.world.questions import Asker


def write(folder: Path, passages: int = 2000, seed: int = 0) -> Path:
    """Write the prepared files of a world; the same bytes each time."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in zip(("corpus", "queries"), generate(passages, seed), strict=True):
        path = folder / f"{name}.jsonl.gz"
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as stream:
            stream.write(
                "".join(
                    json.dumps(record, ensure_ascii=False) + "\n" for record in records
                ).encode()
            )
    return folder


def generate(passages: int, seed: int) -> tuple[list[Record], list[Record]]:
    """The corpus and the queries: so many passages about people, places, works and organisations,
    and 3 questions for every 10 of them. Another seed is another world of the same kind.
    """
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


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:]))
