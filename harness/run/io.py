"""Any system's ranked lists, by file ending: ``.json``, ``.parquet``, ``.csv``, ``.tsv``, ``.jsonl``, else TREC.

All but Parquet may be packed (``.json.gz``, ``.trec.zst``; see harness.core.packing). A folder is a run of ours, an
artifact of the stage ``retrieve``. See harness.run.trec, harness.run.document (JSON), harness.run.frame (tables) and
harness.run.artifact; harness.run.lines writes what has an entry a line.

>>> runs = read_all({"dense": "dense.trec.gz", "graph": "graph.json"})  # doctest: +SKIP
>>> write(runs["dense"], "dense.parquet")  # doctest: +SKIP
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.core.errors import HarnessError, described, path_of
from harness.core.files import is_stream
from harness.core.input import form_of
from harness.core.threads import available, map_threads
from harness.run import document, frame, lines
from harness.run.entries import Entries
from harness.run.metadata import write_metadata
from harness.run.run import Run, runs_of

log = logging.getLogger(__name__)
__all__ = ["read", "read_all", "write"]


Source = Run | str | Path | Mapping[Any, Any] | Any
"""A file, a data frame, ``{query: {document: score}}`` (see ``Run.from_dict``), a run of ranx, or a ``Run``."""
SOURCES = "a file, a data frame, {query id: {document id: score}} or a run of ranx"


def read(source: Source, lenient: bool = False, columns: Mapping[str, str] | None = None) -> Run:
    """The run of one file, in the form that its ending names, or of what Python holds.

    Args:
        source: a file, the folder of an artifact of ``retrieve``, a data frame, ``{query id: {document id: score}}``,
            or a run of ranx.
        lenient: pass over comment lines (``#``) and trailing fields of TREC files.
        columns: what a table's columns are called, ``{"query": "topic", "doc": "pid", "score": "similarity"}`` or some
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
    frame.known_as(columns)
    if not isinstance(sources, Mapping):
        raise HarnessError(f"expected {{name: {SOURCES}}}, got {described(sources)}")
    if columns and not any(map(is_table, sources.values())):
        first = next(iter(sources.values()))
        log.warning("columns=%s changes nothing: %s is no table", dict(columns), first)

    def entries(source: Source) -> Entries:
        return _entries(source, lenient, columns)

    return runs_of(dict(zip(sources, map_threads(entries, sources.values(), available()), strict=True)))


def _entries(source: Source, lenient: bool, columns: Mapping[str, str] | None) -> Entries:
    if isinstance(source, (str, Path)):
        form = _form(Path(source))
        found: Entries = (
            frame.entries(Path(source), lenient, columns) if form is frame else form.entries(Path(source), lenient)
        )
        return found
    if frame.is_frame(source):
        return frame.entries_of(source, frame.known_as(columns))
    if isinstance(source, Mapping):
        return Run.from_dict(source).entries()
    if isinstance(source, Run):
        return source.entries()
    if hasattr(source, "to_dict"):
        return Run.from_ranx(source).entries()
    raise HarnessError(f"expected {SOURCES}, got {described(source)}")


def is_table(source: Source) -> bool:
    """Whether it has columns: a data frame, or a file by its ending."""
    return _form(Path(source)) is frame if isinstance(source, (str, Path)) else frame.is_frame(source)


def write(run: Source, path: str | Path, made: Mapping[str, Any] | None = None) -> None:
    """Write a run in the form that the file's ending names; the file appears whole or not at all.

    Beside it stands what made it, ``NAME.ir-metadata.yml`` (see harness.run.metadata).

    Args:
        run: ranked lists, as ``read`` takes them.
        path: ``.trec``, ``.json``, ``.csv``, ``.tsv`` or ``.jsonl``, plain or packed (``.gz``, ``.zst``,
            ``.xz``, ``.bz2``), or ``.parquet``.
        made: what is known of how it was made, by the names of ``harness.run.metadata``.

    Raises:
        HarnessError: an id is one that the form cannot carry, or the file cannot be written.
    """
    place, ranked = path_of("path", path), read(run)
    if place.is_dir():
        raise HarnessError(f"out={path}: this is a folder; name a file: .trec, .trec.gz, .json or .parquet")
    writer: Any = {"json": document, "parquet": frame}.get(form_of(place), lines)
    writer.write(ranked, place)
    if not is_stream(place):
        write_metadata(place, ranked, made or {})


def _form(path: Path) -> ModuleType:
    from harness.run import artifact, document, trec

    if path.is_dir():
        return artifact
    forms = {"json": document, **dict.fromkeys(("parquet", "csv", "tsv", "jsonl"), frame)}
    found = forms.get(form_of(path), trec)
    return trec if found is frame and trec.is_headless(path) else found
