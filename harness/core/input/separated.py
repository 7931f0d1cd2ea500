"""Files of separated values with a head. Some of their double quotes are quotes, others are
letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from harness.core.errors import HarnessError
from harness.core.input.read import MARK, decoded, opened

COMMA, TAB, SEMICOLON = ",", "\t", ";"
WHOLE = {
    COMMA: re.compile(r'"([^"]*(?:""[^"]*)*)"(?=[,\n]|\Z)'),
    SEMICOLON: re.compile(r'"([^"]*(?:""[^"]*)*)"(?=[;\n]|\Z)'),
    TAB: re.compile(r'"([^"\n]*(?:""[^"\n]*)*)"(?=[\t\n]|\Z)'),
}
"""A field that is quoted as a whole. Any other double quote is a letter. A field of a .tsv holds no
line break.
"""

ROWS = 0.75
"""If at least this share of the lines of a quoted field look like rows, the field is refused."""


def read_text(path: Path) -> str:
    """Return the text of a file with LF at the end of lines.

    Raises:
        HarnessError: the file is no UTF-8 text; names the line.
    """
    with opened(path) as stream:
        text = decoded(stream.read().removeprefix(MARK), path, "separated values")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def separator_of(text: str, usual: str) -> tuple[str, str]:
    """Return the separator of a text, and the text without a first line ``sep=;``.

    If the head does not have the usual separator, it is a semicolon, a tab or a comma.
    """
    head, _, rest = text.partition("\n")
    if (declared := re.fullmatch(r'"?sep=([,;\t])"?', head.strip(" "))) is not None:
        return declared[1], f"\n{rest}"
    others = (separator for separator in (SEMICOLON, TAB, COMMA) if separator in head)
    return usual if usual in head else next(others, usual), text


def rows_of(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of each row, without blank lines. The first row is the head.

    Args:
        path: the file, for messages.
        text: the result of ``read_text``.
        delimiter: the separator.

    Raises:
        HarnessError: a row has another number of fields than the head, or most lines of a quoted
            field look like rows.
    """
    at, number, width = 0, 1, 0
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line, first = text[at:stop], number
        if '"' in line:
            fields, stop = _fields(text, at, delimiter)
            if text.count("\n", at, stop):
                _check_span(path, first, text[at:stop].split("\n"), delimiter, width)
        else:
            fields = line.split(delimiter)
        number += text.count("\n", at, stop) + 1
        at = stop + 1
        if not line.strip():
            continue
        width = width or len(fields)
        if len(fields) != width:
            raise HarnessError(
                f"{path}:{first}: expected {width} fields, as the head has, found {len(fields)}"
            )
        yield first, fields


def _fields(text: str, at: int, delimiter: str) -> tuple[list[str], int]:
    """Return the fields of the row that begins at a place, and the place of its end."""
    fields = []
    while True:
        match = WHOLE[delimiter].match(text, at)
        if match:
            fields.append(match[1].replace('""', '"'))
            at = match.end()
        else:
            ends = (text.find(delimiter, at), text.find("\n", at), len(text))
            end = min(place for place in ends if place >= 0)
            fields.append(text[at:end])
            at = end
        if at == len(text) or text[at] == "\n":
            return fields, at
        at += 1


def _check_span(path: Path, first: int, lines: list[str], delimiter: str, width: int) -> None:
    """Raise HarnessError if most lines of a quoted field would be rows: two single quotes would
    hide them.
    """
    held = [len(_fields(line, 0, delimiter)[0]) == width for line in lines if line.strip()]
    if sum(held) >= ROWS * len(held):
        last = first + len(lines) - 1
        raise HarnessError(
            f"{path}:{first}: a double quote opens here and closes at line {last}, but "
            f"{sum(held)} of "
            f"these {len(held)} lines are rows of their own; write quotes that are letters as "
            '"", or the file as '
            ".jsonl or .parquet"
        )
