"""Seeds: the entities and passages at which a question's walk restarts (PolicyRAG eq. 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.core.errors import check_fields, one_of
from harness.plugins.mentions.retriever.mentions.pairs import cosines
from harness.plugins.policyrag.policy.gate import FactCandidates
from harness.plugins.policyrag.policy.memory import TypedMemory
from harness.retriever.search.exact import exact_search
from harness.retriever.walk import normalize_rows

SOURCES = ("facts", "names", "both", "question")
ALIGN = ("lexical", "embedding", "both")
Floats = Float64Array


@dataclass(frozen=True, eq=False)
class Seeds:
    """S phrase seeds of all questions, by question, then by rank.

    Args:
        question: int64[S].
        entity: int64[S].
        mean: float64[S], the mean score of the kept facts that hold the entity; NaN without one.
        align: float64[S], a factor of eq. 2, in [0, 1].
        spec: float64[S], a factor of eq. 2, in [0, 1].
        alias_ok: float64[S], a factor of eq. 2, in [0, 1].
        weight: float64[S], their product over the sum of the question's; 0 if ``alias_ok``
            suppresses it.
    """

    question: Int64Array
    entity: Int64Array
    mean: Floats
    align: Floats
    spec: Floats
    alias_ok: Floats
    weight: Floats

    def of(self, shape: tuple[int, int]) -> sp.csr_array:
        """Return [Q, E], the weights."""
        held = self.weight > 0
        entries = (self.weight[held], (self.question[held], self.entity[held]))
        matrix = sp.csr_array(entries, shape=shape)
        matrix.sort_indices()
        return matrix


@dataclass(frozen=True)
class Seed:
    """s_e = align(e, q) spec(e) alias_ok(e) / their sum, for up to ``cap`` entities; w_p sim(p, q)
    for passages.

    sim(p, q) is the softmax of cosine / sharpness over the ``passages`` nearest passages. The whole
    restart is then divided by its sum.

    Args:
        by: the source of phrase seeds. ``facts``: the entities of the facts that the gate keeps,
            ranked by the mean score of those facts, then by eq. 2 (a question without a kept fact
            takes its names); ``names``: the entities that the question names (the paper's "NER to
            node"); ``both``: names, then those of facts (not in the paper); ``question``: the
            entities of nearest name ("query to node").
        align: ``lexical``: 1 if the question names the entity (the cosine of the names if it names
            only a similar one, ``link`` or more); ``embedding``: the cosine of name and question,
            >= 0; ``both``: the greater.
        cap: number of entities, >= 1.
        specificity: spec(e) = (passages that hold e) ** -specificity; 0 makes all equal.
        alias_max: alias_ok(e) = 1 if up to this number of passages are titled e, and e has up to
            this number of synonyms; None allows all.
        link: least cosine of similar names, 0 to 1, or None.
        passage_weight: w_p, the passages' share, with 1 for the phrases.
        passages: number of nearest passages.
        sharpness: > 0.
    """

    by: str = "facts"
    align: str = "both"
    cap: int = 5
    specificity: float = 1.0
    alias_max: int | None = 20
    link: float | None = 0.7
    passage_weight: float = 0.15
    passages: int = 20
    sharpness: float = 0.04

    def __post_init__(self) -> None:
        one_of("policy.seed.by", self.by, SOURCES)
        one_of("policy.seed.align", self.align, ALIGN)
        check_fields(
            "policy.seed",
            self,
            cap="whole [1, inf)",
            specificity="[0, inf)",
            alias_max="whole [1, inf) or null",
            link="[0, 1] or null",
            passage_weight="[0, inf)",
            passages="whole [0, inf)",
            sharpness="(0, inf)",
        )

    def seeds(
        self,
        memory: TypedMemory,
        named: sp.csr_array,
        candidates: FactCandidates,
        names: Float32Array,
        questions: Float32Array,
    ) -> Seeds:
        """Return the phrase seeds.

        Args:
            memory: the typed memory.
            named: [Q, E], how certainly each question names each entity.
            candidates: the facts near questions.
            names: vectors of the entities' names.
            questions: vectors of the questions.
        """
        pairs, mean = self._seed_pairs(memory, named, candidates, names, questions)
        size = len(memory.names)
        question, entity = np.divmod(pairs, size)
        align = self._aligned(named, names, questions, pairs)
        spec = np.exp(-self.specificity * np.log(memory.frequency[entity]))
        most = np.inf if self.alias_max is None else self.alias_max
        allowed = (memory.breadth[entity] <= most).astype(np.float64)
        product = align * spec * allowed
        first = np.isin(pairs, _keys(named)) & (self.by == "both")
        order = np.lexsort((entity, -product, -np.nan_to_num(mean), ~first, question))
        counted, owner = product[order] > 0, question[order]
        before: Int64Array = np.cumsum(counted) - counted
        places = before - before[np.searchsorted(owner, owner)]
        order = order[(counted & (places < self.cap)) | (allowed[order] == 0)]
        columns = (question, entity, mean, align, spec, allowed)
        question, product = question[order], product[order]
        total = np.bincount(question, product, minlength=named.shape[0])[question]
        weight = np.divide(product, total, out=np.zeros(len(order)), where=total > 0)
        return Seeds(*[*(column[order] for column in columns), weight])

    def _seed_pairs(
        self,
        memory: TypedMemory,
        named: sp.csr_array,
        candidates: FactCandidates,
        names: Float32Array,
        questions: Float32Array,
    ) -> tuple[Int64Array, Floats]:
        """Return distinct pairs q E + e, ascending, and the mean score of their facts."""
        size = len(memory.names)
        if self.by == "question":
            near, _ = exact_search(names, questions, self.cap)
            pairs = np.unique(near + size * np.arange(len(near), dtype=np.int64)[:, None])
            return pairs, np.full(len(pairs), np.nan)
        asked = _keys(named)
        if self.by == "names":
            return asked, np.full(len(asked), np.nan)
        passed = np.flatnonzero(candidates.kept)
        held = [memory.facts.entities(int(fact)) for fact in candidates.fact[passed]]
        length = [len(entities) for entities in held]
        entities = np.concatenate([*held, np.empty(0, np.int64)]).astype(np.int64)
        every = np.repeat(candidates.question[passed], length) * size + entities
        pairs, place = np.unique(every, return_inverse=True)
        total = np.bincount(place, np.repeat(candidates.score[passed], length), len(pairs))
        mean = total / np.maximum(np.bincount(place, minlength=len(pairs)), 1)
        if self.by == "facts":
            asked = asked[~np.isin(asked // max(size, 1), pairs // max(size, 1))]
        extra = np.setdiff1d(asked, pairs)
        whole = np.concatenate([pairs, extra])
        order = np.argsort(whole, kind="stable")
        return whole[order], np.concatenate([mean, np.full(len(extra), np.nan)])[order]

    def _aligned(
        self,
        named: sp.csr_array,
        names: Float32Array,
        questions: Float32Array,
        pairs: Int64Array,
    ) -> Floats:
        result = np.zeros(len(pairs))
        if self.align != "embedding":
            known = _keys(named)
            place = np.minimum(np.searchsorted(known, pairs), max(len(known) - 1, 0))
            if len(known):
                result = np.where(known[place] == pairs, named.data[place], 0.0)
        if self.align != "lexical":
            result = np.maximum(result, cosines(names, questions, pairs))
        return np.clip(result, 0, 1)

    def restart(self, seeds: sp.csr_array, close: sp.csr_array) -> sp.csr_array:
        """Return [Q, E + D], phrase seeds and ``passage_weight`` times the passages;
        rows sum to 1.
        """
        return normalize_rows(sp.hstack([seeds, self.passage_weight * close], format="csr"))


def _keys(matrix: sp.csr_array) -> Int64Array:
    """Return the entries of a matrix [Q, E] as numbers q E + e, ascending."""
    rows, columns = matrix.tocoo().coords
    return np.asarray(rows.astype(np.int64) * matrix.shape[1] + columns)
