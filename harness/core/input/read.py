"""Readers of files, plain or packed, as lines, JSON or YAML, with errors that name the place."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, cast

from harness.core.errors import HarnessError, MissingFile

DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    SyntaxError,
    TokenError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)
"""Errors of NumPy and zipfile for an .npz file with changed bytes."""

DEEPEST = 100
"""Largest depth of nested mappings and lists in a YAML file."""
REPEATED = 1_000_000
"""Largest number of values that the aliases of a YAML file may stand for. Nine lines of nine
aliases can stand for a billion.
"""

MARK = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
"""The first bytes of a packed file."""
LEVEL = 1
"""The compression level of gzip. Level 1 takes a third of the time of 6 for files that are a sixth
larger.
"""
SMALL, MOST = 1 << 26, 200
"""A file may unpack to ``SMALL`` bytes, or to ``MOST`` times its size. Packed lists have a tenth of
their size.
"""
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error)
"""Errors of unpacking a damaged file."""
ARCHIVES = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; save a workbook as CSV, or",
    b"BZh": "a bzip2 file;",
    b"\xfd7zXZ\x00": "an xz file;",
    b"\x28\xb5\x2f\xfd": "a zstd file;",
}
"""What begins with certain bytes and is not unpacked here."""
TAR = slice(257, 262)
"""The place of the name of the format in a tar archive."""


def form_of(path: Path) -> str:
    """Return the form of a file by its ending, without ``.gz``: ``RUN.JSON.gz`` gives ``json``."""
    return path.name.lower().removesuffix(".gz").rpartition(".")[2]


def is_packed(path: Path) -> bool:
    """Return whether the name of a file has the ending of a packed one."""
    return path.name.lower().endswith(".gz")


@contextlib.contextmanager
def packed(name: str, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield a stream that packs into another one if the name ends in ``.gz``, at any time to the
    same bytes.
    """
    if not is_packed(Path(name)):
        yield stream
        return
    with gzip.GzipFile("", "wb", LEVEL, stream, mtime=0) as packing:
        yield cast("IO[bytes]", packing)


