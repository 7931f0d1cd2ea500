"""The gate by a language model behind an OpenAI-compatible endpoint (PolicyRAG appendix A, Figure
4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.core.errors import whole_number
from harness.core.identity import NO_RESULT, digest
from harness.plugins.llm.endpoint.chat import Chat
from harness.plugins.llm.endpoint.conversation import Conversation
from harness.plugins.llm.endpoint.prompt import fill, form_of, read_field, read_text
from harness.plugins.llm.gate import Candidates, Kept
from harness.work.store import Store


@dataclass(frozen=True, kw_only=True)
class LLM(Chat):
    """Keeps the facts that a model names, up to ``most``, with one request per question with
    candidates.

    The answer is ``{"facts": [...]}``, texts of candidates (case and white space do not matter). A
    text that is no candidate is dropped and counted as ``strangers``, one beyond the first ``most``
    as ``beyond``. An answer of another form (``invalid``), a cut one (``cut``) or a refused one
    (``refused``) keeps nothing; it is counted and listed in ``malformed.jsonl`` of the artifact. If
    that happens to more than half of the questions, nothing is built. Raw answers are stored by
    model, prompt, question and candidates, so no answer is paid for twice. For the other fields see
    ``Chat``.

    Args:
        prompt: of ``conf/gate/prompts/``, or a file, with ``{question}``, ``{facts}`` and
            optionally ``{most}``.
        most: >= 1.
    """

    concept = "gate"
    version = 1
    prompt: str = field(default="keep", metadata=NO_RESULT)
    most: int = 4
    max_tokens: int = 512

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("gate.most", self.most, 1)

    def content(self) -> str:
        """Return the hash of the prompt's text."""
        return digest(self._prompt())

    def decide(
        self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store
    ) -> Kept:
        """Return the decisions. See ``harness.plugins.llm.gate.FactGate``."""
        conversation, prompt = Conversation(self), self._prompt()

        def ask(question: int) -> list[str | None]:
            facts = "\n".join(f"- {' '.join(text.split())}" for text in candidates[question])
            message = fill(
                prompt,
                question=questions[question],
                facts=facts,
                most=str(self.most),
            )
            about = {"question": questions[question]}
            answered = conversation.ask(about, prompt, message, _read, "facts", self._form()) or []
            return [text if isinstance(text, str) else None for text in answered]

        asked = [place for place, facts in enumerate(candidates) if facts]
        named = conversation.ask_all(asked, ask, "gate facts", "question")
        conversation.list_wrong(folder, "question", len(asked))
        passed: list[bool] = []
        strangers = beyond = 0
        for question, texts in zip(asked, named, strict=True):
            facts = candidates[question]
            place = {_plain(text): i for i, text in reversed(list(enumerate(facts)))}
            numbers = [None if text is None else place.get(_plain(text)) for text in texts]
            known = list(dict.fromkeys(i for i in numbers if i is not None))
            chosen = known[: self.most]
            passed += [number in chosen for number in range(len(facts))]
            strangers += numbers.count(None)
            beyond += len(known) - len(chosen)
        counts = {"strangers": strangers, "beyond": beyond, **conversation.facts()}
        return np.array(passed, dtype=np.bool_), counts

    def _prompt(self) -> str:
        return read_text("gate", "prompt", self.prompt, "facts", "question")

    def _form(self) -> dict[str, object]:
        return form_of(
            {"facts": {"type": "array", "items": {"type": "string"}, "maxItems": self.most}}
        )


def _read(content: str) -> list[Any]:
    return read_field(content, "facts", list)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
