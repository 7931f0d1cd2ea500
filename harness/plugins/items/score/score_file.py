"""Files of scores as rows: place, item, repeat, cluster and scores.

- ``.csv``, ``.tsv``, ``.jsonl`` and ``.parquet`` have one row per item.
- Samples of lm-evaluation-harness are ``.jsonl``: the item is ``doc_id`` with eight digits of
  ``doc_hash``, so that documents of two tasks differ; with several filters a metric is
  ``exact_match/strict-match``.
- ``.eval``, and a ``.json`` with ``samples``, is a log of inspect_ai: the item is the sample's
  ``id``, the repeat its ``epoch``; C, P, I and N are 1, 0.5, 0 and 0.
- Other ``.json`` is a report: ``{item: {metric: score}}`` (pytrec_eval), ``{metric: {item:
  score}}`` (ranx) or ``{item: score}``.

All but Parquet and .eval may be compressed.
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
"""The keys of ``columns={item: uid}``, and the names that are known without it."""
FORMS = (
    "a table (.csv, .tsv, .jsonl, .parquet), a log of inspect_ai (.eval, .json), or a report "
    "(.json)"
)
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Scores of inspect_ai: correct, partially correct, incorrect, no answer."""
ZSTANDARD = 93
"""The method by which inspect_ai compresses; zipfile supports it from Python 3.14 on."""


class ScoreRow(NamedTuple):
    """A row of a file.

    Args:
        place: file and line, such as ``a.csv:12``.
        item: id of the item.
        run: the repeat; empty if there is none.
        cluster: the item's cluster, or None.
        scores: by metric, unchanged.
    """

    place: str
    item: str
    run: str
    cluster: str | None
    scores: Mapping[str, object]


class Log(TypedDict):
    """The fields of an inspect_ai log that are read."""

    status: NotRequired[str | None]


class InspectSample(TypedDict):
    """The fields of an inspect_ai sample that are read."""

    metadata: NotRequired[dict[str, object] | None]
    scores: NotRequired[dict[str, dict[str, object]] | None]


def read_rows(
    path: Path, columns: Mapping[str, str] | None, metrics: Sequence[str] | None
) -> list[ScoreRow]:
    """Return the rows of a file.

    Args:
        path: the file.
        columns: names of a table's columns, by the keys of ``NAMES``.
        metrics: the wanted metrics, which tell items and metrics of a report apart.

    Raises:
        HarnessError: the file is not readable, or has no row.
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
            lines = ((f"{path}:{number}", row) for number, row in stream_lines(path))
            found = _table(path, lines, columns)
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
    head: list[str] = next((fields for _, fields in rows), [])
    if twice := [name for name in head if head.count(name) > 1]:
        raise HarnessError(
            f"{path}:1: {head.count(twice[0])} columns are called {twice[0]}; keep one"
        )
    yield from (
        (f"{path}:{number}", dict(zip(head, fields, strict=True))) for number, fields in rows
    )


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


def _table(path: Path, rows: Fields, columns: Mapping[str, str] | None) -> Iterator[ScoreRow]:
    names: dict[str, str | None] = {}
    for place, row in rows:
        if not names:
            names = _columns(place, row, columns or {})
        yield _row(place, row, names)


def _columns(
    place: str, row: Mapping[str, object], given: Mapping[str, str]
) -> dict[str, str | None]:
    """Return the name of each column of ``NAMES`` in a file, by its first row; None if it lacks
    one.
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


def _row(place: str, row: Mapping[str, object], names: Mapping[str, str | None]) -> ScoreRow:
    item, cluster, run = names["item"], names["cluster"], names["run"]
    name = row.get(item or "")
    if name is None or name == "" or isinstance(name, (dict, list)):
        raise HarnessError(f"{place}: {item} must be a text or a number, got {name!r}")
    if isinstance(metrics := row.get("metrics"), list) and item == "doc_id":
        name, scores = _lm_evaluation(name, row, metrics)
    else:
        scores = {str(key): value for key, value in row.items() if key not in (item, cluster, run)}
    return ScoreRow(
        place, str(name), "" if run is None else str(row.get(run)), _text(row, cluster), scores
    )


def _lm_evaluation(
    name: object, row: Mapping[str, object], metrics: Sequence[object]
) -> tuple[str, dict[str, object]]:
    """Return item and scores of a sample of lm-evaluation-harness."""
    part = f"/{row['filter']}" if row.get("filter") not in (None, "none") else ""
    digits = f"-{str(row['doc_hash'])[:8]}" if row.get("doc_hash") else ""
    return f"{name}{digits}", {f"{metric}{part}": row.get(metric) for metric in map(str, metrics)}


def _text(row: Mapping[str, object], name: str | None) -> str | None:
    return None if name is None or row.get(name) in (None, "") else str(row[name])


def _json(
    path: Path, columns: Mapping[str, str] | None, metrics: Sequence[str] | None
) -> Iterator[ScoreRow]:
    with opened(path) as stream:
        found = parse_json(stream.read(), path, FORMS)
    if not isinstance(found, dict) or not found:
        raise HarnessError(
            f"{path}: expected {{item: score}}, {{item: {{metric: score}}}} or {{metric: {{item: "
            "score}}"
        )
    if "eval" in found and "samples" in found and isinstance(found["samples"] or [], list):
        if not found["samples"]:
            raise HarnessError(
                f"{path}: a log of inspect_ai without its samples (it was written condensed, or "
                "read by header only); give the whole log, .eval or .json"
            )
        yield from _samples(path, found, found["samples"], columns)
    else:
        report = _by_item(path, found, metrics)
        yield from (
            ScoreRow(f"{path}: {item}", item, "", None, scores) for item, scores in report.items()
        )


def _by_item(
    path: Path, report: Mapping[str, object], metrics: Sequence[str] | None
) -> Mapping[str, Mapping[str, object]]:
    """Return a report as {item: {metric: score}}."""
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
    """Return whether a report is {metric: {item: score}}.

    The wanted metrics decide; without them, a single metric does.
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
) -> Iterator[ScoreRow]:
    """Yield the rows of an inspect_ai log. ``columns`` may name fields of the samples' metadata."""
    if message := misfit([log], list[Log]) or misfit(samples, list[InspectSample]):
        raise HarnessError(f"{path}: {message}; give the log as inspect_ai wrote it")
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
    """Return a sample's scores by ``scorer``, or ``scorer/key`` if it gave several; letters as
    numbers.
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
    """Return the JSON of a file in an inspect_ai log, compressed by Zstandard or as zip files."""
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
