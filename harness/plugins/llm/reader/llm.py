"""The reader by a language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.core.errors import HarnessError, bounded
from harness.core.identity import NO_RESULT, digest
from harness.plugins.llm.endpoint.answer_store import Answers
from harness.plugins.llm.endpoint.chat import LETTERS, Chat, Estimate
from harness.plugins.llm.endpoint.conversation import Conversation
from harness.plugins.llm.endpoint.prompt import fill, form_of, read_field, read_text
from harness.plugins.llm.reader import Contexts

PATIENCE = 20
"""Number of unusable answers in a row after which reading stops."""
NAME, BRACES = 12, set("{}[]\n")
"""The largest number of words of an answer that is plain text, and what it does not contain."""


@dataclass(frozen=True, kw_only=True)
class LLM(Chat):
    """One request per question, with temperature 0 and a JSON schema for the answer.

    With one field an answer may also be a name: a short line of plain text. An answer of
    another form (``invalid``), a cut one (``cut``) or a refused one (``refused``) is
    empty; it is counted and listed in ``malformed.jsonl`` of the artifact. Raw answers are stored
    by model, prompt, question and passages, so no answer is paid for twice. For the other fields
    see ``Chat``.

    Args:
        prompt: of ``conf/reader/prompts/``, or a file, with ``{passages}`` and ``{question}``.
        closed: the prompt for questions without passages, with ``{question}``.
        form: the texts of an answer, in order; the last one is taken. ``[evidence, answer]`` lets a
            model quote before it answers.
    """

    concept = "reader"
    version = 2
    prompt: str = field(default="open", metadata=NO_RESULT)
    closed: str = field(default="closed", metadata=NO_RESULT)
    form: Sequence[str] = ("answer",)
    max_tokens: int = 256

    def __post_init__(self) -> None:
        super().__post_init__()
        bounded("reader.form (its length)", len(self.form), 1)
        if len(set(self.form)) < len(self.form):
            raise HarnessError(f"reader.form={list(self.form)} names a field twice")

    def content(self) -> str:
        """Return the hash of the prompts' texts."""
        return digest([self._prompt(True), self._prompt(False)])

    def answer(
        self, questions: Sequence[str], contexts: Contexts, folder: Path
    ) -> tuple[list[str], Mapping[str, object]]:
        """Return the answers. See ``harness.plugins.llm.reader.Reader``."""
        conversation = Conversation(self, PATIENCE)

        def ask(place: int) -> str:
            prompt, message = self._message(questions[place], contexts[place])
            about = {"question": questions[place]}
            return (
                conversation.ask(about, prompt, message, self._read, "answer", self._schema()) or ""
            )

        answers = conversation.ask_all(range(len(questions)), ask, "answer", "question")
        conversation.list_wrong(folder)
        return answers, conversation.facts()

    def estimate(self, questions: Sequence[str], contexts: Contexts) -> Estimate:
        """Return the estimate. See ``Reader``.

        For answers that are not stored, a prompt's tokens are a quarter of its letters, and an
        answer has ``max_tokens`` tokens, so no run takes more.
        """
        stored, prompts, held = Answers.of(self), 0, 0
        for question, context in zip(questions, contexts, strict=True):
            prompt, message = self._message(question, context)
            if stored.find(prompt, self.request(message, "answer", self._schema())) is not None:
                held += 1
            else:
                prompts += -(-len(message) // LETTERS)
        requests = len(questions)
        answers = (requests - held) * self.max_tokens
        return {"requests": requests, "kept": held, "prompt": prompts, "completion": answers}

    def _message(self, question: str, context: Sequence[str]) -> tuple[str, str]:
        prompt = self._prompt(bool(context))
        passages = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(context, 1))
        return prompt, fill(prompt, question=question, passages=passages)

    def _prompt(self, passages: bool) -> str:
        if passages:
            return read_text("reader", "prompt", self.prompt, "passages", "question")
        return read_text("reader", "closed", self.closed, "question")

    def _schema(self) -> dict[str, object]:
        return form_of({name: {"type": "string"} for name in self.form})

    def _read(self, content: str) -> str:
        words = content.strip().strip('"').split()
        if len(self.form) == 1 and 0 < len(words) <= NAME and not set(content.strip()) & BRACES:
            return " ".join(words)
        return " ".join(read_field(content, self.form[-1], str).split())
