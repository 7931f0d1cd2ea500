"""Paths over mentions: from seeds of the question, by a sentence that joins passages, to
the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import starmap

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Float32Array, Int64Array
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, check_fields
from harness.core.identity import LATER, NO_RESULT
from harness.graph.extractor import Extractor, extract, find_names
from harness.model.encoder import Encoder, embed
from harness.plugins.mentions.retriever.evidence import Edge, Weights
from harness.plugins.mentions.retriever.mention_walk import find_named_titles, mask_titles
from harness.plugins.mentions.retriever.mentions.links import (
    Crossing,
    link_shared_entities,
    link_titles,
)
from harness.plugins.mentions.retriever.mentions.pairs import Pairs, Values
from harness.plugins.mentions.retriever.mentions.path_data import PairTexts, PathData
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
from harness.retriever.search.exact import nearest_rows
from harness.run import Run
from harness.work.shared_rows import Columns, cut, map_rows
from harness.work.store import Store

NONE = np.empty((0, 1), np.float32)
"""The vectors of no texts."""
LARGE = 250_000
"""Number of passages above which only needed sentences are encoded, and hubs have no edges back."""
HUB = 1_000
"""Number of texts that name a title above which it is a hub in such a corpus."""
Edges = tuple[str, Int64Array, Int64Array, Int64Array, Values]
"""Kind, places of the starts, passages at the ends, sentences, and cosines (of ``resembles``) or
rarities of edges.
"""
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

    version = 1
    fitted_on = ("2wikimultihopqa", "hotpotqa", "musique")
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
        check_fields(
            "lists.NAME",
            self,
            near="whole [0, inf)",
            seeds="whole [0, inf)",
            close="whole [0, inf)",
            widest="whole [0, inf)",
            steps="whole [0, inf)",
            via="[0, inf)",
            block="whole [1, inf)",
            widest_title="whole [0, inf) or null",
        )
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
        world, size = self.world(benchmark, store), len(benchmark.doc_ids)
        starts = self.starts(world, np.arange(len(benchmark.query_ids)))
        bridges = self.bridges(world, starts, benchmark, store)

        def ranked(part: slice) -> Columns:
            pairs, scores = [np.empty(0, np.int64)], [np.empty(0)]
            for start, bridge in zip(starts[part], bridges[part], strict=True):
                reached, values = reached_passages(start, self.paths(world, start, bridge))
                pairs.append(start.queries[reached // size] * size + reached % size)
                scores.append(values)
            return np.concatenate(pairs), np.concatenate(scores)

        pairs, scores = map_rows("paths", ranked, len(starts), 1)
        queries, docs = np.divmod(pairs, size)
        read = {} if world.parts.every else {"sentences_read": sum(map(len, world.parts.arrays))}
        return Run.of(benchmark.query_ids, benchmark.doc_ids, queries, docs, scores), {
            "sentences": len(world.sentences.texts),
            **read,
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
        none, asked, joined = np.empty(0, np.int64), benchmark.questions, dict[str, Crossing]()
        named = none, none
        if self.titles:
            mentions = find_names(self.extractor, benchmark, store).mentions
            asked, named = mask_titles(asked, mentions), find_named_titles(mentions, extraction)
            joined["names"], joined["named_by"] = link_titles(extraction, sentences, hub)
        joined["shares"] = link_shared_entities(extraction, sentences, self.widest)
        return PathData(
            sentences,
            embed(self.encoder, benchmark.passages, "passage", store),
            SentenceVectors(sentences, self.encoder, store, every),
            embed(self.encoder, benchmark.questions, "question", store),
            embed(self.encoder, asked, "question", store),
            QuestionWords.of(benchmark.passages, benchmark.questions),
            named,
            {kind: crossing for kind, crossing in joined.items() if getattr(self, kind)},
            self.near,
        )

    def starts(self, world: PathData, queries: Int64Array) -> list[SeedBlock]:
        """Return the seeds of questions (ascending), by blocks, and read their sentences."""
        size, none = len(world.passages), np.empty(0, np.int64)
        block = max(1, min(self.block, CELLS // max(1, size)))
        blocks = [PairTexts(world, queries[some]) for some in cut(len(queries), block)]
        proposed = [self._proposed(texts) for texts in blocks]
        world.parts.read(np.concatenate([none, *proposed]) % size)
        starts = list(starmap(self._start, zip(blocks, proposed, strict=True)))
        if not world.parts.every:
            ends = [none]
            for start in starts:
                edges = self._edges(world, start.seeds, np.flatnonzero(start.close))
                ends += [end for _, _, end, _, _ in edges]
            world.parts.read(np.concatenate(ends))
        return starts

    def _proposed(self, texts: PairTexts) -> Pairs:
        """Return the candidates for seeds of a block of questions."""
        world, queries = texts.data, texts.queries
        proposals = [world.nearest[queries], world.asked.nearest(queries, self.near)]
        if world.parts.every:
            near, _ = nearest_rows(world.parts.arrays[0], world.questions[queries], self.near)
            proposals.append(world.sentences.texts.passage[near].astype(np.int64))
        places = np.arange(len(queries))[:, None] * texts.size
        pairs = [(places + docs).ravel() for docs in proposals]
        return np.unique(np.concatenate([*pairs, texts.named]))

    def _start(self, texts: PairTexts, pairs: Pairs) -> SeedBlock:
        values = self.own.worth(texts.evidence(pairs))
        is_seed = best_of_rows(pairs // texts.size, values, self.seeds)
        is_seed |= np.isin(pairs, texts.named)
        seeds, values = pairs[is_seed], values[is_seed]
        close = best_of_rows(seeds // texts.size, values, self.close)
        return SeedBlock(texts.queries, seeds, values, close, texts.best_sentence(seeds))

    def bridges(
        self, world: PathData, starts: Sequence[SeedBlock], benchmark: Benchmark, store: Store
    ) -> list[Float32Array]:
        """Return the vectors of question and best sentence, as one text, of each block's close
        seeds.
        """
        whole = []
        for start in starts if self.resembles else []:
            queries = start.queries[start.seeds[start.close] // len(world.passages)]
            for query, sentence in zip(queries, start.sentence[start.close], strict=True):
                whole.append(f"{benchmark.questions[query]}\n{world.sentences.texts[sentence]}")
        if not whole:
            return [NONE for _ in starts]
        vectors = embed(self.encoder, whole, "question", store)
        return np.split(vectors, np.cumsum([start.close.sum() for start in starts])[:-1])

    def paths(self, world: PathData, start: SeedBlock, bridges: Float32Array) -> list[Paths]:
        """Return all paths of a block, scored."""
        texts, gone, close = PairTexts(world, start.queries), start.seeds, start.close
        worth = self.bridge.worth(texts.evidence(gone))
        edges = [*self._edges(world, gone, np.flatnonzero(close))]
        if self.resembles:
            docs, cosine = nearest_rows(world.passages, bridges, self.near)
            place = np.repeat(np.flatnonzero(close), docs.shape[1])
            edges.append(("resembles", place, docs.ravel(), start.sentence[place], cosine.ravel()))
        paths = self._scored(texts, gone, worth, edges)
        for _ in range(2, self.steps + 1):
            pairs, values = reached_passages(start, paths)
            new = np.isin(pairs, gone, invert=True)
            pairs, values = pairs[new], values[new]
            chosen = best_of_rows(pairs // texts.size, values, self.close)
            pairs, values = pairs[chosen], self.via * values[chosen]
            edges = [*self._edges(world, pairs, np.arange(len(pairs)))]
            paths += self._scored(texts, pairs, values, edges)
            gone = np.union1d(gone, pairs)
        return paths

    def _edges(self, world: PathData, parents: Pairs, close: Int64Array) -> Iterator[Edges]:
        """Yield, by kind, the edges that leave the parents, of which ``close`` are the best."""
        for kind, crossing in world.joined.items():
            starts = close if kind == "shares" else np.arange(len(parents))
            place, end, sentence, rarity = crossing.leaving(parents[starts] % len(world.passages))
            yield kind, starts[place], end, sentence, rarity

    def _scored(
        self, texts: PairTexts, parents: Pairs, worth: Values, edges: Sequence[Edges]
    ) -> list[Paths]:
        """Return the paths along edges to other passages, by kind."""
        paths = []
        for kind, place, end, sentence, value in edges:
            ends = parents[place] // texts.size * texts.size + end
            other = ends != parents[place]
            place, ends = place[other], ends[other]
            features = texts.between(parents[place], ends, sentence[other])
            features[:, 5 if kind == "resembles" else 3] = value[other]
            distinct, back = np.unique(ends, return_inverse=True)
            score = worth[place] + self.end.worth(texts.evidence(distinct))[back]
            score = score + getattr(self, kind).worth(features)
            paths.append(Paths(kind, parents[place], ends, features, score))
        return paths
