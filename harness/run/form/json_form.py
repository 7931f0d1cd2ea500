"""JSON: ``{query id: {document id: score}}``, the form of ranx, pytrec_eval and most evaluation
scripts.
"""

from __future__ import annotations

import json
from pathlib import Path

from harness.core.errors import HarnessError
from harness.core.files import written
from harness.core.input.read import read_json
from harness.run.content import Content
from harness.run.entries import Entries
from harness.run.mapping import entries_of

DATASET = frozenset(("queries", "corpus"))
"""Keys of a JSON file with a whole data set, such as LlamaIndex's EmbeddingQAFinetuneDataset."""


def read_document(path: Path, content: Content, lenient: bool) -> Entries:
    """Return the entries of a JSON file, which is read as a whole."""
    value = read_json(path, content.json)
    if not isinstance(value, dict) or not value:
        kind = {dict: "an empty object", list: "a list", str: "a text", type(None): "null"}.get(
            type(value), "a number"
        )
        if isinstance(value, list) and value and isinstance(value[0], dict):
            columns = ", ".join(content.columns)
            kind += f" of records with {', '.join(map(str, value[0]))}"
            kind += f"; or write a .jsonl with a line for each entry, its fields {columns}"
        raise HarnessError(f"{path}: expected {content.json}, found {kind}")
    if value.keys() >= DATASET:
        parts = [key for key, entry in value.items() if isinstance(entry, dict)]
        others = [key for key in parts if key not in DATASET]
        mend = f": write what is under {' or '.join(others)} to a file of its own" if others else ""
        raise HarnessError(
            f"{path}: a data set of {', '.join(parts)}; expected {content.json}{mend}"
        )
    return entries_of(str(path), value, content)


def write_document(entries: Entries, path: Path) -> None:
    """Write a JSON file, packed if its ending says so."""
    with written(path) as stream:
        stream.write(json.dumps(entries.to_dict(), ensure_ascii=False, indent=1).encode() + b"\n")
