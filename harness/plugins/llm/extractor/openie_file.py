"""Published extractions: HippoRAG's ``openie_results_*.json``, or JSON lines."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from harness.benchmark import Benchmark
from harness.benchmark.source import read_array, read_lines
from harness.core.errors import HarnessError, MissingFile, bounded
from harness.core.identity import NO_RESULT, file_sha256
from harness.core.input import form_of
from harness.graph.extractor import Extractor
from harness.graph.extractor.extraction import Extraction
from harness.plugins.llm.extractor.openie import Statements, add_statements


@dataclass(frozen=True)
class OpenIEFile:
    """The extraction of ``base``, with the entities and triples of a file.

    A row belongs to the passage of the same content, title and text or text alone (if only one
    passage has it), by the hash of its words with single spaces; without a text, to the passage
    with its MD5, otherwise its id. A triple may have a fourth part, its confidence in [0, 1].

    Args:
        base: the extractor without a language model.
        path: a JSON object with ``docs``, each with ``passage`` (title, line break, text), ``idx``
            (``chunk-`` and the passage's MD5), ``extracted_entities``, ``extracted_triples``; or
            JSON lines (plain or ``.gz``) of ``entities``, ``triples`` and ``passage``, ``text`` or
            ``id``.
        coverage: least share of the corpus' passages in the file; with less, it is an error.
    """

    version: ClassVar[int] = 2
    base: Extractor
    path: str = field(metadata=NO_RESULT)
    coverage: float = 0.5

    def __post_init__(self) -> None:
        bounded("extractor.coverage", self.coverage, 0, 1)

    def content(self) -> str:
        """Return the SHA-256 of the file."""
        self._check()
        return file_sha256(Path(self.path))

    def extract(
        self, benchmark: Benchmark, folder: Path
    ) -> tuple[Extraction, Mapping[str, object]]:
        """Read the file, match its rows, and add them to the result of ``base``."""
        self._check()
        said, counts = match_rows(Path(self.path), benchmark)
        share = sum(one is not None for one in said) / max(len(said), 1)
        if share < self.coverage:
            raise HarnessError(
                f"extractor.path={self.path}: its {counts['rows']} rows cover "
                f"{len(said) - said.count(None)} of the "
                f"{len(said)} passages of {benchmark.name} ({share:.1%}), "
                f"{counts['rows_without_passage']} rows belong "
                f"to none; at least {self.coverage:.0%} is needed (extractor.coverage). Is it of "
                "another corpus?"
            )
        (folder / "base").mkdir(exist_ok=True)
        base, facts = self.base.extract(benchmark, folder / "base")
        extraction, found = add_statements(base, said, benchmark)
        return extraction, {**facts, **found, **counts, "coverage": round(share, 6)}

    def _check(self) -> None:
        if not Path(self.path).is_file():
            raise MissingFile(
                f"extractor.path={self.path}: there is no such file; set it to a file of triples",
                self.path,
            )


def match_rows(path: Path, benchmark: Benchmark) -> tuple[list[Statements | None], dict[str, int]]:
    """Return the file's statements about each passage, and the number of rows by kind of match."""
    keys = _keys(benchmark)
    said: list[Statements | None] = [None] * len(benchmark.passages)
    counts: Counter[str] = Counter(dict.fromkeys(("rows_without_passage", "rows_again"), 0))
    for where, row in _records(path):
        counts["rows"] += 1
        for way, key in _names(row, where):
            place = keys[way].get(key)
            if place is not None:
                break
        else:
            counts["rows_without_passage"] += 1
            continue
        if said[place] is not None:
            counts["rows_again"] += 1
            continue
        counts[f"rows_by_{way}"] += 1
        prefix = "extracted_" if "extracted_triples" in row else ""
        if f"{prefix}entities" not in row or f"{prefix}triples" not in row:
            raise HarnessError(
                f"{where}: entities and triples are missing, found the fields {', '.join(row)}"
            )
        said[place] = Statements.of(row[f"{prefix}entities"], row[f"{prefix}triples"], graded=True)
    return said, dict(counts)


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield place and content of each row."""
    if form_of(path) == "jsonl":
        records = read_lines(path)
        for place, row in enumerate(records.values):
            yield records.at(place), row
        return
    whole = read_array(path)
    docs = whole.get("docs") if isinstance(whole, dict) else whole
    if not isinstance(docs, list):
        raise HarnessError(
            f"{path}: expected an object with a list under docs, found {type(whole).__name__}"
        )
    for place, row in enumerate(docs):
        if not isinstance(row, dict):
            raise HarnessError(
                f"{path}: record {place}: expected an object, found {type(row).__name__}"
            )
        yield f"{path}: record {place}", row


def _names(row: Mapping[str, object], where: str) -> list[tuple[str, str]]:
    """Return the keys by which a row can be matched, best first: hashes of texts, otherwise MD5 or
    id.
    """
    content = row.get("passage", row.get("text"))
    if isinstance(content, str):
        return [("passage", _hash(content)), ("text", _hash(content))]
    name = row.get("idx", row.get("id"))
    if isinstance(name, str):
        return [("md5", name.removeprefix("chunk-")), ("id", name)]
    raise HarnessError(
        f"{where}: neither passage nor id names the passage, found the fields {', '.join(row)}"
    )


def _keys(benchmark: Benchmark) -> dict[str, dict[str, int]]:
    """Return the passages by each kind of key; a key of two passages is left out."""
    texts = [str(text) for text in benchmark.corpus["text"][:]]
    md5 = [
        hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()
        for whole in benchmark.passages
    ]
    return {
        "passage": _unique([_hash(whole) for whole in benchmark.passages]),
        "text": _unique([_hash(text) for text in texts]),
        "md5": _unique(md5),
        "id": _unique(benchmark.doc_ids.to_pylist()),
    }


def _unique(keys: list[str]) -> dict[str, int]:
    count = Counter(keys)
    return {key: place for place, key in enumerate(keys) if count[key] == 1}


def _hash(text: str) -> str:
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()
