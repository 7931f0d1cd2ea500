"""Files of separated values, a head and a row a line: where a double quote is a quote, and where it
is a letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from harness.core.errors import HarnessError
from harness.core.input.read import MARK, opened

COMMA, TAB, SEMICOLON = ",", "\t", ";"
WHOLE = {
    COMMA: re.compile(r'"([^"]*(?:""[^"]*)*)"(?=[,\n]|\Z)'),
    SEMICOLON: re.compile(r'"([^"]*(?:""[^"]*)*)"(?=[;\n]|\Z)'),
    TAB: re.compile(r'"([^"\n]*(?:""[^"\n]*)*)"(?=[\t\n]|\Z)'),
}
"""A field that is quoted whole. Any other double quote is a letter. In a .tsv no field holds a line
break.
"""

ROWS = 0.75
"""The share of the lines of a quoted field that are rows of their own, from which on they are read
as no text.
"""


def read_text(path: Path) -> str:
    """The text of a file, lines ended by LF. Raises HarnessError that names the line of what is no
    UTF-8 text.
    """
    with opened(path) as stream:
        data = stream.read().removeprefix(MARK)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line, letter = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise HarnessError(
            f"{path}:{line}: not UTF-8 text (byte 0x{letter:02x}); save it as UTF-8"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise HarnessError(
            f"{path}:{line}: a NUL byte: this is a binary or UTF-16 file; save it as UTF-8 text"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def separator_of(text: str, usual: str) -> tuple[str, str]:
    """What is between the values of a text, and the text without a first line that says so
    (``sep=;``); in a head without the usual one it is a semicolon, a tab or a comma.
    """
    head, _, rest = text.partition("\n")
    if (said := re.fullmatch(r'"?sep=([,;\t])"?', head.strip(" "))) is not None:
        return said[1], f"\n{rest}"
    others = (one for one in (SEMICOLON, TAB, COMMA) if one in head)
    return usual if usual in head else next(others, usual), text


def rows_of(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The line number and the fields of each row, blank lines left out; the first is the head.

    text: as ``read_text`` gives it. Raises HarnessError for a row with another number of fields
    than the head, and for a quoted field over several lines where most of these are rows of their
    own.
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
    """The fields of the row that begins there, and where it ends."""
    fields = []
    while True:
        found = WHOLE[delimiter].match(text, at)
        if found:
            fields.append(found[1].replace('""', '"'))
            at = found.end()
        else:
            ends = (text.find(delimiter, at), text.find("\n", at), len(text))
            end = min(place for place in ends if place >= 0)
            fields.append(text[at:end])
            at = end
        if at == len(text) or text[at] == "\n":
            return fields, at
        at += 1


def _check_span(path: Path, first: int, lines: list[str], delimiter: str, width: int) -> None:
    """Raise where most lines of a quoted field are rows, were the quote a letter: two lone quotes
    swallow rows.
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
