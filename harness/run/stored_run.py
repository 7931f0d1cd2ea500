"""Stored runs: the folder ``<runs>/artifacts/retrieve/<key>``, and the artifact with its
benchmark's ids.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from harness.benchmark import Benchmark
from harness.core.artifact import MANIFEST, check_artifact
from harness.core.errors import HarnessError, in_words
from harness.core.identity import file_sha256
from harness.run.entries import Entries
from harness.run.run import Run
from harness.work.store import Store

STAGE = "ids"
FILES = ("queries", "documents")


def keep_ids(benchmark: Benchmark, store: Store) -> None:
    """Store the ids of a benchmark's queries and documents once for all of its runs."""

    def build(folder: Path) -> None:
        for name, ids in zip(FILES, (benchmark.query_ids, benchmark.doc_ids), strict=True):
            table = pa.table({"id": ids})
            with pa.ipc.new_file(folder / f"{name}.arrow", table.schema) as file:
                file.write_table(table)

    store.get(STAGE, {}, {"benchmark": benchmark.sha256}, build)


def entries(path: Path) -> Entries:
    """Return the entries of a stored run, including queries with an empty list."""
    return replace(_run(path).entries(), place=lambda entry: f"{path}: entry {entry + 1}")


def content(folder: Path) -> str:
    """Return the hashes of a stored run and of its benchmark, which identify it under any folder
    name.
    """
    return "+".join(
        [_benchmark(folder), *(file_sha256(folder / f"{name}.npy") for name in Run.ARRAYS)]
    )


def _benchmark(folder: Path) -> str:
    """Return the sha256 of the benchmark of a stored run."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        stage, sha256 = manifest["stage"], str(manifest["inputs"]["benchmark"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise HarnessError(
            f"{folder}: a folder without a readable {MANIFEST}; give a file of ranked lists, or "
            "a folder "
            "<runs>/artifacts/retrieve/<key>"
        ) from error
    if stage != "retrieve":
        raise HarnessError(
            f"{folder}: an artifact of the stage {stage}; runs are those of the stage retrieve"
        )
    return sha256


def _run(folder: Path) -> Run:
    sha256 = _benchmark(folder)
    ids = Store(folder.resolve().parents[2]).place(STAGE, {}, {"benchmark": sha256})
    if not ids.is_dir():
        raise HarnessError(
            f"{ids}: the ids of this run's benchmark are missing; run `harness prepare` with the "
            "run's dataset again"
        )
    for place in (folder, ids):
        check_artifact(place, "a damaged run: run `harness prepare` with its dataset again")
    try:
        queries, documents = (
            pa.ipc.open_file(ids / f"{name}.arrow").read_all()["id"].combine_chunks()
            for name in FILES
        )
    except (OSError, KeyError, pa.ArrowException) as error:
        raise HarnessError(
            f"{ids}: expected Arrow files with the column id ({in_words(error)}); get the run again"
        ) from error
    return Run.load(folder, queries, documents)
