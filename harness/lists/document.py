"""JSON: ``{query id: {document id: score}}``, the form of ranx, pytrec_eval and most evaluation scripts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from harness.errors import HarnessError
from harness.files import text, whole
from harness.lists.entries import Entries
from harness.run import Run
from harness.trec.lines import opened

FORM = '{"query id": {"document id": score}}'


def entries(path: Path) -> Iterator[Entries]:
    """The entries of a JSON file, plain or gzip, which is read whole.

    Raises HarnessError for anything but numbers in the form above.
    """
    with opened(path) as stream:
        data = stream.read()
    lists = _decoded(path, data)
    if not isinstance(lists, dict) or not lists:
        raise HarnessError(f"{path}: expected {FORM}, found {_kind(lists)}")
    queries: list[str] = []
    docs: list[str] = []
    scores: list[float] = []
    for query, listed in lists.items():
        if not isinstance(listed, dict):
            raise HarnessError(f"{path}: query {query}: expected an object {FORM}, found {_kind(listed)}")
        for doc, score in listed.items():
            if isinstance(score, bool) or not isinstance(score, (int, float)):
                raise HarnessError(f"{path}: query {query}, document {doc}: the score must be a number, got {score!r}")
        queries.append(query)
        docs.extend(listed)
        scores.extend(listed.values())
    rows = np.repeat(np.arange(len(queries)), [len(listed) for listed in lists.values()])
    try:
        columns = pa.array(queries, pa.string()), pa.chunked_array([pa.array(docs, pa.string())])
        values = np.array(scores, dtype=np.float64)
    except (UnicodeEncodeError, OverflowError) as error:
        raise HarnessError(f"{path}: an id or a score that cannot be kept ({error}); mend the file") from error
    yield Entries(columns[0], rows, columns[1], values)


def place(path: Path, entry: int) -> str:
    """Where an entry of the file stands, for messages: JSON has no lines to name."""
    return f"{path}: entry {entry + 1}"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Callable[[Run], None]]:
    """Writes a JSON file, best document first, packed when the name ends in ``.gz``."""
    with whole(path) as partial, text(partial, path.suffix == ".gz") as stream:
        lead = b"{\n"

        def put(run: Run) -> None:
            nonlocal lead
            if len(run):
                stream.write(lead + json.dumps(run.to_dict(), ensure_ascii=False, indent=1)[2:-2].encode())
                lead = b",\n"

        yield put
        stream.write(b"\n}\n" if lead == b",\n" else b"{}\n")


def _decoded(path: Path, data: bytes) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise HarnessError(f"{path}: {twice!r} stands twice in one object; keep one of its entries")
        return found

    def refuse(text: str) -> NoReturn:
        raise HarnessError(f"{path}: a score must be a finite number, got {text}")

    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=once, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise HarnessError(f"{path}:{error.lineno}: broken JSON ({error.msg}); expected {FORM}") from error
    except UnicodeDecodeError as error:
        raise HarnessError(f"{path}: this is no UTF-8 text (byte {error.start}); expected {FORM}") from error
    except (RecursionError, ValueError) as error:
        raise HarnessError(f"{path}: broken JSON ({error}); expected {FORM}") from error


def _kind(value: Any) -> str:
    return {dict: "an empty object", list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number")
