"""Any system's ranked lists, read and written by file ending: ``.json``, ``.parquet``, anything else is TREC.

``.json`` and TREC files may be packed (``.json.gz``, ``.trec.gz``). See harness.trec, harness.lists.document (JSON) and
harness.lists.frame (Parquet) for their forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.lists.entries import Entries, runs_of
from harness.run import Run

__all__ = ["read", "read_all", "write"]


def read(path: str | Path) -> Run:
    """The run of one file. Raises HarnessError that names the file, the place and the mend."""
    return read_all({"": path})[""]


def read_all(paths: Mapping[str, str | Path]) -> dict[str, Run]:
    """The runs of several files by list name, over the same queries and documents (see ``runs_of``).

    Two files are read at a time.
    """
    with ThreadPoolExecutor(2) as pool:
        files = pool.map(entries, [Path(path) for path in paths.values()])
        return runs_of(dict(zip(paths, files, strict=True)))


def entries(path: Path) -> Entries:
    """The entries of one file."""
    from harness import trec
    from harness.lists import document, frame

    match _form(path):
        case "json":
            return document.entries(path)
        case "parquet":
            return frame.entries(path)
        case _:
            return trec.entries(path)


def write(run: Run, path: str | Path) -> None:
    """Write a run in the form that the file's ending names; the file appears whole or not at all."""
    from harness import trec
    from harness.lists import document, frame

    place = Path(path)
    match _form(place):
        case "json":
            document.write(run, place)
        case "parquet":
            frame.write(run, place)
        case _:
            trec.write_trec(run, place)


def _form(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[2].lower()
