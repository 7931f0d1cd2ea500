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

from harness.benchmark.source.records import stream_lines
from harness.core.errors import HarnessError, keys_of, nearest
from harness.core.input.read import DAMAGED, form_of, opened, parse_json
from harness.core.input.separated import COMMA, TAB, read_text, rows_of, separator_of
from harness.core.input.stored import misfit

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


Names = Mapping[str, str]
"""Names of a table's columns, by the keys of ``NAMES``."""
Fields = Mapping[str, object]
Records = Iterator[tuple[str, Fields, Fields | None]]
"""Place and fields of each row, and its scores; None if all other fields are scores."""


class Log(TypedDict):
    """The fields of an inspect_ai log that are read."""

    status: NotRequired[str | None]


class InspectSample(TypedDict):
    """The fields of an inspect_ai sample that are read."""

    metadata: NotRequired[dict[str, object] | None]
    scores: NotRequired[dict[str, dict[str, object]] | None]


def read_rows(path: Path, columns: Names | None, metrics: Sequence[str] | None) -> list[ScoreRow]:
    """Return the rows of a file.

    Args:
        path: the file.
        columns: names of a table's columns, by the keys of ``NAMES``.
        metrics: the wanted metrics, which tell items and metrics of a report apart.

    Raises:
        HarnessError: the file is not readable, or has no row.
    """
    keys_of("columns", columns, NAMES)
    if not path.exists():
        raise HarnessError(f"{path}: there is no such file")
    columns = columns or {}
    names: dict[str, str] = {}
    rows = []
    for place, fields, scores in _records(path, columns, metrics):
        names = names or _columns(place, fields, columns)
        rows.append(_row(place, fields, scores, names))
    if not rows:
        raise HarnessError(f"{path}: there are no scores; expected {FORMS}")
    return rows


def _records(path: Path, columns: Names, metrics: Sequence[str] | None) -> Records:
    match form_of(path):
        case "eval":
            log, samples = (_member(path, f"{part}.json") for part in ("header", "summaries"))
            yield from _samples(path, log, samples, columns)
        case "json":
            yield from _json(path, columns, metrics)
        case "jsonl":
            for number, row in stream_lines(path):
                yield f"{path}:{number}", row, None
        case "csv":
            yield from _separated(path, COMMA)
        case "tsv":
            yield from _separated(path, TAB)
        case "parquet":
            yield from _parquet(path)
        case _:
            raise HarnessError(
                f"{path}: expected scores in {FORMS}; ranked lists need gold=queries.jsonl"
            )


def _separated(path: Path, delimiter: str) -> Records:
    between, text = separator_of(read_text(path), delimiter)
    rows = rows_of(path, text, between)
    head: list[str] = next((fields for _, fields in rows), [])
    if twice := [name for name in head if head.count(name) > 1]:
        raise HarnessError(
            f"{path}:1: {head.count(twice[0])} columns are called {twice[0]}; keep one"
        )
    for number, fields in rows:
        yield f"{path}:{number}", dict(zip(head, fields, strict=True)), None


def _parquet(path: Path) -> Records:
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(path, use_threads=False).to_pylist()
    except (pa.ArrowException, *DAMAGED) as error:
        raise HarnessError(
            f"{path}: no readable Parquet file ({str(error).splitlines()[0]})"
        ) from error
    for number, row in enumerate(rows, 1):
        yield f"{path}: row {number}", row, None


def _columns(place: str, fields: Fields, columns: Names) -> dict[str, str]:
    """Return the names of the columns of ``NAMES`` in a file, by its first row."""
    names = {}
    for key, known in NAMES.items():
        wanted = [str(columns[key])] if key in columns else known
        there = [name for name in wanted if name in fields]
        if there:
            names[key] = there[0]
        elif key in columns or key == "item":
            mend = "; name yours: 'columns={item: ..., score: ...}'"
            if key in columns:
                mend = nearest(wanted[0], fields)
            missing = columns.get(key, "item (or id, query, qid)")
            listed = ", ".join(map(str, fields))
            raise HarnessError(f"{place}: no column {missing}{mend}; found {listed}")
    return names


