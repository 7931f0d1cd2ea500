"""Corpora with judgements but without an order of hops: BEIR's form, from ir_datasets or from the
Hub.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.corpus import BODY, read_corpus
from harness.benchmark.source.prepared_files import prepared_file
from harness.benchmark.source.records import Record, Records, is_blank, stream_lines
from harness.core.errors import HarnessError
from harness.core.input.separated import TAB, read_text, rows_of
from harness.core.table import counted

if TYPE_CHECKING:
    from harness.work.store import Store

log = logging.getLogger(__name__)
HEAD = ["query-id", "corpus-id", "score"]
"""The columns of a file of judgements of BEIR."""
Judgements = Mapping[str, Mapping[str, int]]
"""Relevance by passage by query. A relevance of at least 1 supports the query."""


def judged_benchmark(
    source: str,
    passages: Iterable[Record],
    questions: Mapping[str, str],
    judged: Judgements,
    store: Store,
    splits: Mapping[str, str],
) -> Benchmark:
    """Return the benchmark of queries that have a supporting passage in the corpus.

    Passages without title and text, judgements of missing passages, and queries without a
    supporting passage are left out and counted, in a warning and in ``left_out``. Judgements have
    no order, so no query is ``ordered`` or has a chain.

    Args:
        source: the name of the benchmark.
        passages: the passages.
        questions: the questions by id. They keep this order.
        judged: the judgements.
        store: the store of artifacts.
        splits: the split of each judged query, kept as its field ``split``.

    Raises:
        HarnessError: nothing is left.
    """
    blank: set[int] = set()

    def rows() -> Iterator[tuple[int, Record]]:
        for place, passage in enumerate(passages, 1):
            if is_blank(passage, *BODY):
                blank.add(place)
            else:
                yield place, passage

    corpus = read_corpus(Path(source), rows(), ": record ", store.root)
    relevant = _relevant(judged)
    passage_ids = list(chain.from_iterable(relevant.values()))
    numbers = corpus.numbers(passage_ids)
    asked: dict[int, Record] = {}
    for place, (name, question) in enumerate(questions.items(), 1):
        gold = [passage for passage in relevant.get(name, ()) if passage in numbers]
        if gold and question.strip():
            query = {"id": name, "question": question, "answers": [], "split": splits[name]}
            asked[place] = {**query, "supporting_ids": gold}
    if not asked:
        raise HarnessError(
            f"{source}: none of its {len(questions)} queries has a supporting passage among its "
            f"{len(corpus.table)} passages"
        )
    unanswered, unknown = len(questions) - len(asked), relevant.keys() - questions.keys()
    missing = sum(passage not in numbers for passage in passage_ids)
    counts = {
        "passages": (len(blank), "passage", "without title and text"),
        "judgements": (missing, "relevant passage", "of its judgements that is not in the corpus"),
        "queries": (unanswered, "query", f"of {len(questions)} without a supporting passage"),
        "judged queries": (len(unknown), "judged query", "that is not among the questions"),
    }
    left_out = {}
    for name, (count, item, reason) in counts.items():
        if count:
            left_out[name] = count
            log.warning("%s: left out: %s %s", source, counted(count, item), reason)
    queries = Records(Path(source), list(asked.values()), list(asked), ": query ")
    benchmark = assemble(source.replace("/", "-"), corpus, queries, "none", "none")
    return replace(benchmark, left_out=left_out)


def _relevant(judged: Judgements) -> dict[str, list[str]]:
    """Return the supporting passages of each query that has some."""
    relevant = {}
    for query, grades in judged.items():
        if passages := sorted(passage for passage, grade in grades.items() if grade >= 1):
            relevant[query] = passages
    return relevant


def join_judgements(
    parts: Iterable[tuple[str, Iterable[tuple[str, str, int]]]],
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Return the relevance of each query's passages, and each query's split.

    Args:
        parts: splits with their judgements: query, passage, relevance.

    Raises:
        HarnessError: a query is judged in two splits, or a passage twice with other relevance.
    """
    judged: dict[str, dict[str, int]] = {}
    splits: dict[str, str] = {}
    for split, rows in parts:
        for query, passage, grade in rows:
            if (first := splits.setdefault(query, split)) != split:
                raise HarnessError(
                    f"query {query} is judged in the splits {first} and {split}; keep one file of "
                    "qrels/, or name one split"
                )
            if (other := judged.setdefault(query, {}).setdefault(passage, grade)) != grade:
                raise HarnessError(
                    f"query {query}: passage {passage} is judged {other} and {grade}; keep one"
                )
    return judged, splits


def judgement_files(folder: Path) -> list[Path]:
    """Return the judgements of a folder of BEIR, ``qrels/*.tsv`` and ``.jsonl``; empty if its
    queries name their gold.
    """
    qrels = folder / "qrels"
    files = sorted([*qrels.glob("*.tsv"), *qrels.glob("*.jsonl")])
    queries = prepared_file(folder, "queries") if files else None
    return [] if queries and "supporting_ids" in next(stream_lines(queries))[1] else files


def read_judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    """Yield query, passage and relevance of a file of BEIR: ``query-id corpus-id score``, with tabs
    or as JSON.
    """
    for number, (query, passage, grade) in _rows(path):
        try:
            yield str(query), str(passage), int(str(grade).removesuffix(".0"))
        except ValueError as error:
            raise HarnessError(
                f"{path}:{number}: relevance must be a whole number, got {grade!r}"
            ) from error


def _rows(path: Path) -> Iterator[tuple[int, list[Any]]]:
    """Yield line numbers, and the values of the columns of ``HEAD``."""
    if path.suffix == ".jsonl":
        for number, row in stream_lines(path):
            _check_head(path, number, [name for name in HEAD if name in row])
            yield number, [row[name] for name in HEAD]
        return
    rows = rows_of(path, read_text(path), TAB)
    _, head = next(rows, (0, list[str]()))
    _check_head(path, 1, head)
    yield from rows


def _check_head(path: Path, number: int, columns: list[str]) -> None:
    if columns != HEAD:
        raise HarnessError(
            f"{path}:{number}: expected the columns {', '.join(HEAD)}, found {', '.join(columns)}"
        )
