"""Writing files whole: beside their place, then moved there, so that nobody reads half a file."""

from __future__ import annotations

import contextlib
import errno
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from harness.errors import HarnessError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

LEVEL = 1
"""How hard gzip tries; 1 takes a third of the time of 6 for files that are a sixth larger."""


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to; it becomes ``path`` when the block ends, and is removed when it fails.

    A full disk or a folder that cannot be written raises HarnessError.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        partial.replace(path)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ENOTDIR):
            raise
        raise HarnessError(
            f"{path}: cannot write ({error.strerror}); free some space or choose another folder"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def text(path: Path, packed: bool = False) -> Iterator[IO[bytes]]:
    """A file to write bytes to, gzip when ``packed``: the same bytes for the same content at any time."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) if packed else raw as stream:
        yield cast("IO[bytes]", stream)


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8)."""
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, keys sorted."""
    write_text(path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Write a Parquet file."""
    with whole(path) as partial:
        frame.to_parquet(partial, index=False)


def write_array(path: Path, values: np.ndarray[Any, Any]) -> None:
    """Write a NumPy file."""
    import numpy as np

    with whole(path) as partial, partial.open("wb") as stream:
        np.save(stream, values, allow_pickle=False)
