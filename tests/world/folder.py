"""The prepared files of a small benchmark."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def write_benchmark(
    folder: Path, corpus: Mapping[str, str] | Iterable[Row], queries: Iterable[Row]
) -> Path:
    """Rows of passages and questions, as corpus.jsonl and queries.jsonl; of {title: text} the ids
    are p0, p1, ...
    """
    if isinstance(corpus, Mapping):
        corpus = [
            {"id": f"p{n}", "title": title, "text": text}
            for n, (title, text) in enumerate(corpus.items())
        ]
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def copy_benchmark(source: Path, folder: Path, change: Callable[[int, Row], Row | None]) -> Path:
    """A benchmark's passages, and each question as ``change(number, row)`` makes it; None leaves it
    out.
    """
    corpus, queries = (
        [json.loads(line) for line in (source / f"{name}.jsonl").read_text().splitlines()]
        for name in ("corpus", "queries")
    )
    changed = [change(number, row) for number, row in enumerate(queries)]
    return write_benchmark(folder, corpus, [row for row in changed if row is not None])


def write_runs(folder: Path, found: Mapping[str, Collection[int]], questions: int = 66) -> Path:
    """queries.jsonl with gold a before b, and each run as {name}.json: for the questions with these
    numbers it has the last gold passage alone, for the others no gold.
    """
    names = [f"q{number:02}" for number in range(questions)]
    gold = [
        {"id": name, "supporting_ids": [f"a{name}", f"b{name}"], "hops": 2, "type": "bridge"}
        for name in names
    ]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, gold)))
    for run, numbers in found.items():
        lists = {
            name: {f"b{name}" if number in numbers else "x": 1.0}
            for number, name in enumerate(names)
        }
        (folder / f"{run}.json").write_text(json.dumps(lists))
    return folder


@contextlib.contextmanager
def restored(folder: Path) -> Iterator[None]:
    """A block at whose end the folder has the files that it had before."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    try:
        yield
    finally:
        for path in [*folder.iterdir()]:
            if path.is_file() and path not in before:
                path.unlink()
        for path, content in before.items():
            path.write_bytes(content)
