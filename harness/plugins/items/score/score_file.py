"""Files of scores as rows, by their ending; of each row where it stands, its item, repeat, cluster
and scores.

``.csv``, ``.tsv``, ``.jsonl`` and ``.parquet`` have a row an item. The samples of
lm-evaluation-harness are ``.jsonl``,
too: item is ``doc_id`` with eight digits of ``doc_hash``, so that documents of two tasks are never
taken for the same; of several filters a metric is ``exact_match/strict-match``. ``.eval``, and a
``.json`` with ``samples``, is a log of
inspect_ai: item is the sample's ``id``, repeat its ``epoch``; C, P, I and N are 1, 0.5, 0 and 0.
Another ``.json`` is a
report: ``{item: {metric: score}}`` (pytrec_eval), ``{metric: {item: score}}`` (ranx) or
``{item: score}``. All but Parquet and .eval may be packed.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NotRequired

import pyarrow as pa
from typing_extensions import TypedDict

from harness.benchmark.source import stream_lines
from harness.core.errors import HarnessError, keys_of, nearest
from harness.core.input import (
    COMMA,
    DAMAGED,
    TAB,
    form_of,
    misfit,
    opened,
    parse_json,
    read_text,
    rows_of,
    separator_of,
)

NAMES: Mapping[str, Sequence[str]] = {
    "item": (
        "item",
        "item_id",
        "id",
        "query",
        "query_id",
        "qid",
        "question_id",
        "sample_id",
        "doc_id",
    ),
    "score": ("score", "value"),
    "cluster": ("cluster", "cluster_id"),
    "run": ("run", "seed", "repeat", "epoch"),
}
"""What is typed as ``columns={item: uid}``, and the names that are known without."""
FORMS = (
    "a table (.csv, .tsv, .jsonl, .parquet), a log of inspect_ai (.eval, .json), or a report "
    "(.json)"
)
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Scores of inspect_ai: correct, partially correct, incorrect, no answer."""
ZSTANDARD = 93
"""The method by which inspect_ai packs; zipfile of Python 3.14 is the first that knows it."""


class Row(NamedTuple):
    """place: ``a.csv:12``.    run: which repeat; "" where there is none.    scores: by metric, as
    the file has them.
    """

    place: str
    item: str
    run: str
    cluster: str | None
    scores: Mapping[str, object]


class Log(TypedDict):
    """A log of inspect_ai, as far as it is read."""

    status: NotRequired[str | None]


class Sample(TypedDict):
    """A sample of it."""

    metadata: NotRequired[dict[str, object] | None]
    scores: NotRequired[dict[str, dict[str, object]] | None]


def read_rows(
    path: Path, columns: Mapping[str, str] | None, metrics: Sequence[str] | None
) -> list[Row]:
    """The rows of a file, at least one.

    columns: what a table's columns are called, by the keys of NAMES.    metrics: the wanted ones,
    which tell what is what in a report of several metrics.
    """
    keys_of("columns", columns, NAMES)
    match form_of(path):
        case "eval":
            found = _samples(
                path, _member(path, "header.json"), _member(path, "summaries.json"), columns
            )
        case "json":
            found = _json(path, columns, metrics)
        case "jsonl":
            found = _table(path, _lines(path), columns)
        case "csv" | "tsv" as form:
            found = _table(path, _separated(path, TAB if form == "tsv" else COMMA), columns)
        case "parquet":
            found = _table(path, _parquet(path), columns)
        case _:
            raise HarnessError(
                f"{path}: expected scores in {FORMS}; ranked lists need gold=queries.jsonl"
            )
    rows = list(found)
    if not rows:
        raise HarnessError(f"{path}: there are no scores; expected {FORMS}")
    return rows


Fields = Iterator[tuple[str, Mapping[str, object]]]
"""The place of each row, and its fields."""


def _separated(path: Path, delimiter: str) -> Fields:
    between, text = separator_of(read_text(path), delimiter)
    rows = rows_of(path, text, between)
    _, head = next(rows, (0, list[str]()))
    if twice := [name for name in head if head.count(name) > 1]:
        raise HarnessError(
            f"{path}:1: {head.count(twice[0])} columns are called {twice[0]}; keep one"
        )
    yield from (
        (f"{path}:{number}", dict(zip(head, fields, strict=True))) for number, fields in rows
    )


