"""The triples of a benchmark whose passages are the entities of a knowledge graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.text import Gazetteer, byte_offsets, normal, words
from harness.core.artifact import Facts
from harness.core.errors import HarnessError
from harness.graph.extractor import KINDS, Extraction, Mentions, NamePlace, Triples


@dataclass(frozen=True)
class Carried:
    """An extractor that returns the triples of the benchmark.

    Every passage is an entity under its title (without one, its text) and is about it; a triple is
    stated by its subject's passage. Names are unchanged: two entities that share a bare name are
    two. Questions mention the entities whose name they hold, longest match first, up to case and
    punctuation.
    """

    version = 2  # 2: questions are no part of an extraction

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Facts]:
        """Return the extraction. Raise HarnessError if the benchmark has no triples."""
        if benchmark.triples is None:
            raise HarnessError(
                f"extractor=carried: benchmark {benchmark.name} carries no triples; take one "
                "over a knowledge graph "
                "(dataset=wiki_triples, webqsp_rog, cqa_12k) or another extractor"
            )
        names = labels(benchmark)
        number = {name: place for place, name in enumerate(dict.fromkeys(names))}
        entity = np.array([number[name] for name in names], dtype=np.int32)
        subject, object_ = (benchmark.triples[end].to_numpy() for end in ("subject", "object"))
        relation = benchmark.triples["relation"].combine_chunks().dictionary_encode()
        table = np.stack(
            [subject, entity[subject], relation.indices.to_numpy(), entity[object_]], axis=1
        )
        extraction = Extraction(
            names=list(number),
            titled=entity,
            passages=Mentions.of([np.empty((0, 4), np.int32)] * len(names)),
            triples=Triples.of(table, relation.dictionary.to_pylist()),
        )
        return extraction, {"relations": len(relation.dictionary)}

    def find_names(
        self, questions: Sequence[str], extraction: Extraction, folder: Path
    ) -> Iterator[list[NamePlace]]:
        """Yield the entities whose name each question holds."""
        same: dict[str, list[str]] = {}
        for name in extraction.names:
            if short := normal(name):
                same.setdefault(short, []).append(name)
        known, kind = Gazetteer(list(same)), KINDS.index("title")
        for text in questions:
            at, named = words(text), list[NamePlace]()
            for number, first, after in known.find(at):
                place = byte_offsets(text, np.array([at.start[first], at.end[after - 1]])).tolist()
                named += [(name, *place, kind) for name in same[known.names[number]]]
            yield named


def labels(benchmark: Benchmark) -> list[str]:
    """Return the title of each passage, or its text if it has none."""
    return [
        title or text
        for title, text in zip(
            benchmark.corpus["title"][:], benchmark.corpus["text"][:], strict=True
        )
    ]
