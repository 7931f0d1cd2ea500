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

from harness.core.errors import HarnessError
from harness.core.input import form_of
from harness.core.threads import available, map_threads
from harness.run import document, frame, lines
from harness.run.entries import Entries
from harness.run.metadata import write_metadata
from harness.run.run import Run, runs_of

log = logging.getLogger(__name__)
__all__ = ["read", "read_all", "write"]


def read(path: str | Path, lenient: bool = False, columns: Mapping[str, str] | None = None) -> Run:
    """The run of one file, in the form that its ending names.

    Args:
        path: of the file, or the folder of an artifact of ``retrieve``.
        lenient: pass over comment lines (``#``) and trailing fields of TREC files.
        columns: what a table's columns are called, ``{"query": "topic", "doc": "pid", "score": "similarity"}`` or some
            of these; usual names are known without (see harness.run.frame).

    Returns:
        The ranked lists.

    Raises:
        HarnessError: names the file, the place and the mend.
    """
    return read_all({"": path}, lenient, columns)[""]


def read_all(
    paths: Mapping[str, str | Path], lenient: bool = False, columns: Mapping[str, str] | None = None
) -> dict[str, Run]:
    """The runs of several files, over the same queries and documents (see ``runs_of``).

    Args:
        paths: by list name.
        lenient: as of ``read``.
        columns: as of ``read``.

    Returns:
        The runs by list name.

    Raises:
        HarnessError: names the file, the place and the mend.
    """
    frame.known_as(columns)
    if columns and not any(map(is_table, paths.values())):
        first = next(iter(paths.values()))
        log.warning("columns=%s changes nothing: %s is no table", dict(columns), first)

    def read_entries(path: Path) -> Entries:
        form = _form(path)
        found: Entries = frame.entries(path, lenient, columns) if form is frame else form.entries(path, lenient)
        return found

    return runs_of(dict(zip(paths, map_threads(read_entries, map(Path, paths.values()), available()), strict=True)))


def is_table(path: str | Path) -> bool:
    """Whether a file has columns, by its ending."""
    return _form(Path(path)) is frame


def write(run: Run, path: str | Path, made: Mapping[str, Any] | None = None) -> None:
    """Write a run in the form that the file's ending names; the file appears whole or not at all.

    Beside it stands what made it, ``NAME.ir-metadata.yml`` (see harness.run.metadata).

    Args:
        run: ranked lists.
        path: ``.trec``, ``.json``, ``.csv``, ``.tsv`` or ``.jsonl``, plain or packed (``.gz``, ``.zst``,
            ``.xz``, ``.bz2``), or ``.parquet``.
        made: what is known of how it was made, by the names of ``harness.run.metadata``.

    Raises:
        HarnessError: an id is one that the form cannot carry, or the file cannot be written.
    """
    place = Path(path)
    if place.is_dir():
        raise HarnessError(f"out={path}: this is a folder; name a file: .trec, .trec.gz, .json or .parquet")
    writer: Any = {"json": document, "parquet": frame}.get(form_of(place), lines)
    writer.write(run, place)
    write_metadata(Path(path), run, made or {})


def _form(path: Path) -> ModuleType:
    from harness.run import artifact, document, trec

    if path.is_dir():
        return artifact
    forms = {"json": document, **dict.fromkeys(("parquet", "csv", "tsv", "jsonl"), frame)}
    found = forms.get(form_of(path), trec)
    return trec if found is frame and trec.is_headless(path) else found