def _lines(path: Path) -> Fields:
    yield from ((f"{path}:{number}", row) for number, row in stream_lines(path))


def _parquet(path: Path) -> Fields:
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(path, use_threads=False).to_pylist()
    except FileNotFoundError as error:
        raise HarnessError(f"{path}: there is no such file") from error
    except (pa.ArrowException, *DAMAGED) as error:
        raise HarnessError(
            f"{path}: no readable Parquet file ({str(error).splitlines()[0]})"
        ) from error
    yield from ((f"{path}: row {number}", row) for number, row in enumerate(rows, 1))


def _table(path: Path, rows: Fields, columns: Mapping[str, str] | None) -> Iterator[Row]:
    names: dict[str, str | None] = {}
    for place, row in rows:
        if not names:
            names = _columns(place, row, columns or {})
        yield _row(place, row, names)


def _columns(
    place: str, row: Mapping[str, object], given: Mapping[str, str]
) -> dict[str, str | None]:
    """The name of each column of NAMES in a file, from its first row; None for one that it
    lacks.
    """
    found = {}
    for key, known in NAMES.items():
        wanted = [str(given[key])] if key in given else known
        found[key] = next((name for name in wanted if name in row), None)
        if found[key] is None and (key in given or key == "item"):
            missing = given.get(key, "item (or id, query, qid)")
            mend = (
                nearest(str(missing), row)
                if key in given
                else "; name yours: columns={item: ..., score: ...}"
            )
            raise HarnessError(
                f"{place}: no column {missing}{mend}; found {', '.join(map(str, row))}"
            )
    return found


def _row(place: str, row: Mapping[str, object], names: Mapping[str, str | None]) -> Row:
    item, cluster, run = names["item"], names["cluster"], names["run"]
    name = row.get(item or "")
    if name is None or name == "" or isinstance(name, (dict, list)):
        raise HarnessError(f"{place}: {item} must be a text or a number, got {name!r}")
    if isinstance(metrics := row.get("metrics"), list) and item == "doc_id":
        name, scores = _lm_evaluation(name, row, metrics)
    else:
        scores = {str(key): value for key, value in row.items() if key not in (item, cluster, run)}
    return Row(
        place, str(name), "" if run is None else str(row.get(run)), _text(row, cluster), scores
    )


def _lm_evaluation(
    name: object, row: Mapping[str, object], metrics: Sequence[object]
) -> tuple[str, dict[str, object]]:
    """Item and scores of a sample of lm-evaluation-harness."""
    part = f"/{row['filter']}" if row.get("filter") not in (None, "none") else ""
    digits = f"-{str(row['doc_hash'])[:8]}" if row.get("doc_hash") else ""
    return f"{name}{digits}", {f"{metric}{part}": row.get(metric) for metric in map(str, metrics)}


def _text(row: Mapping[str, object], name: str | None) -> str | None:
    return None if name is None or row.get(name) in (None, "") else str(row[name])


def _json(
    path: Path, columns: Mapping[str, str] | None, metrics: Sequence[str] | None
) -> Iterator[Row]:
    with opened(path) as stream:
        found = parse_json(stream.read(), path, FORMS)
    if not isinstance(found, dict) or not found:
        raise HarnessError(
            f"{path}: expected {{item: score}}, {{item: {{metric: score}}}} or {{metric: {{item: "
            "score}}"
        )
    if "eval" in found and "samples" in found and isinstance(found["samples"] or [], list):
        yield from _log(path, found, columns)
    else:
        report = _by_item(path, found, metrics)
        yield from (
            Row(f"{path}: {item}", item, "", None, scores) for item, scores in report.items()
        )


def _log(path: Path, log: Mapping[str, object], columns: Mapping[str, str] | None) -> Iterator[Row]:
    if not log["samples"]:
        raise HarnessError(
            f"{path}: a log of inspect_ai without its samples (it was written condensed, or read "
            "by header only); give "
            "the whole log, .eval or .json"
        )
    yield from _samples(path, log, log["samples"], columns)