class _Bounded(io.RawIOBase):
    """The bytes of an unpacker, up to a limit: endless blank lines pack to almost nothing."""

    def __init__(self, inner: Any, path: Path) -> None:
        super().__init__()
        self.inner, self.path = inner, path
        self.left = max(SMALL, MOST * path.stat().st_size)

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
def _unpacked(path: Path, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield the bytes of an open file, unpacked if they are packed.

    Raises:
        HarnessError: the file is damaged, an archive, or unpacks to too many bytes.
    """
    head = stream.read(TAR.stop)
    stream.seek(0)
    if not head.startswith(GZIP):
        _refuse_archive(path, head)
        yield stream
        return
    try:
        with gzip.GzipFile(fileobj=stream) as opened:
            unpacked = io.BufferedReader(_Bounded(opened, path), 1 << 20)
            _refuse_archive(path, unpacked.peek(TAR.stop))
            yield cast("IO[bytes]", unpacked)
    except BROKEN as error:
        raise HarnessError(
            f"{path}: damaged gzip file ({error}); copy or download it again"
        ) from error


def _refuse_archive(path: Path, head: bytes) -> None:
    kind = next((kind for magic, kind in ARCHIVES.items() if head.startswith(magic)), None)
    if head[TAR] == b"ustar":
        kind = "a tar archive;"
    if kind:
        raise HarnessError(f"{path}: {kind} unpack it and give one of its files")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Yield the bytes of a file, unpacked if its first bytes show that it is packed.

    Raises:
        HarnessError: the file cannot be read.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise HarnessError(
            f"{path}: a pipe or a device, which may have no end; write what it gives to a file, "
            "and name that"
        )
    try:
        with path.open("rb") as raw, _unpacked(path, raw) as stream:
            yield stream
    except FileNotFoundError as error:
        web = re.match(r"(https?|ftp):/+", str(path))
        mend = "; files are read, not addresses: download it first" if web else ""
        raise MissingFile(f"{path}: there is no such file{mend}", path) from error
    except (IsADirectoryError, PermissionError) as error:
        raise HarnessError(
            f"{path}: cannot read ({error.strerror}); give a file that you may read"
        ) from error


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number (from 1) and bytes of each line that is not blank.

    Lines end with LF, CRLF or CR. A byte order mark is left out.
    """
    number = 0
    with opened(path) as stream:
        for piece in stream:
            if number == 0:
                piece = piece.removeprefix(MARK)
            for line in piece.splitlines():
                number += 1
                if line.strip():
                    yield number, line


def decoded(data: bytes, path: Path, expected: str, line: int = 0) -> str:
    """Return bytes as text.

    Args:
        data: the bytes of a line, or of a whole file.
        path: the file, for the message.
        expected: its form, for the message.
        line: the number of the line; 0 for a whole file.

    Raises:
        HarnessError: they are not UTF-8 text; names the line.
    """
    try:
        text = data.decode()
        place, wrong = data.find(b"\0"), "a NUL byte: this is a binary or UTF-16 file"
    except UnicodeDecodeError as error:
        text, place = "", error.start
        wrong = f"not UTF-8 text (byte 0x{error.object[place]:02x})"
    if place >= 0:
        at_line = line or data.count(b"\n", 0, place) + 1
        raise HarnessError(f"{path}:{at_line}: {wrong}; expected {expected}, saved as UTF-8")
    return text


def refuse_array(path: Path, line: bytes) -> None:
    """Raise HarnessError if the first line of a file of JSON lines begins an array."""
    if line.lstrip().startswith(b"["):
        raise HarnessError(
            f"{path}: a JSON array; expected one JSON object a line, as `jq -c '.[]'` writes them"
        )


def read_json(path: Path, expected: str) -> Any:
    """Return the JSON value of a whole file, plain or packed.

    Args:
        path: the file.
        expected: its form, for the message (see ``parse_json``).
    """
    with opened(path) as stream:
        return parse_json(stream.read(), path, expected)


def parse_json(data: bytes, path: Path, expected: str, line: int | None = None) -> Any:
    """Return a JSON value.

    Args:
        data: the bytes of the value.
        path: the file, for the message.
        expected: the form of the value, for the message.
        line: the line of the value, if it is a line of ``path``. The lines of a whole file are
            counted here.

    Raises:
        HarnessError: broken syntax, too deep nesting, an integer of more than 4,300 digits, a
            repeated name in an object, bytes that are not UTF-8, or half of a surrogate pair.
    """
    place = f"{path}:{line}" if line else str(path)
    text = decoded(data.removeprefix(MARK), path, expected, line or 0)
    try:
        value = json.loads(text, object_pairs_hook=_once)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise HarnessError(
            f"{place}: half of a surrogate pair; write the whole character as UTF-8"
        ) from error
    except json.JSONDecodeError as error:
        at_line = line or error.lineno
        raise HarnessError(
            f"{path}:{at_line}: broken JSON ({error.msg}); expected {expected}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise HarnessError(f"{place}: broken JSON ({error}); expected {expected}") from error
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise ValueError(f"{twice!r} is repeated in one object; keep one of its entries")
    return entries


def value_at(content: Any, place: Sequence[str]) -> Any:
    """Return the value at a place of nested mappings, or None if there is none."""
    for key in place:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def read_yaml(path: Path) -> Any:
    """Return the value of a YAML file, read by libyaml.

    libyaml builds values by recursion without a bound. A file that nests deeper than ``DEEPEST``
    would end the process, and one whose aliases stand for more than ``REPEATED`` values would fill
    the memory. Therefore its events are counted first.

    Raises:
        ValueError: the file cannot be read (also yaml.YAMLError), or a name is repeated in a
            mapping.
    """
    import yaml

    text = path.read_text(encoding="utf-8")
    _check_size(text)

    class Loader(yaml.CSafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            _once([(key.value, None) for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
            mapping: dict[Any, Any] = super().construct_mapping(node, deep)
            return mapping

    try:
        return yaml.load(text, Loader)
    except (AttributeError, LookupError) as error:  # a value that does not fit its tag
        raise ValueError(f"a value that is not of its tag ({error})") from error


def read_settings(path: Path) -> Any:
    """Return the value of a YAML file that a person wrote. Raise HarnessError if it cannot be
    read.
    """
    import yaml

    try:
        return read_yaml(path)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise HarnessError(
            f"{path}: no YAML ({' '.join(str(error).split())[:160]}); mend it"
        ) from error


def _check_size(text: str) -> None:
    """Raise ValueError if a YAML text nests too deep or its aliases stand for too many values."""
    import yaml

    count = 0
    sizes: dict[str, int] = {}
    inside: list[tuple[str | None, int]] = []
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            count += sizes.get(event.anchor or "", 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            inside.append((event.anchor, count))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = inside.pop()
            sizes[anchor or ""] = count - before + 1
            count += 1
        elif isinstance(event, yaml.ScalarEvent):
            count += 1
        if len(inside) > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")
        if count > REPEATED + len(text):
            raise ValueError(f"its aliases stand for more than {REPEATED:,} values")
