"""Open information extraction by a language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path
from typing import Any

from harness.benchmark import Benchmark
from harness.core.identity import NO_RESULT, digest
from harness.core.table import counted
from harness.graph.extractor import Extractor
from harness.graph.extractor.extraction import Extraction, NamePlace
from harness.plugins.llm.endpoint.chat import LETTERS, Chat
from harness.plugins.llm.endpoint.conversation import Conversation
from harness.plugins.llm.endpoint.prompt import fill, form_of, read_field, read_text
from harness.plugins.llm.extractor.openie import Statements, add_open_names, add_statements

TEXTS = {"type": "array", "items": {"type": "string"}}
PARTS = ("subject", "predicate", "object")
STATEMENT = form_of({part: {"type": "string"} for part in PARTS})
FORMS: Mapping[str, Mapping[str, object]] = {
    "entities": TEXTS,
    "triples": {"type": "array", "items": STATEMENT},
}


@dataclass(frozen=True, kw_only=True)
class LLM(Chat):
    """The extraction of ``base``, with the entities and triples that a model names in each passage.

    There are two requests per passage. An answer of another form (``invalid``), a cut one (``cut``)
    or a refused one (``refused``) gives nothing; it is counted and listed in ``malformed.jsonl`` of
    the artifact. If that happens to more than half of the passages, nothing is built. For the other
    fields see ``Chat``.

    Args:
        base: the extractor without a language model.
        entities: a prompt of ``conf/extractor/prompts/``, or a file.
        triples: a prompt of ``conf/extractor/prompts/``, or a file.
    """

    concept = "extractor"
    version = 2  # 2: questions are no part of an extraction
    base: Extractor
    entities: str = field(default="entities", metadata=NO_RESULT)
    triples: str = field(default="triples", metadata=NO_RESULT)

    def content(self) -> str:
        """Return the hash of the prompts' texts."""
        return digest(list(self._prompts().values()))

    def extract(
        self, benchmark: Benchmark, folder: Path
    ) -> tuple[Extraction, Mapping[str, object]]:
        """Ask about every passage, count, and add the result to that of ``base``."""
        conversation, prompts = Conversation(self), self._prompts()
        ids = benchmark.doc_ids.to_pylist()

        def ask(place: int, stage: str, named: Sequence[str] = ()) -> list[Any]:
            prompt = prompts[stage]
            message = message_of(prompt, benchmark.passages[place], named)
            about = {"passage": ids[place], "stage": stage}
            read = functools.partial(read_answer, stage=stage)
            form = form_of({stage: FORMS[stage]})
            return conversation.ask(about, prompt, message, read, stage, form) or []

        def read(place: int) -> tuple[list[str | None], list[list[str | None] | None]]:
            entities = texts(ask(place, "entities"))
            triples = ask(place, "triples", [name for name in entities if name is not None])
            return entities, [texts(row) if isinstance(row, list) else None for row in triples]

        answers = conversation.ask_all(range(len(ids)), read, "extract triples", "passage")
        statements = list(starmap(Statements.of, answers))
        conversation.list_wrong(folder, "passage", len(statements))
        extraction, facts = add_statements(self.base, benchmark, folder, statements)
        return extraction, {**facts, **conversation.facts()}

    def find_names(
        self, questions: Sequence[str], extraction: Extraction, folder: Path
    ) -> Iterator[list[NamePlace]]:
        """Return the names that ``base`` finds in each question, and names of the model."""
        base = self.base.find_names(questions, extraction, folder / "base")
        return add_open_names(base, questions, extraction)

    def asked(self, passages: Sequence[str], questions: Sequence[str]) -> str:
        """Return, in words, the calls and the most tokens if no answer is stored.

        A prompt's tokens are a quarter of its letters; each answer has ``max_tokens`` tokens, and
        the entities of the first are part of the second prompt.
        """
        calls = 2 * len(passages)
        letters = sum(
            len(message_of(prompt, passage))
            for prompt in self._prompts().values()
            for passage in passages
        )
        answers = calls * self.max_tokens
        return (
            f"{self.model}: {counted(calls, 'call')}, "
            f"{counted(-(-letters // LETTERS) + answers // 2, 'token')} asked and "
            f"{answers:,} answered at most"
        )

    def _prompts(self) -> dict[str, str]:
        """Return the prompts by stage, which is the only field of its answer."""
        return {
            stage: read_text("extractor", stage, getattr(self, stage), "passage") for stage in FORMS
        }


def texts(values: list[Any]) -> list[str | None]:
    """Return the values that are texts, and None for others."""
    return [value if isinstance(value, str) else None for value in values]


def message_of(prompt: str, passage: str, entities: Sequence[str] = ()) -> str:
    """Return the message of a prompt. ``{entities}`` in a passage is kept."""
    named = "\n".join(f"- {entity}" for entity in entities) or "(none were found)"
    return fill(prompt, passage=passage, entities=named)


def read_answer(content: str, stage: str) -> list[Any]:
    """Return the list in an answer, which may be in a fence or among other words.

    Statements are lists of their three parts, whether the answer has objects or lists. Raise
    ValueError for another form.
    """
    rows = read_field(content, stage, list)
    if stage == "triples":
        return [list(map(row.get, PARTS)) if isinstance(row, dict) else row for row in rows]
    return rows
