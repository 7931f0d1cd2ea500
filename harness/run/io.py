"""Any system's ranked lists, read and written by file ending: ``.json``, ``.parquet``, anything else is TREC.

``.json`` and TREC files may be packed (``.json.gz``, ``.trec.gz``). A folder is a run of ours, an artifact of the stage
``retrieve``. See harness.run.trec, harness.run.document (JSON), harness.run.frame (Parquet) and harness.run.artifact.

>>> runs = read_all({"dense": "dense.trec.gz", "graph": "graph.json"})  # doctest: +SKIP
>>> write(runs["dense"], "dense.parquet")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from harness.core.threads import available, each
from harness.run.entries import Entries
from harness.run.run import Run, runs_of

__all__ = ["read", "read_all", "write"]


def read(path: str | Path, lenient: bool = False) -> Run:
    """The run of one file. Raises HarnessError that names the file, the place and the mend.

    lenient: pass over comment lines (``#``) and trailing fields of TREC files.
    """
    return read_all({"": path}, lenient)[""]


def read_all(paths: Mapping[str, str | Path], lenient: bool = False) -> dict[str, Run]:
    """The runs of several files by list name, over the same queries and documents (see ``runs_of``)."""

    def read_entries(path: Path) -> Entries:
        found: Entries = _form(path).entries(path, lenient)
        return found

    return runs_of(dict(zip(paths, each(read_entries, map(Path, paths.values()), available()), strict=True)))


def write(run: Run, path: str | Path) -> None:
    """Write a run in the form that the file's ending names; the file appears whole or not at all."""
    _form(Path(path)).write(run, Path(path))


def _form(path: Path) -> ModuleType:
    from harness.run import artifact, document, frame, trec

    if path.is_dir():
        return artifact
    return {"json": document, "parquet": frame}.get(path.name.removesuffix(".gz").rpartition(".")[2].lower(), trec)
