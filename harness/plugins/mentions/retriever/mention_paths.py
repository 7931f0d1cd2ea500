"""Paths over mentions: from seeds of the question, by a sentence that joins passages, to
the next.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import BoolArray, Float32Array, Int64Array
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, bounded, whole_number
from harness.core.identity import LATER, NO_RESULT
from harness.graph.extractor import Extractor, extract
from harness.model.encoder import Encoder, embed
from harness.plugins.mentions.retriever.evidence import Edge, Weights
from harness.plugins.mentions.retriever.mention_walk import find_named_titles, mask_titles
from harness.plugins.mentions.retriever.mentions.links import (
    Crossing,
    link_shared_entities,
    link_titles,
)
from harness.plugins.mentions.retriever.mentions.pair_texts import PairTexts
from harness.plugins.mentions.retriever.mentions.pairs import Pairs, Values
from harness.plugins.mentions.retriever.mentions.path_data import PathData
from harness.plugins.mentions.retriever.mentions.question_words import QuestionWords
from harness.plugins.mentions.retriever.mentions.relations import PassageRelations
from harness.plugins.mentions.retriever.mentions.scored_paths import (
    Paths,
    SeedBlock,
    best_of_rows,
    reached_passages,
)
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.plugins.mentions.retriever.mentions.sentence_vectors import SentenceVectors
from harness.retriever.search import nearest_rows
from harness.run import Run
from harness.work.shared_rows import Columns, map_rows
from harness.work.store import Store

NONE = np.empty((0, 1), np.float32)
"""The vectors of no texts."""
LARGE = 250_000
"""Number of passages above which only needed sentences are encoded, and hubs have no edges back."""
HUB = 1_000
"""Number of texts that name a title above which it is a hub in such a corpus."""
CELLS = 1 << 25
"""Largest number of questions x passages of a block: 256 MiB of bits for the passages' words."""


