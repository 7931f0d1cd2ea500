"""Packed files, recognised by their first bytes when read and by their names when written."""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from harness.core.errors import HarnessError

LEVEL = 1
"""The compression level of gzip. Level 1 takes a third of the time of 6 for files that are a sixth
larger.
"""
SMALL, MOST = 1 << 26, 200
"""A file may unpack to ``SMALL`` bytes, or to ``MOST`` times its size. Packed lists have a tenth of
their size.
"""
LONGEST = 10
"""Number of bytes of the longest ``magic``."""
TAR = slice(257, 262)
"""The place of the name of the format in a tar archive."""
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
"""Errors of unpacking a damaged file. bz2 and pyarrow raise an OSError without a number."""


@dataclass(frozen=True)
class Packing:
    """One way to pack a file.

    Attributes:
        magic: the first bytes of such a file.
        read: returns the unpacked bytes of a stream.
        write: returns a stream that packs into another one. The same content gives the same bytes
            at any time.
    """

    magic: re.Pattern[bytes]
    read: Callable[[IO[bytes]], Any]
    write: Callable[[IO[bytes]], Any]


def _read_zst(stream: IO[bytes]) -> Any:
    import pyarrow as pa

    return io.BufferedReader(pa.CompressedInputStream(stream, "zstd"))


def _write_zst(stream: IO[bytes]) -> Any:
    import pyarrow as pa

    return pa.CompressedOutputStream(stream, "zstd")


PACKINGS = {
    ".gz": Packing(
        re.compile(rb"\x1f\x8b"),
        lambda stream: gzip.GzipFile(fileobj=stream),
        lambda stream: gzip.GzipFile("", "wb", LEVEL, stream, mtime=0),
    ),
    ".zst": Packing(re.compile(rb"\x28\xb5\x2f\xfd"), _read_zst, _write_zst),
    ".xz": Packing(
        re.compile(rb"\xfd7zXZ\x00"), lzma.LZMAFile, functools.partial(lzma.LZMAFile, mode="wb")
    ),
    ".bz2": Packing(
        re.compile(rb"BZh[1-9]1AY&SY"), bz2.BZ2File, functools.partial(bz2.BZ2File, mode="wb")
    ),
}
"""The packings by the ending of the file name."""


def form_of(path: Path) -> str:
    """Return the form of a file by its ending, without that of its packing.

    ``RUN.JSON.gz`` gives ``json``; a name without an ending gives an empty text.
    """
    name = path.name.lower()
    packed = next((ending for ending in PACKINGS if name.endswith(ending)), "")
    return name.removesuffix(packed).rpartition(".")[2]


def is_packed(path: Path) -> bool:
    """Return whether the name of a file has the ending of a packing."""
    return path.name.lower().endswith(tuple(PACKINGS))


class _Bounded(io.RawIOBase):
    """The bytes of an unpacker, up to a limit: endless blank lines pack to almost nothing."""

    def __init__(self, inner: Any, path: Path, most: int) -> None:
        super().__init__()
        self.inner, self.path, self.left = inner, path, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.inner.read(len(buffer))
        self.left -= len(data)
        if self.left < 0:
            raise HarnessError(
                f"{self.path}: unpacks to more than {MOST} times its size; unpack it, and see "
                "what it holds"
            )
        buffer[: len(data)] = data
        return len(data)


@contextlib.contextmanager
def unpacked(path: Path, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield the bytes of an open file, unpacked if they are packed.

    Raises:
        HarnessError: the file is damaged, an archive, or unpacks to too many bytes.
    """
    head = stream.read(LONGEST)
    stream.seek(0)
    ending, packing = next(
        ((name, one) for name, one in PACKINGS.items() if one.magic.match(head)), ("", None)
    )
    if packing is None:
        _refuse_archive(path, stream)
        yield stream
        return
    try:
        most = max(SMALL, MOST * path.stat().st_size)
        opened = packing.read(stream)
        with opened, io.BufferedReader(_Bounded(opened, path, most), 1 << 20) as found:
            _refuse_archive(path, found)
            yield cast("IO[bytes]", found)
    except (*BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        kind = {".gz": "gzip"}.get(ending, ending.lstrip("."))
        raise HarnessError(
            f"{path}: damaged {kind} file ({error}); copy or download it again"
        ) from error


def _refuse_archive(path: Path, stream: Any) -> None:
    head = stream.peek(TAR.stop)
    if head[TAR] == b"ustar":
        raise HarnessError(f"{path}: a tar archive; unpack it (tar -xf) and give one of its files")
    if head.startswith(b"PK\x03\x04"):
        raise HarnessError(
            f"{path}: a zip archive or an Excel workbook; unpack it and give one of its files, or "
            "save the workbook as CSV"
        )


@contextlib.contextmanager
def packed(name: str, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield a stream that packs into another one, by the ending of the name."""
    found = next((one for ending, one in PACKINGS.items() if name.lower().endswith(ending)), None)
    if found is None:
        yield stream
        return
    with found.write(stream) as packed:
        yield cast("IO[bytes]", packed)
