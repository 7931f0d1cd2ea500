"""JSON: ``{query id: {document id: score}}``, the form of ranx, pytrec_eval and most evaluation scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from harness.core.errors import HarnessError
from harness.core.files import written
from harness.core.input import read_json
from harness.run.entries import Entries
from harness.run.run import Run

FORM = '{"query id": {"document id": score}}'


def read_lists(path: Path, form: str = FORM) -> dict[str, dict[str, float]]:
    """The mapping in a JSON file, plain or packed. Raises HarnessError for anything but numbers in the form above."""
    lists = read_json(path, form)
    if not isinstance(lists, dict) or not lists:
        raise HarnessError(f"{path}: expected {form}, found {_kind(lists)}")
    for query, listed in lists.items():
        if not isinstance(listed, dict):
            raise HarnessError(f"{path}: query {query}: expected an object {form}, found {_kind(listed)}")
        for doc, score in listed.items():
            if isinstance(score, bool) or not isinstance(score, (int, float)):
                raise HarnessError(f"{path}: query {query}, document {doc}: expected a number, found {score!r:.60}")
    return lists


def entries(path: Path, lenient: bool = False) -> Entries:
    """The entries of a JSON file, which is read whole. A query with an empty list is named all the same."""
    lists = read_lists(path)
    lengths = [len(listed) for listed in lists.values()]
    rows = np.repeat(np.arange(len(lists), dtype=np.int32), lengths)
    docs = pa.array([doc for listed in lists.values() for doc in listed], pa.string())
    try:
        scores = np.array([score for listed in lists.values() for score in listed.values()], dtype=np.float64)
    except OverflowError as error:
        raise HarnessError(f"{path}: a score does not fit a 64-bit float ({error}); scale them down") from error
    return Entries(
        pa.DictionaryArray.from_arrays(pa.array(rows), pa.array(list(lists), pa.string())),
        docs.dictionary_encode(),
        scores,
        place=lambda entry: f"{path}: entry {entry + 1}",
    )


def write(run: Run, path: Path) -> None:
    """Write a JSON file, best document first, packed as its ending says."""
    with written(path) as stream:
        stream.write(json.dumps(run.to_dict(), ensure_ascii=False, indent=1).encode() + b"\n")


def _kind(value: Any) -> str:
    return {dict: "an empty object", list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number")
