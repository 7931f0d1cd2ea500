"""Readers, which give a short answer to a question from passages.

A reader is a frozen dataclass. Its answers are an artifact, named by the reader's identity and the
hashes of questions and passages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from harness.core.identity import identity, texts_sha256
from harness.plugins.llm.endpoint.chat import Estimate
from harness.work.store import Store

ANSWERS = "answers.json"

Contexts = Sequence[Sequence[str]]
"""For each question, the passages that the reader gets, best first, or none."""


@runtime_checkable
class Reader(Protocol):
    """A strategy that answers questions."""

    def answer(
        self, questions: Sequence[str], contexts: Contexts, folder: Path
    ) -> tuple[list[str], Mapping[str, object]]:
        """Return an answer to each question (empty if none is usable), and counts for the manifest.

        ``folder`` becomes the artifact; a reader may list faults there.
        """
        ...

    def estimate(self, questions: Sequence[str], contexts: Contexts) -> Estimate:
        """Return the requests, stored answers and tokens of answering, without asking."""
        ...


def read(
    reader: Reader, questions: Sequence[str], contexts: Contexts, store: Store
) -> tuple[list[str], Mapping[str, object]]:
    """Return an answer to each question, and counts. The result is stored as an artifact."""

    def build(folder: Path) -> Mapping[str, object]:
        answers, facts = reader.answer(questions, contexts, folder)
        text = json.dumps(answers, ensure_ascii=False, indent=0) + "\n"
        (folder / ANSWERS).write_text(text, encoding="utf-8")
        return {
            "questions": len(answers),
            "without_answer": sum(not answer for answer in answers),
            **facts,
        }

    flat = (part for passages in contexts for part in (str(len(passages)), *passages))
    inputs = {"questions": texts_sha256(questions), "contexts": texts_sha256(flat)}
    artifact = store.get("answer", identity(reader), inputs, build, resumable=True)
    return json.loads((artifact.path / ANSWERS).read_text(encoding="utf-8")), artifact.facts
