"""A sweep's folder as one file: a tar archive packed with Zstandard, the same bytes for the same folder."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from pathlib import Path, PurePosixPath

import pyarrow as pa

from harness.core.errors import HarnessError
from harness.core.files import is_running, make_folder, whole
from harness.sweep.folder.result import SweepResult

SUFFIX = ".tar.zst"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What a sweep and its files may be called."""
TAKEN = re.compile(r"latest|.*\.(partial|lock)")
"""What no sweep may be called: the pointer to the latest one, and what is being written."""
MEMBER, WHOLE = 4 << 30, 16 << 30
"""Bytes of a file of a sweep, and of all, at most; ``ranks.npy`` of 667 trials of 20,000 questions has 200 MiB."""
HEADER = 1 << 16
"""Bytes of a header of more than tar's own fields (PAX, a long name), which is read into memory, at most."""


class _Member(tarfile.TarInfo):
    """A member whose headers are no larger than a path and some times."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        more = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
        if self.type in (*more, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK) and self.size > HEADER:
            raise tarfile.ReadError(f"a header of {self.size} bytes, at most {HEADER} are read")
        return super()._proc_member(tar)  # type: ignore[misc,no-any-return]


def export_sweep(folder: Path, out: Path) -> Path:
    """Write the files of a sweep into ``out``; the path of the archive. Nothing half-written stays."""
    SweepResult(folder).check()
    try:
        with (
            whole(out) as partial,
            pa.CompressedOutputStream(str(partial), "zstd") as stream,
            tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink()):
                entry = tarfile.TarInfo(f"{folder.resolve().name}/{path.name}")
                entry.size = path.stat().st_size
                with path.open("rb") as file:
                    archive.addfile(entry, file)
    except OSError as error:
        raise HarnessError(f"{out}: cannot write ({error.strerror or error}); give another out=FILE") from error
    return out


def import_sweep(archive: Path, runs: Path) -> Path:
    """Unpack a sweep below ``runs/sweeps``; its folder.

    Raises HarnessError for what is no such archive, for a member that is no plain file of one folder (a path outside, a
    link, a device), for a sweep that is there already, and for one that cannot be read.
    """
    place = runs / "sweeps"
    for left in place.glob(".import.*.partial"):
        if not is_running(int(left.name.split(".")[2])):
            shutil.rmtree(left, ignore_errors=True)
    partial = place / f".import.{os.getpid()}.partial"
    try:
        make_folder(partial)
        folder = place / _unpack(archive, partial)
        if not folder.exists():
            SweepResult(partial).check()
        try:
            partial.rename(folder)  # of two at once one succeeds
        except OSError as error:
            raise HarnessError(
                f"{folder}: there is such a sweep already; remove it first, or set another paths.runs=DIR"
            ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _unpack(archive: Path, folder: Path) -> str:
    """Write the members into ``folder``; the name of the sweep."""
    names, total = set(), 0
    try:
        with (
            pa.CompressedInputStream(str(archive), "zstd") as stream,
            tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as tar,
        ):
            for member in tar:
                total += member.size
                if member.size > MEMBER or total > WHOLE:
                    raise HarnessError(
                        f"{archive}: {member.name}: {member.size} bytes, {total} so far; a sweep has at most {MEMBER} "
                        f"in a file and {WHOLE} in all; take its folder as it is"
                    )
                sweep, name = _checked(archive, member)
                names.add(sweep)
                file = tar.extractfile(member)
                if member.size > (free := shutil.disk_usage(folder).free):
                    raise HarnessError(f"{archive}: {member.name}: {member.size} bytes, but {free} are free there")
                if file is None or len(names) > 1 or (folder / name).exists():
                    raise HarnessError(f"{archive}: {member.name}: expected the files of one sweep, each once")
                with (folder / name).open("wb") as out:
                    shutil.copyfileobj(file, out)
    except FileNotFoundError as error:
        raise HarnessError(f"{archive}: there is no such file; give what `harness export` wrote") from error
    except (OSError, tarfile.TarError, pa.ArrowException) as error:
        raise HarnessError(f"{archive}: no archive of a sweep ({error}); give what `harness export` wrote") from error
    if not names:
        raise HarnessError(f"{archive}: it is empty; give what `harness export` wrote")
    return str(names.pop())


def _checked(archive: Path, member: tarfile.TarInfo) -> tuple[str, str]:
    parts = PurePosixPath(member.name).parts
    plain = member.isfile() and len(parts) == 2 and all(NAME.fullmatch(part) for part in parts)
    if not plain or TAKEN.fullmatch(parts[0]):
        raise HarnessError(
            f"{archive}: member {member.name!r} is refused: only plain files SWEEP/FILE are unpacked, no links, "
            "devices or paths outside"
        )
    return parts[0], parts[1]
