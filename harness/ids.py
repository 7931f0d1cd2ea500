"""The ids of a benchmark as an artifact: with them a run of ours can be read without its benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from harness.artifacts import MANIFEST, Store
from harness.benchmark import Benchmark
from harness.errors import HarnessError
from harness.run import Run

STAGE = "ids"
FILES = ("queries", "documents")


def keep(benchmark: Benchmark, store: Store) -> None:
    """Keep the ids of a benchmark's queries and documents; once for all of its runs."""

    def build(folder: Path) -> None:
        for name, ids in zip(FILES, (benchmark.query_ids, benchmark.doc_ids), strict=True):
            table = pa.table({"id": ids})
            with pa.ipc.new_file(folder / f"{name}.arrow", table.schema) as file:
                file.write_table(table)

    store.get(STAGE, {}, {"benchmark": benchmark.sha256}, build)


def run(folder: Path) -> Run:
    """The run in an artifact ``<runs>/artifacts/retrieve/<key>``, with the ids of its benchmark."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        stage, sha256 = manifest["stage"], manifest["inputs"]["benchmark"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HarnessError(
            f"{folder}: a folder without a readable {MANIFEST}; give a file of ranked lists, or a folder "
            "<runs>/artifacts/retrieve/<key>"
        ) from error
    if stage != "retrieve":
        raise HarnessError(f"{folder}: an artifact of the stage {stage}; runs are those of the stage retrieve")

    ids = Store(folder.resolve().parents[2]).place(STAGE, {}, {"benchmark": sha256})
    if not ids.is_dir():
        raise HarnessError(
            f"{ids}: the ids of this run's benchmark are missing; run `harness prepare` with the run's dataset again"
        )
    try:
        queries, documents = (pa.ipc.open_file(ids / f"{name}.arrow").read_all()["id"] for name in FILES)
        return Run.load(folder, queries.combine_chunks(), documents.combine_chunks())
    except (OSError, ValueError, pa.ArrowException) as error:
        raise HarnessError(f"{folder}: damaged run ({error}); run `harness prepare` again") from error
