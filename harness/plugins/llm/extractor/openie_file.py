"""Published extractions: HippoRAG's ``openie_results_*.json``, or JSON lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.benchmark.source.records import read_array, read_lines
from harness.core.errors import HarnessError, MissingFile, bounded
from harness.core.identity import NO_RESULT, file_sha256
from harness.core.input.read import form_of
from harness.core.input.stored import misfit
from harness.graph.extractor import Extractor
from harness.graph.extractor.extraction import Extraction, NamePlace
from harness.plugins.llm.extractor.openie import Statements, add_open_names, add_statements


@dataclass(frozen=True)
class OpenIEFile:
    """The extraction of ``base``, with the entities and triples of a file.

    A row belongs to the passage of the same content, title and text or text alone (if only one
    passage has it), with white space as single spaces; without a text, to the passage with its id.
    The fourth part of a triple is not read.

    Args:
        base: the extractor without a language model.
        path: a JSON object with ``docs``, each with ``passage`` (title, line break, text),
            ``extracted_entities``, ``extracted_triples``; or JSON lines (plain or ``.gz``) of
            ``entities``, ``triples`` and ``passage``, ``text`` or ``id``.
        coverage: least share of the corpus' passages in the file; with less, it is an error.
    """

    version = 3  # 3: questions are no part of an extraction
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
        statements, counts = match_rows(Path(self.path), benchmark)
        covered = len(statements) - statements.count(None)
        share = covered / max(len(statements), 1)
        if share < self.coverage:
            raise HarnessError(
                f"extractor.path={self.path}: its {counts['rows']} rows cover {covered} of the "
                f"{len(statements)} passages of {benchmark.name} ({share:.1%}), "
                f"{counts['rows_without_passage']} rows belong "
                f"to none; at least {self.coverage:.0%} is needed (extractor.coverage). Is it of "
                "another corpus?"
            )
        extraction, facts = add_statements(self.base, benchmark, folder, statements)
        return extraction, {**facts, **counts, "coverage": round(share, 6)}

    def find_names(
        self, questions: Sequence[str], extraction: Extraction, folder: Path
    ) -> Iterator[list[NamePlace]]:
        """Return the names that ``base`` finds in each question, and names of the file."""
        base = self.base.find_names(questions, extraction, folder / "base")
        return add_open_names(base, questions, extraction)

    def _check(self) -> None:
        if not Path(self.path).is_file():
            raise MissingFile(
                f"extractor.path={self.path}: there is no such file; set it to a file of triples",
                self.path,
            )


def match_rows(path: Path, benchmark: Benchmark) -> tuple[list[Statements | None], dict[str, int]]:
    """Return the file's statements about each passage, and the number of rows by kind of match."""
    keys = {
        "passage": _unique(map(_spaced, benchmark.passages)),
        "text": _unique(map(_spaced, benchmark.corpus["text"][:])),
        "id": _unique(benchmark.doc_ids.to_pylist()),
    }
    statements: list[Statements | None] = [None] * len(benchmark.passages)
    counts: Counter[str] = Counter(dict.fromkeys(("rows_without_passage", "rows_again"), 0))
    for where, row in _records(path):
        counts["rows"] += 1
        content, name = row.get("passage", row.get("text")), row.get("id")
        if isinstance(content, str):
            tried = dict.fromkeys(("passage", "text"), _spaced(content))
        elif isinstance(name, str):
            tried = {"id": name}
        else:
            raise HarnessError(
                f"{where}: neither passage nor id names the passage, found the fields "
                f"{', '.join(row)}"
            )
        way = next((way for way, key in tried.items() if key in keys[way]), None)
        place = keys[way][tried[way]] if way else None
        if place is None:
            counts["rows_without_passage"] += 1
        elif statements[place] is not None:
            counts["rows_again"] += 1
        else:
            counts[f"rows_by_{way}"] += 1
            statements[place] = _statements(where, row)
    return statements, dict(counts)


def _statements(where: str, row: Mapping[str, object]) -> Statements:
    prefix = "extracted_" if "extracted_triples" in row else ""
    entities, triples = (row.get(f"{prefix}{name}", row) for name in ("entities", "triples"))
    if entities is row or triples is row:
        raise HarnessError(
            f"{where}: entities and triples are missing, found the fields {', '.join(row)}"
        )
    if isinstance(triples, list):
        triples = [
            triple[:3] if isinstance(triple, list) and len(triple) == 4 else triple
            for triple in triples
        ]
    return Statements.of(entities, triples)


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield place and content of each row."""
    if form_of(path) == "jsonl":
        records = read_lines(path)
        for place, row in enumerate(records.values):
            yield records.at(place), row
        return
    whole = read_array(path)
    docs: Any = whole.get("docs") if isinstance(whole, dict) else whole
    if message := misfit(docs, list[dict[str, object]]):
        raise HarnessError(f"{path}: docs: {message}; give a list of objects")
    for place, row in enumerate(docs):
        yield f"{path}: record {place}", row


def _unique(keys: Iterable[str]) -> dict[str, int]:
    """Return the place of each key that occurs once."""
    every = list(keys)
    count = Counter(every)
    return {key: place for place, key in enumerate(every) if count[key] == 1}


def _spaced(text: str) -> str:
    return " ".join(text.split())
