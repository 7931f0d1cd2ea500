"""JSON: ``{query id: {document id: score}}``, the form of ranx, pytrec_eval and most evaluation
scripts.

MTEB's predictions have a subset and a split around their queries.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError
from harness.core.files import written
from harness.core.input import read_json
from harness.run.content import Content
from harness.run.entries import Entries
from harness.run.mapping import entries_of


def read_document(path: Path, content: Content, lenient: bool) -> Entries:
    """Return the entries of a JSON file, which is read as a whole."""
    found = _queries(path, read_json(path, content.json))
    if not isinstance(found, dict) or not found:
        kind = {dict: "an empty object", list: "a list", str: "a text", type(None): "null"}.get(
            type(found), "a number"
        )
        raise HarnessError(f"{path}: expected {content.json}, found {kind}")
    return entries_of(str(path), found, content)


def _queries(path: Path, found: Any) -> Any:
    """Return MTEB's predictions by their queries; any other content is returned unchanged."""
    if not isinstance(found, dict):
        return found
    subsets = {name: inner for name, inner in found.items() if name != "mteb_model_meta"}
    if not subsets or not all(_is_nested(inner, 3) for inner in subsets.values()):
        return found
    splits = {
        f"{subset}/{split}": lists
        for subset, inner in subsets.items()
        for split, lists in inner.items()
    }
    if len(splits) > 1:
        raise HarnessError(f"{path}: predictions of {', '.join(splits)}; write a file for each")
    return next(iter(splits.values()))


def _is_nested(value: Any, levels: int) -> bool:
    """Return whether a value has that many levels of mappings, by its first values."""
    if levels == 1 or not isinstance(value, dict):
        return isinstance(value, dict)
    return bool(value) and _is_nested(next(iter(value.values())), levels - 1)


def write_document(entries: Entries, path: Path) -> None:
    """Write a JSON file, packed if its ending says so."""
    with written(path) as stream:
        stream.write(json.dumps(entries.to_dict(), ensure_ascii=False, indent=1).encode() + b"\n")
