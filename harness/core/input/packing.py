"""How files are packed, told by their first bytes when they are read, and by their names when they
are written.
"""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from harness.core.errors import HarnessError

LEVEL = 1
"""How hard gzip tries; 1 takes a third of the time of 6 for files that are a sixth larger."""
SMALL, MOST = 1 << 26, 200
"""Bytes that any file may unpack to, and so many times its size; lines of lists are a tenth."""
LONGEST = 10
"""Bytes of the longest ``magic``."""
TAR = slice(257, 262)
"""Where a tar archive says that it is one."""
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""What unpacking raises over a damaged file; bz2 and pyarrow raise an OSError without a number."""


@dataclass(frozen=True)
class Packing:
    """One way to pack a file.

    magic: how such a file begins.    read: the unpacked bytes of a stream.    write: a stream that
    packs into another, the same bytes for the same content at any time; None where nothing is
    written in this way.
    """

    magic: re.Pattern[bytes]
    read: Callable[[IO[bytes]], Any]
    write: Callable[[IO[bytes]], Any] | None = None


def _arrow_read(kind: str) -> Callable[[IO[bytes]], Any]:
    def read(stream: IO[bytes]) -> Any:
        import pyarrow as pa

        return io.BufferedReader(pa.CompressedInputStream(stream, kind))

    return read


def _arrow_write(kind: str) -> Callable[[IO[bytes]], Any]:
    def write(stream: IO[bytes]) -> Any:
        import pyarrow as pa

        return pa.CompressedOutputStream(stream, kind)

    return write


def _member(stream: IO[bytes]) -> Any:
    archive = zipfile.ZipFile(stream)
    files = [info for info in archive.infolist() if not info.is_dir()]
    if any(info.filename.startswith("xl/") for info in files):
        raise HarnessError("an Excel workbook; save it as CSV, and give that")
    if len(files) != 1:
        listed = ", ".join(info.filename for info in files[:3])
        raise HarnessError(
            f"a zip archive of {len(files)} files ({listed}); unpack it and give one of them"
        )
    try:
        return archive.open(files[0])
    except (RuntimeError, NotImplementedError) as error:
        raise HarnessError(f"a zip archive that cannot be read ({error}); unpack it") from error


PACKINGS = {
    ".gz": Packing(
        re.compile(rb"\x1f\x8b"),
        lambda stream: gzip.GzipFile(fileobj=stream),
        lambda stream: gzip.GzipFile("", "wb", LEVEL, stream, mtime=0),
    ),
    ".zst": Packing(re.compile(rb"\x28\xb5\x2f\xfd"), _arrow_read("zstd"), _arrow_write("zstd")),
    ".xz": Packing(
        re.compile(rb"\xfd7zXZ\x00"), lzma.LZMAFile, functools.partial(lzma.LZMAFile, mode="wb")
    ),
    ".bz2": Packing(
        re.compile(rb"BZh[1-9]1AY&SY"), bz2.BZ2File, functools.partial(bz2.BZ2File, mode="wb")
    ),
    ".lz4": Packing(re.compile(rb"\x04\x22\x4d\x18"), _arrow_read("lz4")),
    ".zip": Packing(re.compile(rb"PK\x03\x04"), _member),
}
"""By the ending of the name."""


def form_of(path: Path) -> str:
    """The form of a file by its ending, without that of its packing: ``json`` of ``RUN.JSON.gz``;
    "" without one.
    """
    name = path.name.lower()
    packed = next((ending for ending in PACKINGS if name.endswith(ending)), "")
    return name.removesuffix(packed).rpartition(".")[2]


def inner_name(path: Path) -> str:
    """The name of the one file of a zip archive; of any other file its own."""
    try:
        with zipfile.ZipFile(path) as archive:
            held = [one.filename for one in archive.infolist() if not one.is_dir()]
    except (OSError, ValueError, *BROKEN):
        return path.name
    return held[0] if len(held) == 1 else path.name


def is_packed(path: Path) -> bool:
    """Whether a file's name says that it is packed."""
    return path.name.lower().endswith(tuple(PACKINGS))


class _Bounded(io.RawIOBase):
    """What an unpacker gives, up to a number of bytes: blank lines without end pack to nothing."""

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
    """The bytes of an open file, unpacked where they are packed. Raises HarnessError where they
    cannot be.
    """
    head = stream.read(LONGEST)
    stream.seek(0)
    ending, packing = next(
        ((name, one) for name, one in PACKINGS.items() if one.magic.match(head)), ("", None)
    )
    if packing is None:
        _refuse_tar(path, stream)
        yield stream
        return
    try:
        try:
            opened = packing.read(stream)
        except HarnessError as error:
            raise HarnessError(f"{path}: {error}") from error
        most = max(SMALL, MOST * path.stat().st_size)
        with opened, io.BufferedReader(_Bounded(opened, path, most), 1 << 20) as found:
            _refuse_tar(path, found)
            yield cast("IO[bytes]", found)
    except (*BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        kind = {".gz": "gzip"}.get(ending, ending.lstrip("."))
        raise HarnessError(
            f"{path}: damaged {kind} file ({error}); copy or download it again"
        ) from error


def _refuse_tar(path: Path, stream: Any) -> None:
    if stream.peek(TAR.stop)[TAR] == b"ustar":
        raise HarnessError(f"{path}: a tar archive; unpack it (tar -xf) and give one of its files")


@contextlib.contextmanager
def packed(name: str, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """A stream that packs into another as the ending of a name says. Raises HarnessError for one
    that is only read.
    """
    found = next((one for ending, one in PACKINGS.items() if name.lower().endswith(ending)), None)
    if found is None:
        yield stream
        return
    if found.write is None:
        written = ", ".join(ending for ending, one in PACKINGS.items() if one.write)
        raise HarnessError(
            f"{name}: such files are read, not written; packed are those that end in {written}"
        )
    with found.write(stream) as packed:
        yield cast("IO[bytes]", packed)
