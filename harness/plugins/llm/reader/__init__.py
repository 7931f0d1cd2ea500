"""Readers: a question and passages to a short answer.

A reader is a frozen dataclass. What it answers is an artifact, named by the reader's identity and
the hashes of questions and passages.
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
"""Of each question, the passages that it is answered from, best first; none where it is answered
without any.
"""


@runtime_checkable
class Reader(Protocol):
    """A strategy that answers questions."""

    def answer(
        self, questions: Sequence[str], contexts: Contexts, folder: Path
    ) -> tuple[list[str], Mapping[str, object]]:
        """An answer a question (empty where none could be used), and counts for the manifest.

        folder: where to list what went wrong; it becomes the artifact.
        """
        ...

    def estimate(self, questions: Sequence[str], contexts: Contexts) -> Estimate:
        """What answering would take, without doing it: ``requests``, ``kept`` (already answered),
        tokens and cost.
        """
        ...


def read(
    reader: Reader, questions: Sequence[str], contexts: Contexts, store: Store
) -> tuple[list[str], Mapping[str, object]]:
    """An answer a question, and counts; read once, then taken from their artifact."""

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
    made = store.get("answer", identity(reader), inputs, build, resumable=True)
    return json.loads((made.path / ANSWERS).read_text(encoding="utf-8")), made.facts
