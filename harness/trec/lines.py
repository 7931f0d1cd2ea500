"""A TREC run file line by line: slower, accepts any white space, and names the line of what it refuses."""

from __future__ import annotations

import contextlib
import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
from isal import igzip, isal_zlib

from harness.errors import HarnessError
from harness.lists.entries import Entries

GZIP = b"\x1f\x8b"
DAMAGED: tuple[Any, ...] = (EOFError, gzip.BadGzipFile, isal_zlib.IsalError)
MARK = b"\xef\xbb\xbf"
RANK = re.compile(rb"[+-]?[0-9]{1,18}")
SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
FORM = "qid Q0 docid rank score tag"
PIECE = 1 << 23
"""Bytes of a file that are read at once; more when a line is longer."""


def packed(path: Path) -> bool:
    """Whether the file is gzip, by its first two bytes."""
    with path.open("rb") as raw:
        return raw.read(2) == GZIP


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, unpacked when they are gzip. What cannot be read is a HarnessError."""
    try:
        unpack: Callable[..., Any] = igzip.open if packed(path) else open
        with unpack(path, "rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise HarnessError(f"{path}: there is no such file") from error
    except DAMAGED as error:
        raise HarnessError(f"{path}: damaged gzip file ({error}); copy or download it again") from error
    except (IsADirectoryError, PermissionError) as error:
        raise HarnessError(f"{path}: cannot read ({error.strerror}); give a file of ranked lists") from error


def texts(path: Path) -> Iterator[bytes]:
    """The file in pieces of whole lines, without a byte order mark."""
    rest, mark = b"", MARK
    with opened(path) as stream:
        while read := stream.read(PIECE):
            text = rest + read
            cut = text.rfind(b"\n") + 1 or text.rfind(b"\r", 0, -1) + 1
            if cut:
                yield text[:cut].removeprefix(mark)
                mark = b""
            rest = text[cut:]
    if rest:
        yield rest.removeprefix(mark)


def numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    """Line number (from 1) and text of each line that is not blank; lines end with LF, CRLF or CR."""
    number = 0
    with opened(path) as stream:
        for piece in stream:
            text = piece.removeprefix(MARK) if number == 0 else piece
            for line in text.splitlines():
                number += 1
                if line.strip():
                    yield number, line


def line_of(path: Path, entry: int) -> int:
    """The line of an entry, counted from 0 over the lines that are not blank."""
    return next(number for place, (number, _) in enumerate(numbered(path)) if place == entry)


def parsed(path: Path, first: int, text: bytes) -> Entries:
    """The entries of some lines, the first of which is line ``first`` of the file."""
    qids: list[str] = []
    docs: list[str] = []
    ranks: list[int] = []
    scores: list[float] = []
    for number, line in enumerate(text.splitlines(), first):
        try:
            fields = line.decode().encode().split()
        except UnicodeDecodeError as error:
            raise HarnessError(
                f"{path}:{number}: this is no UTF-8 text (byte 0x{line[error.start]:02x}); expected lines `{FORM}`"
            ) from error
        if not fields:
            continue
        if b"\0" in line:
            raise HarnessError(f"{path}:{number}: a NUL byte: this is a binary or UTF-16 file; expected UTF-8 `{FORM}`")
        if len(fields) != 6:
            raise HarnessError(f"{path}:{number}: expected 6 fields `{FORM}`, found {len(fields)}: {_shown(line)}")
        qid, _, doc, rank, score, _ = fields
        if not RANK.fullmatch(rank):
            raise HarnessError(f"{path}:{number}: the rank must be a whole number, got {_shown(rank)}")
        if not SCORE.fullmatch(score):
            raise HarnessError(f"{path}:{number}: the score must be a finite number, got {_shown(score)}")
        qids.append(qid.decode())
        docs.append(doc.decode())
        ranks.append(int(rank))
        scores.append(float(score))
    words = pa.array(qids, pa.string()).dictionary_encode()
    rows, found = words.indices.to_numpy(), pa.chunked_array([pa.array(docs, pa.string())])
    return Entries(words.dictionary, rows, found, np.array(scores, np.float64), np.array(ranks, np.int64))


def _shown(text: bytes) -> str:
    """At most 60 characters, for a message."""
    shown = text.decode(errors="replace").strip()
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")
