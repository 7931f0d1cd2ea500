"""Gates, which keep some of the facts near a question's seeds.

Examples are HippoRAG 2's recognition and PolicyRAG's keep-drop. A gate is a frozen dataclass. A
retriever holds one as a field (``gate: ${gate}`` in its configuration) and asks it about all
questions together:

    passed, facts = keep(self.gate, questions, candidates, store)

``passed`` is bool[M], over the candidates of all questions; ``facts`` goes into the retriever's
manifest. The retriever handles a question without a kept fact (HippoRAG 2 uses its dense list). The
decisions are an artifact, named by the gate's identity and the hashes of questions and candidates.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from harness.core.arrays import BoolArray, load_array, write_array
from harness.core.identity import identity, texts_sha256
from harness.work.store import Store

Candidates = Sequence[Sequence[str]]
"""For each question, facts as texts, such as ``dune filmed by david lynch`` (subject, predicate,
object), best first.
"""
Kept = tuple[BoolArray, Mapping[str, object]]


@runtime_checkable
class FactGate(Protocol):
    """A strategy that keeps or drops each candidate fact of each question."""

    def decide(
        self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store
    ) -> Kept:
        """Return bool[M], which candidates are kept, and counts for the manifest.

        The candidates of a question are distinct. ``folder`` becomes the artifact; a gate may list
        faults there.
        """
        ...


def keep(gate: FactGate, questions: Sequence[str], candidates: Candidates, store: Store) -> Kept:
    """Return bool[M], which candidates the gate keeps, and counts. The result is stored as an
    artifact.

    Candidates of a question with the same text have the same decision and count once. The counts
    are ``candidates``, ``kept`` and ``dropped`` (sums over questions, each text once per question),
    ``questions_without_candidate``, ``questions_with_nothing_kept`` (of those with candidates), and
    those of the gate.

    Args:
        gate: the gate.
        questions: the questions.
        candidates: the facts of each.
        store: the store of the artifact.
    """
    distinct = [list(dict.fromkeys(texts)) for texts in candidates]
    owner = np.repeat(np.arange(len(distinct)), [len(texts) for texts in distinct])

    def build(folder: Path) -> Mapping[str, object]:
        passed, facts = gate.decide(questions, distinct, folder, store)
        write_array(folder / "kept.npy", passed)
        asked, answered = len(np.unique(owner)), len(np.unique(owner[passed]))
        return {
            "candidates": len(owner),
            "kept": int(passed.sum()),
            "dropped": int((~passed).sum()),
            "questions_without_candidate": len(distinct) - asked,
            "questions_with_nothing_kept": asked - answered,
            **facts,
        }

    flat = (part for texts in distinct for part in (str(len(texts)), *texts))
    inputs = {"questions": texts_sha256(questions), "candidates": texts_sha256(flat)}
    artifact = store.get("gate", identity(gate), inputs, build, resumable=True)
    passed = load_array(artifact.path / "kept.npy")
    pairs = zip(owner.tolist(), itertools.chain(*distinct), strict=True)
    chosen = set(itertools.compress(pairs, passed))
    flags = [(place, text) in chosen for place, texts in enumerate(candidates) for text in texts]
    return np.array(flags, np.bool_), artifact.facts
