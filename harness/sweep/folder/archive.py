"""A sweep in a zip archive for deposit: the same content gives the same bytes.

``sweep/NAME/`` has the sweep's files, ``archive.json`` the hash of every other file. An archive may
come from anybody: only the sweep's own files are unpacked, and nothing in it is run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import yaml

from harness.core.errors import HarnessError
from harness.core.files import whole
from harness.core.identity import code_version
from harness.core.input.read import BROKEN, MOST, SMALL, read_yaml
from harness.sweep.folder.files import NAMES, portable
from harness.sweep.folder.lock import LOCK

INDEX = "archive.json"
FORM = 1
"""The version of the form of archives; others are refused."""
TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a zip archive, used for every file."""
COUNT = 10_000
"""The largest number of files in an archive."""
MEND = "get the archive again from where it was deposited"


def pack(path: Path, folder: Path, others: Mapping[str, bytes]) -> None:
    """Write an archive of the sweep in ``folder``, sorted by name, with ``others`` as further
    files.

    Keys that belong to a machine are removed from ``config.yaml``; its hash does not depend on
    them.
    """
    files = dict(others)
    for name in NAMES:
        if (folder / name).is_file():
            files[f"sweep/{folder.name}/{name}"] = (folder / name).read_bytes()
    config = portable(read_yaml(folder / "config.yaml"))
    files[f"sweep/{folder.name}/config.yaml"] = yaml.safe_dump(config, sort_keys=False).encode()
    hashes = {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}
    index = {"form": FORM, "code": code_version(), "sweep": folder.name, "files": hashes}
    files[INDEX] = f"{json.dumps(index, indent=1)}\n".encode()
    with whole(path) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, TIME)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, files[name])


@contextlib.contextmanager
def opened(place: Path) -> Iterator[Path]:
    """Yield the folder of a sweep; an archive is unpacked to a temporary one.

    Raises HarnessError for an archive that is damaged, edited, of another form, too large, or has
    names that lead out of it.
    """
    if not place.is_file():
        yield place
        return
    with tempfile.TemporaryDirectory() as below:
        try:
            with zipfile.ZipFile(place) as archive:
                most = max(SMALL, MOST * place.stat().st_size)
                folder = _unpack(archive, Path(below), most)
        except (
            *BROKEN,
            zipfile.BadZipFile,
            ValueError,
            LookupError,
            TypeError,
            RuntimeError,
        ) as error:
            raise HarnessError(f"{place}: damaged ({error}); {MEND}") from error
        try:
            yield folder
        except HarnessError as error:  # the temporary folder is gone when somebody reads its name
            error.args = (str(error).replace(str(folder), str(place)),)
            raise


def _unpack(archive: zipfile.ZipFile, below: Path, most: int) -> Path:
    """Write the files of the sweep into a new folder and return it; ValueError for other content.

    Args:
        archive: the archive.
        below: the place of the folder.
        most: number of bytes that all files may have.
    """
    hashes, sweep = _checked_index(archive, most)
    folder = below / sweep
    folder.mkdir()
    for name in sorted(hashes):
        content = archive.read(name)
        if hashlib.sha256(content).hexdigest() != hashes[name]:
            raise ValueError(f"{name} was changed (its SHA-256 differs)")
        if name in {f"sweep/{sweep}/{file}" for file in NAMES}:
            (folder / name.rpartition("/")[2]).write_bytes(content)
    return folder


def _checked_index(archive: zipfile.ZipFile, most: int) -> tuple[dict[str, str], str]:
    """Return the hash of each file by its name, and the name of the sweep."""
    members = {info.filename: info.file_size for info in archive.infolist()}
    for name in members:
        if ".." in PurePosixPath(name).parts or name.startswith("/") or {*name} & {"\\", ":"}:
            raise ValueError(f"the name {name!r} leads out of it")
    if len(archive.infolist()) > COUNT or sum(members.values()) > most:
        raise ValueError(f"more than {COUNT} files or {most} bytes")
    if INDEX not in members or len(members) != len(archive.infolist()):
        raise ValueError("no archive of `harness report archive=`")
    index = json.loads(archive.read(INDEX))
    if index["form"] != FORM:
        raise ValueError(f"form {index['form']} of another version of the harness, not {FORM}")
    hashes, sweep = dict(index["files"]), str(index["sweep"])
    expected = members.keys() - {INDEX}
    if odd := sorted(hashes.keys() ^ expected):
        raise ValueError(f"{odd[0]} is missing or was added")
    if f"sweep/{sweep}/{LOCK}" not in members or PurePosixPath(sweep).name != sweep:
        raise ValueError(f"no lock of a sweep {sweep!r} is in it")
    return hashes, sweep