@dataclass(frozen=True)
class MentionPaths:
    """score(q, c) = max(own(c), max over p and edges from p to c of from(p) + end(c) + edge(p, c)).

    own and end are the evidence of a passage (see ``Weights``). from(p) is bridge(p) for a seed,
    and ``via`` score(p) for a passage that the step before reached. A question's seeds are the
    ``seeds`` passages of greatest own(p) among the ``near`` nearest by cosine, by their best
    sentence, and by the question's words, and all whose title it names. In each of ``steps`` steps
    edges lead on (see ``Edge``). Shared entities lead only from the ``close`` best seeds, and
    ``resembles`` also only in the first step. A later step starts from the ``close`` best passages
    that no step has started from. Scores are float64; a list holds the reached passages.

    Args:
        names: edges from a text to a passage whose title it names; None for no such edges, as
            below.
        named_by: edges back, but not from a title that more than ``widest_title`` texts name.
        shares: edges to a passage that mentions the same entity, if up to ``widest`` passages do.
        resembles: edges to the ``near`` passages of greatest cosine to the question and the best
            sentence of p as one text.
        titles: False hides all titles: no question and no text names one, and ``it`` replaces none.
        sentence_seeds: False proposes no seed by its best sentence, and encodes only the sentences
            of passages that are proposed or reached by an edge; None is True up to ``LARGE``
            passages.
        widest_title: None is all texts up to ``LARGE`` passages, above that ``HUB``.
    """

    version: ClassVar[int] = 1
    fitted_on: ClassVar[tuple[str, ...]] = ("2wikimultihopqa", "hotpotqa", "musique")
    extractor: Extractor
    encoder: Encoder
    own: Weights = field(default_factory=Weights)
    bridge: Weights = field(default_factory=Weights)
    end: Weights = field(default_factory=Weights)
    names: Edge | None = field(default_factory=Edge)
    named_by: Edge | None = field(default_factory=Edge)
    shares: Edge | None = field(default_factory=Edge)
    resembles: Edge | None = field(default_factory=Edge)
    near: int = 20
    seeds: int = 20
    close: int = 10
    widest: int = 30
    steps: int = 1
    via: float = 0.4
    titles: bool = True
    block: int = field(default=128, metadata=NO_RESULT)
    sentence_seeds: bool | None = field(default=None, metadata=LATER)
    widest_title: int | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        for name in ("near", "seeds", "close", "widest", "steps"):
            whole_number(f"lists.NAME.{name}", getattr(self, name), 0)
        bounded("lists.NAME.via", self.via, 0)
        whole_number("lists.NAME.block", self.block, 1)
        if self.widest_title is not None:
            whole_number("lists.NAME.widest_title", self.widest_title, 0)
        if self.sentence_seeds is False and not self._plain:
            raise HarnessError(
                "lists.NAME.sentence_seeds=false reads the sentences along one step of edges; "
                "set lists.NAME.steps=1 and lists.NAME.resembles=null with it, or "
                "lists.NAME.sentence_seeds=true"
            )

    @property
    def _plain(self) -> bool:
        return self.steps <= 1 and self.resembles is None

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the run of all questions, a block at a time."""
        world, size = self.world(benchmark, store), max(1, len(benchmark.doc_ids))
        blocks = self._blocks(world, np.arange(len(benchmark.query_ids)))
        starts = self.starts(world) if self.resembles or not world.parts.every else []
        bridges = self.bridges(world, starts, benchmark, store)

        def ranked(part: slice) -> Columns:
            pairs, scores = [np.empty(0, np.int64)], [np.empty(0)]
            for place in range(part.start, part.stop):
                if starts:
                    start = starts[place]
                else:
                    start = self._start(world, *self._proposed(world, blocks[place]))
                paths = self.paths(world, start, bridges[place] if starts else NONE)
                reached, values = reached_passages(start, paths)
                pairs.append(start.queries[reached // size] * size + reached % size)
                scores.append(values)
            return np.concatenate(pairs), np.concatenate(scores)

        pairs, scores = map_rows("paths", ranked, len(blocks), 1)
        queries, docs = np.divmod(pairs, size)
        return Run.of(benchmark.query_ids, benchmark.doc_ids, queries, docs, scores), {
            "sentences": len(world.sentences.texts),
            **({} if world.parts.every else {"sentences_read": world.parts.count}),
            "edges": {kind: len(crossing.links[-1].end) for kind, crossing in world.joined.items()},
            "questions_that_name_a_title": len(np.unique(world.named[0])),
        }

    def relations(self, benchmark: Benchmark, store: Store) -> PassageRelations:
        """Return the relations of passages, which a reranker reads as `relations`."""
        return PassageRelations.of(self.world(benchmark, store))

    def world(self, benchmark: Benchmark, store: Store) -> PathData:
        """Return the data of all paths; vectors come from their artifacts."""
        extraction, sentences = extract(self.extractor, benchmark, store), Sentences.of(benchmark)
        size = len(benchmark.doc_ids)
        hub, every = self.widest_title, self.sentence_seeds
        if hub is None:
            hub = HUB if size > LARGE else size
        if every is None:
            every = size <= LARGE or not self._plain
        joined: dict[str, Crossing] = {}
        forth, back = link_titles(extraction, sentences, hub)
        if self.names and self.titles:
            joined["names"] = forth
        if self.named_by and self.titles:
            joined["named_by"] = back
        if self.shares:
            joined["shares"] = link_shared_entities(extraction, sentences, self.widest)
        none, asked = np.empty(0, np.int64), benchmark.questions
        if self.titles:
            asked = mask_titles(benchmark.questions, extraction)
        return PathData(
            sentences,
            embed(self.encoder, benchmark.passages, "passage", store),
            SentenceVectors.of(sentences, self.encoder, store, every),
            embed(self.encoder, benchmark.questions, "question", store),
            embed(self.encoder, asked, "question", store),
            QuestionWords.of(benchmark.passages, benchmark.questions),
            find_named_titles(extraction) if self.titles else (none, none),
            joined,
            self.near,
        )

    def starts(self, world: PathData, queries: Int64Array | None = None) -> list[SeedBlock]:
        """Return the seeds of all questions, or of some (ascending), by blocks, and read their
        sentences.
        """
        every = np.arange(len(world.questions)) if queries is None else queries
        proposed = [self._proposed(world, block) for block in self._blocks(world, every)]
        size, none = max(1, len(world.passages)), np.empty(0, np.int64)
        world.parts.read(np.concatenate([none, *(pairs for _, pairs in proposed)]) % size)
        starts = [self._start(world, *block) for block in proposed]
        if not world.parts.every:
            edges = (self._edges(world, start.seeds, start.close) for start in starts)
            ends = (end for _, _, end, _, _ in itertools.chain(*edges))
            world.parts.read(np.unique(np.concatenate([none, *ends]) % size))
        return starts

    def _blocks(self, world: PathData, queries: Int64Array) -> list[Int64Array]:
        """Return questions, ascending, that are processed together."""
        size = max(1, min(self.block, CELLS // max(1, len(world.passages))))
        return [queries[first : first + size] for first in range(0, len(queries), size)]

    def _proposed(self, world: PathData, queries: Int64Array) -> tuple[Int64Array, Pairs]:
        """Return a block of questions and the candidates for seeds."""
        places = np.arange(len(queries))[:, None] * len(world.passages)
        found = [world.nearest[queries], world.asked.nearest(queries, self.near)]
        if world.parts.every:
            vectors = world.parts.arrays[0]
            near, _ = nearest_rows(vectors, world.questions[queries], self.near)
            found.append(world.sentences.texts.passage[near].astype(np.int64))
        pairs = [(places + docs).ravel() for docs in found]
        return queries, np.unique(np.concatenate([*pairs, world.named_by(queries)]))

    def _start(self, world: PathData, queries: Int64Array, pairs: Pairs) -> SeedBlock:
        texts = world.texts(queries)
        own = self.own.worth(texts.evidence(pairs))
        kept = best_of_rows(pairs // texts.size, own, self.seeds) | np.isin(pairs, texts.named)
        seeds, own = pairs[kept], own[kept]
        close = best_of_rows(seeds // texts.size, own, self.close)
        return SeedBlock(queries, seeds, own, close, texts.best_sentence(seeds))

    def bridges(
        self, world: PathData, starts: Sequence[SeedBlock], benchmark: Benchmark, store: Store
    ) -> list[Float32Array]:
        """Return the vectors of question and best sentence, as one text, of each block's close
        seeds.
        """
        if not self.resembles:
            return [NONE for _ in starts]
        size = max(1, len(benchmark.doc_ids))
        whole, counts = [], []
        for start in starts:
            queries = start.queries[start.seeds[start.close] // size]
            sentences = start.sentence[start.close]
            counts.append(len(queries))
            for query, sentence in zip(queries, sentences, strict=True):
                whole.append(f"{benchmark.questions[query]}\n{world.sentences.texts[sentence]}")
        if not whole:
            return [NONE for _ in starts]
        vectors = embed(self.encoder, whole, "question", store)
        return np.split(vectors, np.cumsum(counts)[:-1])

    def paths(self, world: PathData, start: SeedBlock, bridges: Float32Array) -> list[Paths]:
        """Return all paths of a block, scored."""
        texts = world.texts(start.queries)
        worth = self.bridge.worth(texts.evidence(start.seeds))
        edges = [*self._edges(world, start.seeds, start.close)]
        if self.resembles:
            docs, cosine = nearest_rows(texts.passages, bridges, self.near)
            place = np.repeat(np.flatnonzero(start.close), docs.shape[1])
            parents = start.seeds[place]
            ends = parents // texts.size * texts.size + docs.ravel()
            other = ends != parents
            place, ends, near = place[other], ends[other], cosine.ravel()[other]
            edges.append(("resembles", place, ends, start.sentence[place], near))
        found = [self._scored(texts, start.seeds, worth, *edge) for edge in edges]
        gone = start.seeds
        for _ in range(2, self.steps + 1):
            pairs, values = reached_passages(start, found)
            new = np.isin(pairs, gone, invert=True)
            pairs, values = pairs[new], values[new]
            chosen = best_of_rows(pairs // texts.size, values, self.close)
            pairs, values = pairs[chosen], self.via * values[chosen]
            edges = [*self._edges(world, pairs, np.ones(len(pairs), dtype=np.bool_))]
            found += [self._scored(texts, pairs, values, *edge) for edge in edges]
            gone = np.union1d(gone, pairs)
        return found

    def _edges(
        self, world: PathData, parents: Pairs, close: BoolArray
    ) -> Iterator[tuple[str, Int64Array, Pairs, Int64Array, Values]]:
        """Yield, by kind, the edges that leave the parents: place among these, end pair, sentence,
        rarity.
        """
        size = len(world.passages)
        for kind, crossing in world.joined.items():
            kept = np.flatnonzero(close) if kind == "shares" else np.arange(len(parents))
            place, end, sentence, rarity = crossing.leaving(parents[kept] % size)
            place = kept[place]
            ends = parents[place] // size * size + end
            other = ends != parents[place]
            yield kind, place[other], ends[other], sentence[other], rarity[other]

    def _scored(
        self,
        texts: PairTexts,
        parents: Pairs,
        worth: Values,
        kind: str,
        place: Int64Array,
        end: Pairs,
        sentence: Int64Array,
        value: Values,
    ) -> Paths:
        """Return the paths along edges. ``value`` is an edge's cosine if it ``resembles``,
        otherwise its rarity.
        """
        features = texts.between(parents[place], end, sentence)
        features[:, 5 if kind == "resembles" else 3] = value
        distinct, back = np.unique(end, return_inverse=True)
        ends = self.end.worth(texts.evidence(distinct))[back]
        edge: Edge = getattr(self, kind)
        score = worth[place] + ends + edge.worth(features)
        return Paths(kind, parents[place], end, features, score)