def _row(place: str, fields: Fields, scores: Fields | None, names: Mapping[str, str]) -> ScoreRow:
    name, cluster = fields.get(names["item"]), fields.get(names.get("cluster", ""))
    if name is None or name == "" or isinstance(name, (dict, list)):
        raise HarnessError(f"{place}: {names['item']} must be a text or a number, got {name!r}")
    if isinstance(metrics := fields.get("metrics"), list) and names["item"] == "doc_id":
        # a sample of lm-evaluation-harness
        part = f"/{fields['filter']}" if fields.get("filter") not in (None, "none") else ""
        name = f"{name}-{str(fields['doc_hash'])[:8]}" if fields.get("doc_hash") else name
        scores = {f"{metric}{part}": fields.get(str(metric)) for metric in metrics}
    if scores is None:
        apart = {names.get(key) for key in ("item", "cluster", "run")}
        scores = {str(key): value for key, value in fields.items() if key not in apart}
    run = str(fields.get(names["run"])) if "run" in names else ""
    cluster = None if cluster in (None, "") else str(cluster)
    return ScoreRow(place, str(name), run, cluster, scores)


def _json(path: Path, columns: Names, metrics: Sequence[str] | None) -> Records:
    with opened(path) as stream:
        content = parse_json(stream.read(), path, FORMS)
    if not isinstance(content, dict) or not content:
        raise HarnessError(
            f"{path}: expected {{item: score}}, {{item: {{metric: score}}}} or {{metric: {{item: "
            "score}}"
        )
    if "eval" in content and "samples" in content and isinstance(content["samples"] or [], list):
        if not content["samples"]:
            raise HarnessError(
                f"{path}: a log of inspect_ai without its samples (it was written condensed, or "
                "read by header only); give the whole log, .eval or .json"
            )
        yield from _samples(path, content, content["samples"], columns)
        return
    for item, scores in _by_item(path, content, metrics or ()).items():
        yield f"{path}: {item}", {"item": item}, scores


def _by_item(path: Path, report: Fields, metrics: Sequence[str]) -> Mapping[str, Fields]:
    """Return a report as {item: {metric: score}}.

    If it has numbers at two levels, the wanted metrics decide which one names items; without them,
    a single name is the metric.
    """
    nested = {outer: inner for outer, inner in report.items() if isinstance(inner, dict)}
    if not nested:
        return {item: {"score": value} for item, value in report.items()}
    if message := misfit(report, dict[str, dict[str, object]]):
        raise HarnessError(f"{path}: {message} of scores, as the others are")
    inside = dict.fromkeys(name for values in nested.values() for name in values)
    outer_known, inner_known = (len({*metrics} & names.keys()) for names in (nested, inside))
    single = len(nested) == 1
    if outer_known == inner_known and single == (len(inside) == 1):
        fewer = min(list(nested), list(inside), key=len)
        none = f", where {metrics[0]} is none" if metrics else ""
        raise HarnessError(
            f"{path}: a report of several metrics{none}; choose with metric=NAME: "
            f"{', '.join(fewer[:20])}; where these are ranked lists, give gold=queries.jsonl"
        )
    if outer_known < inner_known or (outer_known == inner_known and not single):
        return nested
    return _turned(nested)


def _turned(nested: Mapping[str, Fields]) -> Mapping[str, Fields]:
    """Return {item: {metric: score}} of {metric: {item: score}}."""
    rows: dict[str, dict[str, object]] = {}
    for metric, values in nested.items():
        for item, value in values.items():
            rows.setdefault(item, {})[metric] = value
    return rows


def _samples(path: Path, log: Any, samples: Any, columns: Names) -> Records:
    """Yield the samples of an inspect_ai log. ``given`` may name fields of their metadata.

    Scores are by ``scorer``, or ``scorer/key`` if it gave several; letters are numbers.
    """
    if message := misfit([log], list[Log]) or misfit(samples, list[InspectSample]):
        raise HarnessError(f"{path}: {message}; give the log as inspect_ai wrote it")
    if log.get("status") != "success":
        raise HarnessError(
            f"{path}: the log says status {log.get('status')}; give one of an evaluation that ended"
        )
    wanted = {*NAMES["cluster"], *columns.values()}
    for sample in samples:
        metadata = sample.get("metadata") or {}
        row = {name: metadata[name] for name in wanted if name in metadata}
        row |= {"id": sample.get("id"), "epoch": sample.get("epoch")}
        scores: dict[str, object] = {}
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value")
            if isinstance(value, dict):
                scores |= {f"{scorer}/{key}": entry for key, entry in value.items()}
            else:
                scores[scorer] = value
        for key, entry in scores.items():
            if isinstance(entry, str):
                scores[key] = LETTERS.get(entry, entry)
        yield f"{path}: sample {row['id']}, epoch {row['epoch']}", row, scores


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
    except (*DAMAGED, NotImplementedError, pa.ArrowException) as error:
        raise HarnessError(f"{path}: no log of inspect_ai that was finished ({error})") from error
    return parse_json(data, path, f"{name} of a log of inspect_ai")
