"""Any system's ranked lists: from files of every form (harness.run.form), and from what Python
holds; written likewise.

>>> runs = read_all({"dense": "dense.trec.gz", "graph": "graph.json"})  # doctest: +SKIP
>>> write(runs["dense"], "dense.parquet")  # doctest: +SKIP
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.errors import HarnessError, described, path_of, unused
from harness.core.files import is_stream
from harness.core.threads import available, map_threads
from harness.run import frame
from harness.run.content import LISTS, Content
from harness.run.entries import Entries
from harness.run.form import Form, form_named, named_forms, recognise
from harness.run.metadata import write_metadata
from harness.run.run import Run, runs_of

log = logging.getLogger(__name__)
__all__ = ["File", "read", "read_all", "read_each", "write"]


@dataclass(frozen=True)
class File:
    """A file whose columns have names of their own, ``{"doc": "pid"}``; None: those that all files
    of a call have.
    """

    path: str
    columns: Mapping[str, str] | None = None

    def __str__(self) -> str:
        """What it is called: two systems may be columns of one file."""
        said = ", ".join(f"{name}: {column}" for name, column in (self.columns or {}).items())
        return f"{self.path} ({said})" if said else self.path


Source = Run | str | Path | File | Mapping[Any, Any] | Any
"""A file, a data frame, ``{query: {document: score}}`` (see ``Run.from_dict``), a run of ranx, or a
``Run``.
"""
SOURCES = "a file, a data frame, {query id: {document id: score}} or a run of ranx"


def read(source: Source, lenient: bool = False, columns: Mapping[str, str] | None = None) -> Run:
    """The run of one file, in the form that its ending names, or of what Python holds.

    Args:
        source: a file, the folder of an artifact of ``retrieve``, a data frame,
            ``{query id: {document id: score}}``,
            or a run of ranx.
        lenient: pass over comment lines (``#``) and trailing fields of TREC files.
        columns: what a table's columns are called,
            ``{"query": "topic", "doc": "pid", "score": "similarity"}`` or some
            of these; usual names are known without (see harness.run.frame).

    Returns:
        The ranked lists.

    Raises:
        HarnessError: names the file, the place and the mend.
    """
    return source if isinstance(source, Run) else read_all({"": source}, lenient, columns)[""]


def read_all(
    sources: Mapping[str, Source], lenient: bool = False, columns: Mapping[str, str] | None = None
) -> dict[str, Run]:
    """The runs of several files, over the same queries and documents (see ``runs_of``).

    Args:
        sources: by list name; each as of ``read``.
        lenient: as of ``read``.
        columns: as of ``read``.

    Returns:
        The runs by list name.

    Raises:
        HarnessError: names the file, the place and the mend.
    """
    return runs_of(dict(_all_entries(sources, lenient, columns)))


def read_each(
    sources: Mapping[str, Source], lenient: bool = False, columns: Mapping[str, str] | None = None
) -> dict[str, Run]:
    """The runs of several files, each over its own queries and documents.    Arguments, Raises: as
    of ``read_all``.
    """
    found = _all_entries(sources, lenient, columns)
    return {name: runs_of({name: entries})[name] for name, entries in found}


def _all_entries(
    sources: Mapping[str, Source], lenient: bool, columns: Mapping[str, str] | None
) -> Iterator[tuple[str, Entries]]:
    content = LISTS.named(columns)
    if not isinstance(sources, Mapping):
        raise HarnessError(f"expected {{name: {SOURCES}}}, got {described(sources)}")
    for source in sources.values():
        if isinstance(source, File) and source.columns and not _has_columns(source):
            _warn_unread(source.columns, source.path)
    others = [
        source for source in sources.values() if not (isinstance(source, File) and source.columns)
    ]
    if columns and not any(map(_has_columns, others)):
        _warn_unread(columns, next(iter(sources.values())))

    def entries(source: Source) -> Entries:
        return _entries(source, lenient, content)

    return zip(sources, map_threads(entries, sources.values(), available()), strict=True)


def _warn_unread(columns: Mapping[str, str], source: Source) -> None:
    log.warning("%s", unused(f"columns={dict(columns)}", f"{source} is no table"))


def _entries(source: Source, lenient: bool, content: Content) -> Entries:
    if isinstance(source, File):
        return _entries(
            source.path, lenient, LISTS.named(source.columns) if source.columns else content
        )
    if isinstance(source, (str, Path)):
        return form_of(Path(source), lenient).entries(Path(source), content, lenient)
    if frame.is_frame(source):
        return frame.entries_of(source, content)
    if isinstance(source, Run):
        return source.entries()
    if isinstance(source, Mapping):
        return Run.from_dict(source).entries()
    if hasattr(source, "to_dict"):
        return Run.from_ranx(source).entries()
    raise HarnessError(f"expected {SOURCES}, got {described(source)}")


def _read_folder(path: Path, content: Content, lenient: bool) -> Entries:
    from harness.run import artifact

    return artifact.entries(path)


FOLDER = Form(
    "a run of ours",
    None,
    "the folder `runs/artifacts/retrieve/<key>` that `harness prepare` prints",
    _read_folder,
)


def form_of(path: Path, lenient: bool = False) -> Form:
    """The form of a file or a folder."""
    return FOLDER if path.is_dir() else recognise(path, lenient)


def _has_columns(source: Source) -> bool:
    """Whether columns of it have names: a data frame, or a file of such a form."""
    path = source.path if isinstance(source, File) else source
    return form_of(Path(path)).headed if isinstance(path, (str, Path)) else frame.is_frame(path)


UNWRITTEN = (".xlsx", ".xls", ".ods", ".zip", ".lz4")
"""Endings of workbooks and archives, which are not written."""


def write(run: Source, path: str | Path, made: Mapping[str, object] | None = None) -> None:
    """Write a run in the form that the file's ending names; the file appears whole or not at all.

    Beside it stands what made it, ``NAME.ir-metadata.yml`` (see harness.run.metadata).

    Args:
        run: ranked lists, as ``read`` takes them.
        path: a file whose ending says its form (see harness.run.form); packed where it ends in
            ``.gz``, ``.zst``,
            ``.xz`` or ``.bz2``.
        made: what is known of how it was made, by the names of ``harness.run.metadata``.

    Raises:
        HarnessError: an id is one that the form cannot carry, or the file cannot be written.
    """
    place, lists = path_of("path", path), read(run)
    if place.suffix.lower() in UNWRITTEN:
        raise HarnessError(f"out={path}: such files are not written; write {place.stem}.csv")
    if place.is_dir():
        raise HarnessError(
            f"out={path}: this is a folder; name a file, NAME.trec or by another form "
            f"{named_forms()}"
        )
    form_named(place).save(lists.ranked(), place)
    if not is_stream(place):
        write_metadata(place, lists, made or {})
