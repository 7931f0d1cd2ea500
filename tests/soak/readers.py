"""Everything that the harness reads: each reader by name, with the whole file that it reads."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

import harness
from harness.benchmark.dataset.folder import Folder
from harness.benchmark.source.prepared_files import read_prepared
from harness.benchmark.source.upstream import read_passages, read_questions
from harness.core.artifact import open_artifact
from harness.core.configuration.composition import compose
from harness.core.configuration.translation import translate_errors
from harness.graph.extractor.offline import fill_shards, read_rows
from harness.plugins.items.score.item_scores import read_scores
from harness.plugins.llm.endpoint.answer_store import Answers
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.client import Answer
from harness.plugins.llm.extractor.openie_file import match_rows
from harness.plugins.llm.reranker.pair_scores import PairScores
from harness.run import Run
from harness.run.stored_run import keep_ids
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.trial.plan import reopen
from harness.sweep.winner.chosen_trial import read_winner
from harness.work.part_notes import PLAN
from harness.work.parts import agree
from harness.work.store import Store
from tests.soak.work import ENDED, benchmark, do_heldout, do_sweep

ITEMS = Path(__file__).parents[1] / "plugins" / "items" / "score" / "made"
METRICS = {
    "base.json": "match",
    "good.eval": "match",
    "pytrec-base.json": "ndcg_cut_10",
    "ranx-base.json": "ndcg@10",
    "samples_base.jsonl": "exact_match/strict",
}
"""A file of scores of each form, and the metric that is read."""
Reader = Callable[[], object]
Readers = dict[str, tuple[Path, Reader]]


def readers(folder: Path) -> Readers:
    """All of them, on files below ``folder``."""
    data, runs = benchmark(folder / "data"), folder / "runs"
    with contextlib.redirect_stdout(io.StringIO()):
        do_sweep(data, runs)
        do_heldout(data, runs)
    (sweep,) = (path for path in (runs / "sweeps").iterdir() if path.is_dir())
    return {
        **lists(folder, data),
        **_benchmarks(folder, data),
        **_sweep(runs, sweep),
        **_stores(folder, data),
    }


def lists(folder: Path, data: Path) -> Readers:
    """The files that people bring: ranked lists, gold, scores of items."""
    run, made = harness.read(str(data / "dense.trec")), {}
    for ending in ("trec", "trec.gz", "json", "parquet"):
        path = folder / f"run.{ending}"
        harness.write(run, str(path))
        made[f"run .{ending}"] = (path, partial(harness.read, str(path)))
    qrels = folder / "qrels.txt"
    qrels.write_text("".join(f"q{number} 0 d{number:02d} 1\n" for number in range(40)))
    made["gold, qrels"] = (qrels, partial(harness.Gold.read, str(qrels)))
    graded = folder / "graded.json"
    graded.write_text(
        json.dumps({f"q{number}": {f"d{number:02d}": number % 3, "d00": 1} for number in range(40)})
    )
    made["gold, .json"] = (graded, partial(harness.Gold.read, str(graded)))
    for name, metric in METRICS.items():
        own = Path(shutil.copy(ITEMS / name, folder / f"items-{name}"))
        made[f"scores, {name}"] = (own, partial(read_scores, own, metrics=[metric]))
    queries = Path(shutil.copy(data / "queries.jsonl", folder))
    made["gold, queries.jsonl"] = (queries, partial(harness.Gold.read, str(queries)))
    return made


def _benchmarks(folder: Path, data: Path) -> Readers:
    own, store = folder / "own", Store(folder / "store")
    shutil.copytree(data, own)
    made: Readers = {}
    for name in ("corpus.jsonl", "queries.jsonl"):
        made[f"benchmark, {name}"] = (own / name, partial(Folder(str(own)).load, store))
    packed = folder / "packed"
    packed.mkdir()
    for name in ("corpus.jsonl", "queries.jsonl"):
        (packed / f"{name}.gz").write_bytes(gzip.compress((data / name).read_bytes(), mtime=0))
    made["benchmark, .gz"] = (packed / "corpus.jsonl.gz", partial(read_prepared, packed))
    corpus, questions, openie = folder / "x_corpus.json", folder / "x.json", folder / "openie.json"
    corpus.write_text(json.dumps([{"title": f"T{n}", "text": f"Text {n}."} for n in range(20)]))
    questions.write_text(
        json.dumps([{"_id": f"q{n}", "question": "Who?", "answer": "x"} for n in range(20)])
    )
    rows = [
        {
            "passage": f"d{n:02d}\nText of d{n:02d}.",
            "extracted_entities": [],
            "extracted_triples": [["a", "b", "c"]],
        }
        for n in range(10)
    ]
    openie.write_text(json.dumps({"docs": rows}))
    made["upstream corpus"] = (corpus, partial(read_passages, corpus, "x"))
    made["upstream questions"] = (questions, partial(read_questions, str(questions)))
    made["published triples"] = (openie, partial(match_rows, openie, Folder(str(data)).load(store)))
    return made


def _sweep(runs: Path, sweep: Path) -> Readers:
    made: Readers = {
        "lock": (sweep / "winner.lock.json", partial(read_winner, sweep / "winner.lock.json")),
        "ledger": (runs / "ledger.jsonl", Ledger(runs / "ledger.jsonl").entries),
    }
    config = compose("heldout", [f"paths.runs={runs}", "tracking=none"])
    made["config.yaml"] = (sweep / "config.yaml", partial(_open, sweep, config))
    for name in ENDED:
        made[name] = (sweep / name, partial(_part, sweep, name))
    return made


def _open(folder: Path, config: object) -> object:
    with translate_errors():  # as the command line does
        return reopen(folder, config).trials()


def _part(folder: Path, name: str) -> object:
    """What is made of one file of a sweep, and of those that must fit it."""
    result = SweepResult(folder)
    if name == "manifest.json":
        return result.title
    if name in ("scores.parquet", "queries.parquet"):
        return result.scores, result.queries
    return result.test if name.startswith("heldout") else result.tune


def _stores(folder: Path, data: Path) -> Readers:
    store = Store(folder / "artifacts")
    held = store.get(
        "stage",
        {"a": 1},
        {"data": "x"},
        lambda place: (place / "data.txt").write_text("one") and None,
    )
    run = _stored_run(store, data)
    made: Readers = {}
    for name in ("data.txt", "manifest.json"):
        made[f"artifact, {name}"] = (
            held.path / name,
            lambda: open_artifact(held.path, held.path.name),
        )
    for name in ("docs.npy", "indptr.npy", "scores.npy", "manifest.json"):
        made[f"run of ours, {name}"] = (run / name, partial(harness.read, str(run)))
    chat = _Asking(model="m", base_url="http://127.0.0.1/v1", answers=str(folder / "answers"))
    kept = Answers.of(chat).serving("m")
    kept.keep("p", _REQUEST, Answer("1", "stop", 1, 1, "m"))
    (answer,) = (folder / "answers").rglob("??/*.json")
    (served,) = (folder / "answers").rglob("served.json")
    made["kept answer"] = (answer, lambda: kept.find("p", _REQUEST))
    made["served.json"] = (served, lambda: Answers.of(chat))
    pairs = PairScores(folder / "pairs", {})
    pairs.add(["ab" * 32], np.array([0.5]))
    (shard,) = (folder / "pairs").glob("*.npz")
    made["pair scores"] = (shard, lambda: PairScores(folder / "pairs", {}).known)
    shards = folder / "shards"
    shards.mkdir()
    _extract(shards)
    made["extraction shard"] = (shards / "names-00000.npz", partial(_extract, shards))
    records = folder / "parts"
    records.mkdir()
    (records / PLAN).write_text(
        json.dumps({"what": "x", "parts": {"a.npz": 1}, "made_by": {"code": "c"}})
    )
    made["plan of parts"] = (records / PLAN, partial(_agree, records))
    return made


def _agree(records: Path) -> None:
    kept = (records / PLAN).read_bytes()
    try:
        agree(records, [], "x", {"code": "c"}, False)
    finally:
        (records / PLAN).write_bytes(kept)


_REQUEST = {"model": "m", "messages": [{"role": "user", "content": "?"}]}


@dataclass(frozen=True, kw_only=True)
class _Asking(Chat):
    concept: ClassVar[str] = "asking"


def _stored_run(store: Store, data: Path) -> Path:
    loaded = Folder(str(data)).load(store)
    keep_ids(loaded, store)
    run = Run.of(loaded.query_ids, loaded.doc_ids, [0, 0, 1], [0, 1, 2], [0.5, 0.25, 1.0])
    return store.get("retrieve", {"k": 1}, {"benchmark": loaded.sha256}, run.save).path


def _extract(folder: Path) -> object:
    def work(texts: object) -> object:
        return (np.array([[len(text), 1]], dtype=np.int32) for text in texts)  # type: ignore[attr-defined]

    return read_rows(fill_shards(folder, "names", ["a", "bb", "ccc"], work, size=2))  # type: ignore[arg-type]
