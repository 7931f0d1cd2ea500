"""A TREC run file line by line: slower, accepts any white space, and names the line of what it refuses."""

from __future__ import annotations

import contextlib
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from harness.errors import HarnessError

GZIP = b"\x1f\x8b"
MARK = b"\xef\xbb\xbf"
RANK = re.compile(rb"[+-]?[0-9]{1,18}")
SCORE = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
FORM = "qid Q0 docid rank score tag"


def packed(path: Path) -> bool:
    """Whether the file is gzip, by its first two bytes."""
    with path.open("rb") as raw:
        return raw.read(2) == GZIP


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, unpacked when they are gzip. What cannot be read is a HarnessError."""
    try:
        with cast(IO[bytes], gzip.open(path) if packed(path) else path.open("rb")) as stream:
            yield stream
    except FileNotFoundError as error:
        raise HarnessError(f"{path}: there is no such file") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise HarnessError(f"{path}: damaged gzip file ({error}); copy or download it again") from error
    except (IsADirectoryError, PermissionError) as error:
        raise HarnessError(f"{path}: cannot read ({error.strerror}); give a file of ranked lists") from error


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


def parsed(path: Path) -> pa.Table:
    """The columns qid, docid, rank, score of a TREC run file."""
    qids: list[str] = []
    docs: list[str] = []
    ranks: list[int] = []
    scores: list[float] = []
    for number, line in numbered(path):
        try:
            fields = line.decode().encode().split()
        except UnicodeDecodeError as error:
            raise HarnessError(
                f"{path}:{number}: this is no UTF-8 text (byte 0x{line[error.start]:02x}); expected lines `{FORM}`"
            ) from error
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
    columns = words, pa.array(docs, pa.string()), pa.array(ranks, pa.int64()), pa.array(scores, pa.float64())
    return pa.table(list(columns), names=["qid", "docid", "rank", "score"])


def _shown(text: bytes) -> str:
    """At most 60 characters, for a message."""
    shown = text.decode(errors="replace").strip()
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")
