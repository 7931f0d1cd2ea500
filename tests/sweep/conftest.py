"""A benchmark small enough to check by hand: 40 queries over 60 documents, two lists with planted gold."""

from __future__ import annotations

import json
import random

import pytest

DOCS = [f"d{number:02d}" for number in range(60)]


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """A folder of prepared files, and dense.trec, graph.trec and bm25.trec beside them."""
    folder = tmp_path_factory.mktemp("bench") / "tiny"
    folder.mkdir()
    rng = random.Random(7)
    corpus = [{"id": doc, "title": f"Title {doc}", "text": f"Text of {doc}."} for doc in DOCS]
    queries, lists = [], {"dense": [], "graph": [], "bm25": []}
    for number in range(40):
        gold = rng.sample(DOCS, 2)
        queries.append(
            {"id": f"q{number}", "question": f"Question {number}?", "answers": ["x"], "supporting_ids": gold,
             "hops": 2 + number % 3, "type": ["bridge", "comparison"][number % 2]}
        )  # fmt: skip
        for name, depth, luck in (("dense", 10, 0.4), ("graph", 40, 0.6), ("bm25", 10, 0.3)):
            ranked = rng.sample(DOCS, depth)
            for doc in gold:
                if rng.random() < luck and doc not in ranked[:5]:
                    ranked = [other for other in ranked if other != doc]
                    ranked.insert(rng.randrange(6), doc)
            for rank, doc in enumerate(ranked[:depth], start=1):
                lists[name].append(f"q{number} Q0 {doc} {rank} {1 / (rank + rng.random() / 2)!r} {name}")
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    for name, lines in lists.items():
        (folder / f"{name}.trec").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def overrides(bench, tmp_path):
    """Hydra overrides of a sweep on that benchmark, writing below tmp_path."""
    return [
        "dataset=folder",
        f"dataset.path={bench}",
        *(f"lists.{name}={bench / name}.trec" for name in ("dense", "graph", "bm25")),
        f"paths.runs={tmp_path / 'runs'}",
        "tracking=none",
    ]
