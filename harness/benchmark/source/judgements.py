"""Corpora with judgements but no order of hops: BEIR's form, from ir_datasets or from the Hub."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.corpus import BODY, read_corpus
from harness.benchmark.source.prepared import prepared_file
from harness.benchmark.source.records import Record, Records, Stream, is_blank, stream_lines
from harness.core.errors import HarnessError
from harness.core.input import TAB, read_text, rows_of
from harness.core.table import counted
from harness.work.store import Store

log = logging.getLogger(__name__)
HEAD = ["query-id", "corpus-id", "score"]
"""Of a file of judgements of BEIR."""
Judgements = Mapping[str, Mapping[str, int]]
"""Relevance by passage by query; at least 1 supports the query."""


def judged_benchmark(
    source: str,
    passages: Callable[[], Iterator[Record]],
    questions: Mapping[str, str],
    judged: Judgements,
    store: Store,
    splits: Mapping[str, str],
) -> Benchmark:
    """The benchmark named ``source``: queries with a supporting passage that is there, in the order
    of ``questions``.

    splits: of each judged query, kept as its field ``split``. Passages without title and text,
    judgements of passages that are not there, and queries without supporting passage are left out,
    and counted in a warning and in ``left_out``. Judgements have no order, so no query is
    ``ordered`` or has a chain. Raises HarnessError where nothing is left.
    """
    blank: set[int] = set()
    rows = functools.partial(_with_text, passages, blank)
    corpus = read_corpus(Stream(Path(source), rows, ": record "), store.root)
    relevant = {
        name: sorted(passage for passage, grade in grades.items() if grade >= 1)
        for name, grades in judged.items()
    }
    named = [passage for passages in relevant.values() for passage in passages]
    there = corpus.numbers(named)
    asked = _answerable(source, questions, relevant, there, splits)
    if not asked.values:
        raise HarnessError(
            f"{source}: none of its {len(questions)} queries has a supporting passage among its "
            f"{len(corpus.table)} "
            "passages"
        )
    left_out = {
        "passages": len(blank),
        "judgements": sum(passage not in there for passage in named),
        "queries": len(questions) - len(asked.values),
    }
    _warn(source, left_out, len(questions))
    made = assemble(source.replace("/", "-"), corpus, asked, "none")
    return replace(
        made.without_order(~made.chain), left_out={name: n for name, n in left_out.items() if n}
    )


def _with_text(
    passages: Callable[[], Iterator[Record]], blank: set[int]
) -> Iterator[tuple[int, Record]]:
    """The passages with their numbers; the numbers of those without title and text are put into
    ``blank``.
    """
    for place, passage in enumerate(passages(), 1):
        if is_blank(passage, *BODY):
            blank.add(place)
        else:
            yield place, passage


def _answerable(
    source: str,
    questions: Mapping[str, str],
    relevant: Mapping[str, Sequence[str]],
    there: Container[str],
    splits: Mapping[str, str],
) -> Records:
    """The questions with a supporting passage that is there."""
    queries, places = [], []
    for place, (name, question) in enumerate(questions.items(), 1):
        gold = [passage for passage in relevant.get(name, ()) if passage in there]
        if gold and question.strip():
            queries.append(
                {
                    "id": name,
                    "question": question,
                    "answers": [],
                    "supporting_ids": gold,
                    "split": splits[name],
                }
            )
            places.append(place)
    return Records(Path(source), queries, places, ": query ")


def _warn(source: str, left_out: Mapping[str, int], questions: int) -> None:
    reasons = {
        "queries": ("query", f" of {questions} without a supporting passage"),
        "passages": ("passage", " without title and text"),
        "judgements": ("relevant passage", " of its judgements that the corpus lacks"),
    }
    for name, (item, reason) in reasons.items():
        if left_out[name]:
            log.warning("%s: left out: %s%s", source, counted(left_out[name], item), reason)


def join_judgements(
    parts: Iterable[tuple[str, Iterable[tuple[str, str, int]]]],
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """The relevance of each passage, and the split, of each query.

    parts: splits with their judgements: query, passage, relevance. Raises HarnessError for a query
    of two splits.
    """
    judged: dict[str, dict[str, int]] = {}
    splits: dict[str, str] = {}
    for split, rows in parts:
        for query, passage, grade in rows:
            if (other := splits.setdefault(query, split)) != split:
                raise HarnessError(
                    f"query {query} is judged in the splits {other} and {split}; name one of them"
                )
            judged.setdefault(query, {})[passage] = grade
    return judged, splits


def judgement_files(folder: Path) -> list[Path]:
    """The judgements of a folder of BEIR, ``qrels/*.tsv`` and ``.jsonl``; none where its queries
    name their gold.
    """
    files = sorted(
        path for ending in ("tsv", "jsonl") for path in (folder / "qrels").glob(f"*.{ending}")
    )
    own = prepared_file(folder, "queries") if files else None
    return [] if own and "supporting_ids" in next(stream_lines(own))[1] else files


def read_judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    """Query, passage and relevance in a file of BEIR: ``query-id corpus-id score``, with tabs or as
    JSON.
    """
    for number, (query, passage, grade) in _rows(path):
        try:
            yield str(query), str(passage), int(str(grade).removesuffix(".0"))
        except ValueError as error:
            raise HarnessError(
                f"{path}:{number}: relevance must be a whole number, got {grade!r}"
            ) from error


def _rows(path: Path) -> Iterator[tuple[int, list[Any]]]:
    """Line numbers, and what the columns of ``HEAD`` say there."""
    if path.suffix == ".jsonl":
        for number, row in stream_lines(path):
            _check_head(path, number, [name for name in HEAD if name in row])
            yield number, [row[name] for name in HEAD]
        return
    rows = rows_of(path, read_text(path), TAB)
    _, head = next(rows, (0, list[str]()))
    _check_head(path, 1, head)
    yield from rows


def _check_head(path: Path, number: int, found: list[str]) -> None:
    if found != HEAD:
        raise HarnessError(
            f"{path}:{number}: expected the columns {', '.join(HEAD)}, found {', '.join(found)}"
        )
