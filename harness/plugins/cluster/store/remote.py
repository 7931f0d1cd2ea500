"""A store for machines without a common folder: an fsspec URL such as ``s3://bucket/prefix``.

Work is done in the local runs folder. A whole artifact is looked up there, then in the remote
store, before it is built. An artifact that was built, or exists only locally, is sent. Its manifest
is sent last and has the hash of each file, so a partial copy does not count, and a damaged one is
detected and built again.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from harness.core.artifact import MANIFEST, expected_files
from harness.core.configuration.extras import pip_install
from harness.core.errors import HarnessError
from harness.core.identity import file_sha256

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Remote:
    """Artifacts below ``url``, as ``<stage>/<key>/`` with the files of the local ones.

    Every file system of fsspec works; the extra ``s3`` installs that of ``s3://``. Addresses and
    keys of the service come from its environment variables (``AWS_ENDPOINT_URL_S3``,
    ``AWS_ACCESS_KEY_ID``, ...).
    """

    url: str

    def fetch(self, stage: str, key: str, folder: Path) -> bool:
        """Copy an artifact into ``folder``, creating it.

        Returns:
            False if the store has no complete copy; a warning is logged if the copy is damaged.

        Raises:
            HarnessError: the store cannot be read.
        """
        with self._open() as (files, root):
            place = f"{root}/{stage}/{key}"
            try:
                manifest = files.cat_file(f"{place}/{MANIFEST}")
            except FileNotFoundError:
                return False
            shutil.rmtree(folder, ignore_errors=True)
            try:
                for name, sha256 in expected_files(manifest, key)[1].items():
                    local = folder / name
                    local.parent.mkdir(parents=True, exist_ok=True)
                    files.get_file(f"{place}/{name}", str(local))
                    if file_sha256(local) != sha256:
                        raise ValueError(f"{name} has another SHA-256")
            except (
                FileNotFoundError,
                ValueError,
                LookupError,
                TypeError,
                AttributeError,
                RecursionError,
            ) as error:
                log.warning(
                    "%s/%s/%s is damaged (%s); building the artifact again",
                    self.url,
                    stage,
                    key,
                    error,
                )
                files.rm_file(f"{place}/{MANIFEST}")  # so that the artifact is sent again
                return False
            folder.mkdir(parents=True, exist_ok=True)
            (folder / MANIFEST).write_bytes(manifest)
        return True

    def send(self, stage: str, key: str, place: Path) -> None:
        """Copy a whole artifact to the store, unless it is there.

        Raises:
            HarnessError: the store cannot be written.
        """
        with self._open() as (files, root):
            there = f"{root}/{stage}/{key}"
            if files.exists(f"{there}/{MANIFEST}"):
                return
            for name in [*expected_files((place / MANIFEST).read_bytes(), key)[1], MANIFEST]:
                if not _has_buckets(files):
                    files.makedirs(str(PurePosixPath(f"{there}/{name}").parent), exist_ok=True)
                files.put_file(str(place / name), f"{there}/{name}")

    @contextlib.contextmanager
    def _open(self) -> Iterator[tuple[Any, str]]:
        """Yield the file system and the path in it. Errors of a service's client become
        one line.
        """
        try:
            files, root = _connect(self.url)
            files.invalidate_cache()
            yield files, root
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            mend = "mend its address or its keys and run the same command again, which goes on"
            if isinstance(error, ImportError):
                mend = f"for s3:// {pip_install('s3')}"
            raise HarnessError(
                f"paths.shared={self.url}: {why}; {mend}, or leave paths.shared out"
            ) from error


@functools.lru_cache(maxsize=4)
def _connect(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it.

    Raises:
        FileNotFoundError: the bucket does not exist.
    """
    import fsspec

    files, root = fsspec.url_to_fs(url)
    bucket = root.partition("/")[0]
    if _has_buckets(files) and not files.exists(bucket):
        raise FileNotFoundError(f"there is no bucket {bucket!r} that these keys may see")
    return files, root.rstrip("/")


def _has_buckets(files: Any) -> bool:
    """Return whether the files are objects in a bucket, which has no folders."""
    from fsspec.asyn import AsyncFileSystem

    return isinstance(files, AsyncFileSystem)
