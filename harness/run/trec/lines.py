"""TREC lines one by one: slow, accepts any white space, and names the line of what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa

from harness.core.errors import HarnessError

RANK = re.compile(rb"[+-]?[0-9]{1,18}")
SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
FORM = "qid Q0 docid rank score tag"
ID = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema({"query": ID, "doc": ID, "rank": pa.int64(), "score": pa.float64()}.items())


def fields_of(path: Path, number: int, line: bytes, form: str) -> list[bytes]:
    """The fields of line ``number``. Raises HarnessError for what is no UTF-8 text; ``form`` is what was expected."""
    if b"\0" in line:
        raise HarnessError(f"{path}:{number}: a NUL byte: this is a binary or UTF-16 file; expected UTF-8 `{form}`")
    try:
        return line.decode().encode().split()
    except UnicodeDecodeError as error:
        letter = line[error.start]
        raise HarnessError(f"{path}:{number}: not UTF-8 text (byte 0x{letter:02x}); expected lines `{form}`") from error


def is_comment(line: bytes) -> bool:
    """Whether a line begins with ``#``; lenient readers pass over it."""
    return line.lstrip().startswith(b"#")


def parse_lines(path: Path, first: int, text: bytes, lenient: bool = False) -> pa.Table:
    """The entries (``SCHEMA``) of some lines, the first of which is line ``first`` of the file.

    lenient: pass over comment lines and what follows the sixth field.
    """
    rows = []
    for number, line in enumerate(text.splitlines(), first):
        fields = fields_of(path, number, line, FORM)
        if not fields or (lenient and is_comment(line)):
            continue
        if len(fields) < 6 or (len(fields) > 6 and not lenient):
            passed = not lenient and (len(fields) > 6 or is_comment(line))
            mend = (
                "lenient=true passes over comment lines and trailing fields"
                if passed
                else "a run is a TREC file, .json, .parquet, .jsonl, or .csv or .tsv with a head"
            )
            found = f"found {len(fields)}: {_shown(line)}; {mend}"
            raise HarnessError(f"{path}:{number}: expected 6 fields `{FORM}`, {found}")
        query, _, doc, rank, score = fields[:5]
        if not RANK.fullmatch(rank):
            raise HarnessError(f"{path}:{number}: the rank must be a whole number, got {_shown(rank)}")
        if not SCORE.fullmatch(score):
            raise HarnessError(f"{path}:{number}: the score must be a finite number, got {_shown(score)}")
        rows.append({"query": query.decode(), "doc": doc.decode(), "rank": int(rank), "score": float(score)})
    return pa.Table.from_pylist(rows, SCHEMA)


def _shown(text: bytes) -> str:
    """At most 60 characters, for a message."""
    shown = text.decode(errors="replace").strip()
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")
