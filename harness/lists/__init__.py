"""Any system's ranked lists, read and written by file ending: ``.json``, ``.parquet``, anything else is TREC.

``.json`` and TREC files may be packed (``.json.gz``, ``.trec.gz``). A folder is a run of ours, an artifact of the stage
``retrieve``. See harness.trec, harness.lists.document (JSON), harness.lists.frame (Parquet) and harness.lists.artifact.

>>> runs = read_all({"dense": "dense.trec.gz", "graph": "graph.json"})  # doctest: +SKIP
>>> write(runs["dense"], "dense.parquet")  # doctest: +SKIP
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType

from harness.lists.entries import Entries, runs_of
from harness.lists.spool import Spool, blocks, union
from harness.run import Run

__all__ = ["Spool", "blocks", "open_all", "open_one", "read", "read_all", "union", "write", "writing"]

Put = Callable[[Run], None]


def read(path: str | Path) -> Run:
    """The run of one file. Raises HarnessError that names the file, the place and the mend."""
    return read_all({"": path})[""]


def read_all(paths: Mapping[str, str | Path]) -> dict[str, Run]:
    """The runs of several files by list name, over the same queries and documents (see ``runs_of``).

    Two files are read at a time. All of them are in memory at once; ``blocks`` keeps memory bounded.
    """
    held = open_all(paths)
    return runs_of({name: _all(held.pop(name)) for name in paths})


def _all(held: Spool) -> Entries:
    return held.take(held.query_ids)


def open_one(path: str | Path) -> Spool:
    """The entries of one file, to be taken by query."""
    place = Path(path)
    form = _form(place)
    return Spool(form.entries(place), partial(form.place, place))


def open_all(paths: Mapping[str, str | Path]) -> dict[str, Spool]:
    """The entries of several files by list name, two read at a time."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(paths, pool.map(open_one, paths.values()), strict=True))


def write(run: Run, path: str | Path) -> None:
    """Write a run in the form that the file's ending names; the file appears whole or not at all."""
    with writing(path) as put:
        put(run)


@contextlib.contextmanager
def writing(path: str | Path) -> Iterator[Put]:
    """A function that writes one run of some queries after the other to a file, which appears when the block ends."""
    place = Path(path)
    with _form(place).writing(place) as put:
        yield put


def _form(path: Path) -> ModuleType:
    from harness import trec
    from harness.lists import artifact, document, frame

    if path.is_dir():
        return artifact
    return {"json": document, "parquet": frame}.get(path.name.removesuffix(".gz").rpartition(".")[2].lower(), trec)
