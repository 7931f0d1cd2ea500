"""A benchmark of a few passages that name each other, for tests of retrievers and rerankers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from harness.benchmark import Benchmark
from harness.core.identity import texts_sha256

PASSAGES = {
    "Dune (film)": "Dune is long. It was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula. He paints.",
    "Missoula": "Missoula is a city with a river in Montana.",
    "Rome": "Rome is a city with a river, too.",
    "Montana": "Montana is a state. Its largest city is Billings, not Missoula.",
    "Alone": "Nothing is said here.",
    "Empty": "",
}
QUESTIONS = {
    "Where did the director of Dune grow up?": ("Dune (film)", "David Lynch"),
    "In which state is the city where David Lynch grew up?": ("David Lynch", "Missoula"),
    "Is Rome older than Missoula?": ("Rome", "Missoula"),
    "Xyzzy?": ("Alone", "Empty"),
    "?": ("Alone", "Empty"),
}


def small_benchmark() -> Benchmark:
    """Return seven passages d0, d1, ... and five questions q0, q1, ..., with two gold passages
    each.
    """
    from datasets import Dataset

    titles, texts, questions = list(PASSAGES), list(PASSAGES.values()), list(QUESTIONS)
    places = [list(map(titles.index, gold_titles)) for gold_titles in QUESTIONS.values()]
    gold = np.array(places, dtype=np.int32)
    doc_ids = [f"d{n}" for n in range(len(titles))]
    query_ids = [f"q{n}" for n in range(len(questions))]
    queries = {
        "id": query_ids,
        "question": questions,
        "answers": [["?"]] * len(questions),
        "supporting_ids": np.array(doc_ids)[gold].tolist(),
        "hops": [2] * len(questions),
        "type": ["bridge"] * len(questions),
        "extra": ["{}"] * len(questions),
    }
    return Benchmark(
        "small",
        Dataset.from_dict({"id": doc_ids, "title": titles, "text": texts}),
        Dataset(pa.table(queries)),
        gold,
        np.ones(len(questions), dtype=np.bool_),
        texts_sha256([*titles, "|", *texts, "|", *questions]),
    )