def _by_item(
    path: Path, report: Mapping[str, object], metrics: Sequence[str] | None
) -> Mapping[str, Mapping[str, object]]:
    """A report as {item: {metric: score}}."""
    nested = {outer: inner for outer, inner in report.items() if isinstance(inner, dict)}
    if not nested:
        return {item: {"score": value} for item, value in report.items()}
    if flat := [outer for outer in report if outer not in nested]:
        got = report[flat[0]]
        raise HarnessError(
            f"{path}: {flat[0]}: expected an object of scores, as the others are, got {got!r}"
        )
    if not _metrics_outside(path, nested, metrics):
        return nested
    rows: dict[str, dict[str, object]] = {}
    for metric, values in nested.items():
        for item, value in values.items():
            rows.setdefault(item, {})[metric] = value
    return rows


def _metrics_outside(
    path: Path, found: Mapping[str, Mapping[str, object]], metrics: Sequence[str] | None
) -> bool:
    """Whether a report is {metric: {item: score}}: what was asked for tells, else that there is a
    single metric.
    """
    inside = dict.fromkeys(name for values in found.values() for name in values)
    if metrics:
        outer, inner = (sum(metric in names for metric in metrics) for names in (found, inside))
        if outer != inner:
            return outer > inner
    if 1 in (len(found), len(inside)) and len(found) != len(inside):
        return len(found) == 1
    fewer = found if len(found) <= len(inside) else inside
    raise HarnessError(
        f"{path}: a report of several "
        f"metrics{', where ' + metrics[0] + ' is none' if metrics else ''}; choose with "
        f"metric=NAME: {', '.join(list(fewer)[:20])}; where these are ranked lists, give "
        "gold=queries.jsonl"
    )


def _samples(
    path: Path, log: Any, samples: Any, columns: Mapping[str, str] | None
) -> Iterator[Row]:
    """Of a log of inspect_ai; ``columns`` may name fields of the samples' metadata."""
    if told := misfit([log], list[Log]) or misfit(samples, list[Sample]):
        raise HarnessError(f"{path}: {told}; give the log as inspect_ai wrote it")
    if log.get("status") != "success":
        raise HarnessError(
            f"{path}: the log says status {log.get('status')}; give one of an evaluation that ended"
        )
    names: dict[str, str | None] = {}
    for sample in samples:
        place = f"{path}: sample {sample.get('id')}, epoch {sample.get('epoch')}"
        row = {
            **(sample.get("metadata") or {}),
            "id": sample.get("id"),
            "epoch": sample.get("epoch"),
        }
        names = names or {**_columns(place, row, {"item": "id", "run": "epoch", **(columns or {})})}
        yield _row(place, row, names)._replace(scores=_sample_scores(sample.get("scores") or {}))


def _sample_scores(scorers: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """What each scorer gave a sample, by ``scorer``, or by ``scorer/key`` where it gave several;
    letters as numbers.
    """
    scores: dict[str, object] = {}
    for scorer, given in scorers.items():
        value = given.get("value")
        if isinstance(value, dict):
            scores |= {f"{scorer}/{key}": own for key, own in value.items()}
        else:
            scores[scorer] = value
    return {
        key: LETTERS.get(own, own) if isinstance(own, str) else own for key, own in scores.items()
    }


def _member(path: Path, name: str) -> Any:
    """The JSON of a file in a log of inspect_ai, packed by Zstandard, as now, or as zip
    files are.
    """
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as stream:
            info = archive.getinfo(name)
            if info.compress_type != ZSTANDARD:
                data = archive.read(info)
            else:
                stream.seek(info.header_offset + 26)
                stream.seek(sum(struct.unpack("<HH", stream.read(4))), io.SEEK_CUR)
                packed = pa.BufferReader(stream.read(info.compress_size))
                data = pa.CompressedInputStream(packed, "zstd").read()
    except FileNotFoundError as error:
        raise HarnessError(f"{path}: there is no such file") from error
    except (*DAMAGED, NotImplementedError, pa.ArrowException) as error:
        raise HarnessError(f"{path}: no log of inspect_ai that was finished ({error})") from error
    return parse_json(data, path, f"{name} of a log of inspect_ai")
