"""Ranked lists of any system: read from files of every form (harness.run.form) or Python values,
and written.

>>> runs = read_all({"dense": "dense.trec.gz", "graph": "graph.json"})  # doctest: +SKIP
>>> write(runs["dense"], "dense.parquet")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from harness.core.errors import HarnessError, described, path_of, unused
from harness.core.files import is_stream
from harness.core.threads import available, map_threads
from harness.run import frame
from harness.run.content import LISTS, Content
from harness.run.entries import Entries
from harness.run.form import Form, form_named, named_forms, recognise
from harness.run.metadata import write_metadata
from harness.run.run import Run, runs_of

__all__ = ["File", "read", "read_all", "read_each", "write"]


@dataclass(frozen=True)
class File:
    """A file with its own names of columns, ``{"doc": "pid"}``; None for those of all files of a
    call.
    """

    path: str
    columns: Mapping[str, str] | None = None

    def __str__(self) -> str:
        """Return the name of the file, with its columns, because two systems may be columns of one
        file.
        """
        columns = ", ".join(f"{name}: {column}" for name, column in (self.columns or {}).items())
        return f"{self.path} ({columns})" if columns else self.path


Source = Run | str | Path | File | Mapping[Any, Any] | Any
"""A file, a data frame, ``{query: {document: score}}`` (see ``Run.from_dict``), a run of ranx, or a
``Run``.
"""
SOURCES = "a file, a data frame, {query id: {document id: score}} or a run of ranx"


def read(source: Source, lenient: bool = False, columns: Mapping[str, str] | None = None) -> Run:
    """Return the run of one file, in the form that its ending names, or of a Python value.

    Args:
        source: a file, the folder of an artifact of ``retrieve``, a data frame, ``{query id:
            {document id: score}}``, or a run of ranx.
        lenient: whether comment lines (``#``) and trailing fields of TREC files are skipped.
        columns: the names of a table's columns, ``{"query": "topic", "doc": "pid", "score":
            "similarity"}`` or some of these. Usual names are known (see harness.run.frame).

    Returns:
        The ranked lists.

    Raises:
        HarnessError: names the file, the place and the mend.
    """
    return source if isinstance(source, Run) else read_all({"": source}, lenient, columns)[""]


def read_all(
    sources: Mapping[str, Source], lenient: bool = False, columns: Mapping[str, str] | None = None
) -> dict[str, Run]:
    """Return the runs of several files over the same queries and documents (see ``runs_of``).

    Args:
        sources: by list name; each as in ``read``.
        lenient: as in ``read``.
        columns: as in ``read``.

    Returns:
        The runs by list name.

    Raises:
        HarnessError: names the file, the place and the mend.
    """
    return runs_of(dict(_all_entries(sources, lenient, columns)))


def read_each(
    sources: Mapping[str, Source], lenient: bool = False, columns: Mapping[str, str] | None = None
) -> dict[str, Run]:
    """Return the runs of several files, each over its own queries and documents.

    Arguments and errors are those of ``read_all``.
    """
    named_entries = _all_entries(sources, lenient, columns)
    return {name: runs_of({name: entries})[name] for name, entries in named_entries}


def _all_entries(
    sources: Mapping[str, Source], lenient: bool, columns: Mapping[str, str] | None
) -> Iterator[tuple[str, Entries]]:
    content = LISTS.named(columns)
    if not isinstance(sources, Mapping) or not sources:
        raise HarnessError(f"expected {{name: {SOURCES}}}, got {described(sources)}")
    for source in sources.values():
        if isinstance(source, File) and source.columns and not _has_columns(source):
            _refuse_columns(source.columns, source.path)
    others = [
        source for source in sources.values() if not (isinstance(source, File) and source.columns)
    ]
    if columns and not any(map(_has_columns, others)):
        _refuse_columns(columns, next(iter(sources.values())))

    def entries(source: Source) -> Entries:
        return _entries(source, lenient, content)

    return zip(sources, map_threads(entries, sources.values(), available()), strict=True)


def _refuse_columns(columns: Mapping[str, str], source: Source) -> NoReturn:
    raise HarnessError(unused(f"columns={dict(columns)}", f"{source} is no table"))


def _entries(source: Source, lenient: bool, content: Content) -> Entries:
    if isinstance(source, File):
        if source.columns:
            content = LISTS.named(source.columns)
        return _entries(source.path, lenient, content)
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
    from harness.run import stored_run

    return stored_run.entries(path)


FOLDER = Form(
    "a run of ours",
    None,
    "the folder `runs/artifacts/retrieve/<key>` that `harness prepare` prints",
    _read_folder,
)


def form_of(path: Path, lenient: bool = False) -> Form:
    """Return the form of a file or a folder."""
    return FOLDER if path.is_dir() else recognise(path, lenient)


def _has_columns(source: Source) -> bool:
    """Return whether columns of the source have names: a data frame, or a file of such a form."""
    path = source.path if isinstance(source, File) else source
    return form_of(Path(path)).headed if isinstance(path, (str, Path)) else frame.is_frame(path)


NO_RUNS = (
    *(".xlsx", ".xls", ".ods", ".zip", ".lz4", ".zst", ".xz", ".bz2", ".7z", ".tar"),
    *(".docx", ".pdf", ".html", ".tex", ".md", ".png", ".svg"),
)
"""Endings of files that hold no run; a run with another unknown ending is written as TREC."""


def write(run: Source, path: str | Path, made: Mapping[str, object] | None = None) -> None:
    """Write a run in the form that the file's ending names, completely or not at all.

    Next to it ``NAME.ir-metadata.yml`` records how it was made (see harness.run.metadata).

    Args:
        run: ranked lists, as in ``read``.
        path: a file whose ending names its form (see harness.run.form); packed if it ends in
            ``.gz``.
        made: how it was made, by the names of ``harness.run.metadata``.

    Raises:
        HarnessError: an id does not fit the form, or the file cannot be written.
    """
    place, lists = path_of("path", path), read(run)
    if place.suffix.lower() in NO_RUNS:
        raise HarnessError(
            f"out={path}: no run is written as {place.suffix}; write {place.stem}.trec"
        )
    if place.is_dir():
        raise HarnessError(
            f"out={path}: this is a folder; name a file, NAME.trec or by another form "
            f"{named_forms()}"
        )
    form_named(place).save(lists.ranked(), place)
    if not is_stream(place):
        write_metadata(place, lists, made or {})
