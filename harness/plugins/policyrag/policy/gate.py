"""The gate, which keeps some of the facts near a question (PolicyRAG eq. 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import BoolArray, Float32Array, Float64Array, Int64Array
from harness.core.errors import HarnessError, whole_number
from harness.plugins.llm import gate
from harness.plugins.mentions.retriever.mentions.pairs import cosines
from harness.plugins.policyrag.policy.memory import TypedMemory
from harness.work.store import Store


@dataclass(frozen=True, eq=False)
class FactCandidates:
    """C facts near questions, by question, best first.

    Args:
        question: int64[C].
        fact: int64[C].
        score: float64[C], the cosine of question and fact.
        kept: bool[C].
    """

    question: Int64Array
    fact: Int64Array
    score: Float64Array
    kept: BoolArray


@dataclass(frozen=True)
class Gate:
    """The gate: ``filter`` (of the plug-in llm) keeps or drops each of the ``facts`` best
    candidates.

    Candidates are the facts that hold an entity which the question names, and those in its nearest
    passages; they are ranked by cosine, and facts of equal text after all others. Without a filter
    all are kept.
    """

    facts: int = 5
    filter: gate.FactGate | None = None

    def __post_init__(self) -> None:
        whole_number("policy.gate.facts", self.facts, 0)
        if not isinstance(self.filter, gate.FactGate | None):
            raise HarnessError(f"policy.gate.filter must be a gate or null, got {self.filter}")

    def ranked(
        self,
        memory: TypedMemory,
        named: sp.csr_array,
        close: sp.csr_array,
        facts: Float32Array,
        questions: Float32Array,
    ) -> FactCandidates:
        """Return the best candidates of each question, all kept.

        Args:
            memory: the typed memory.
            named: [Q, E].
            close: [Q, D].
            facts: vectors of the facts.
            questions: vectors of the questions.
        """
        size = len(memory.facts)
        if not size or not self.facts:
            none = np.empty(0, dtype=np.int64)
            return FactCandidates(none, none, np.empty(0), np.empty(0, dtype=np.bool_))
        entries = np.ones(size), (memory.facts.passage, np.arange(size))
        where = sp.csr_array(entries, shape=(close.shape[1], size))
        near = named @ memory.facts.holds(len(memory.names)) + close @ where
        near.sort_indices()
        question, fact = (part.astype(np.int64) for part in near.tocoo().coords)
        score = cosines(facts, questions, question * size + fact)
        copy = _copies(memory, question, fact, -score)
        order = np.lexsort((fact, -score, copy, question))
        question, fact, score = question[order], fact[order], score[order]
        best = np.arange(len(question)) - np.searchsorted(question, question) < self.facts
        return FactCandidates(
            question[best], fact[best], score[best], np.ones(int(best.sum()), dtype=np.bool_)
        )

    def decided(
        self,
        memory: TypedMemory,
        candidates: FactCandidates,
        questions: Sequence[str],
        store: Store,
    ) -> tuple[FactCandidates, Mapping[str, object]]:
        """Return the candidates that the filter keeps, and its counts."""
        if self.filter is None or not len(candidates.fact):
            return candidates, {
                "candidates": len(candidates.fact),
                "kept": len(candidates.fact),
                "dropped": 0,
            }
        texts: list[list[str]] = [[] for _ in questions]
        for question, fact in zip(
            candidates.question.tolist(), candidates.fact.tolist(), strict=True
        ):
            texts[question].append(memory.facts.text(fact))
        is_kept, counts = gate.keep(self.filter, questions, texts, store)
        return replace(candidates, kept=is_kept), counts


def _copies(
    memory: TypedMemory, question: Int64Array, fact: Int64Array, cost: Float64Array
) -> Int64Array:
    """Return int64[C], how many better candidates of the same question have the text of each
    candidate.
    """
    texts: dict[str, int] = {}
    first_of = {
        number: texts.setdefault(memory.facts.text(number), number)
        for number in np.unique(fact).tolist()
    }
    first = np.array([first_of[number] for number in fact.tolist()], np.int64)
    group = question * len(memory.facts) + first
    order = np.lexsort((fact, cost, group))
    ordered, copy = group[order], np.empty_like(fact)
    copy[order] = np.arange(len(fact)) - np.searchsorted(ordered, ordered)
    return copy
