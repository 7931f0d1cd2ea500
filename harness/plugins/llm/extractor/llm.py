"""Open information extraction by a language model behind an OpenAI-compatible endpoint: entities,
then triples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from harness.benchmark import Benchmark
from harness.core.identity import NO_RESULT, digest
from harness.core.table import counted
from harness.graph.extractor import Extractor
from harness.graph.extractor.extraction import Extraction
from harness.plugins.llm.endpoint import (
    LETTERS,
    Chat,
    Conversation,
    fill,
    form_of,
    read_field,
    read_text,
)
from harness.plugins.llm.endpoint.chat import Estimate
from harness.plugins.llm.extractor.openie import Statements, add_statements

TEXTS = {"type": "array", "items": {"type": "string"}}
PARTS = ("subject", "predicate", "object")
STATEMENT = form_of({part: {"type": "string"} for part in PARTS})
FORMS: Mapping[str, Mapping[str, object]] = {
    "entities": TEXTS,
    "triples": {"type": "array", "items": STATEMENT},
}


@dataclass(frozen=True, kw_only=True)
class LLM(Chat):
    """What ``base`` finds, with the entities and triples that a model names in each passage (two
    requests a passage).

    entities, triples: prompts of ``conf/extractor/prompts/``, or files.    The rest: see Chat.

    An answer that is not what was asked for (``invalid``), was cut (``cut``) or refused
    (``refused``) gives nothing; it is counted and listed in ``malformed.jsonl`` of the artifact.
    When that befalls more than half of the passages, nothing is built.
    """

    concept: ClassVar[str] = "extractor"
    version: ClassVar[int] = 1
    base: Extractor
    entities: str = field(default="entities", metadata=NO_RESULT)
    triples: str = field(default="triples", metadata=NO_RESULT)

    def content(self) -> str:
        """Hash of the prompts' texts."""
        return digest([prompt.text for prompt in self._prompts()])

    def extract(
        self, benchmark: Benchmark, folder: Path
    ) -> tuple[Extraction, Mapping[str, object]]:
        """Ask of every passage, count, and join to what ``base`` finds."""
        conversation, prompts = Conversation(self), self._prompts()
        ids = benchmark.doc_ids.to_pylist()

        def ask(passage: str, prompt: Prompt, message: str) -> list[Any]:
            about = {"passage": passage, "stage": prompt.stage}
            answer = conversation.ask(
                about, prompt.text, message, prompt.read, prompt.stage, prompt.schema
            )
            return answer or []

        def read(place: int) -> tuple[list[str | None], list[list[str | None] | None]]:
            passage = benchmark.passages[place]
            entities = texts(ask(ids[place], prompts[0], prompts[0].fill(passage)))
            named = [entity for entity in entities if entity is not None]
            triples = ask(ids[place], prompts[1], prompts[1].fill(passage, named))
            return entities, [texts(row) if isinstance(row, list) else None for row in triples]

        found = conversation.ask_all(range(len(ids)), read, "extract triples", "passage")
        said = [Statements.of(entities, triples) for entities, triples in found]
        conversation.list_wrong(folder, "passage", len(said))
        (folder / "base").mkdir(exist_ok=True)
        base, facts = self.base.extract(benchmark, folder / "base")
        extraction, counts = add_statements(base, said, benchmark)
        return extraction, {**facts, **counts, **conversation.facts()}

    def estimate(self, passages: Sequence[str]) -> Estimate:
        """``requests``, ``tokens`` and ``cost`` at most, where no answer is kept yet.

        A prompt's tokens are a quarter of its letters; each answer is taken to have all of
        ``max_tokens``, and the entities of the first to stand in the second prompt.
        """
        prompts, requests = self._prompts(), 2 * len(passages)
        letters = sum(len(prompt.fill(passage)) for prompt in prompts for passage in passages)
        answers = requests * self.max_tokens
        tokens = {"prompt": -(-letters // LETTERS) + answers // 2, "completion": answers}
        return {"requests": requests, "tokens": tokens, "cost": self.cost(tokens)}

    def asked(self, passages: Sequence[str], questions: Sequence[str]) -> str:
        """``estimate`` in words."""
        most = self.estimate(passages)
        tokens = most["tokens"]
        cost = f", cost at most {most['cost']:g}" if any(self.price.values()) else ""
        return (
            f"{self.model}: {counted(most['requests'], 'call')}, "
            f"{counted(tokens['prompt'], 'token')} asked and "
            f"{tokens['completion']:,} answered at most{cost}"
        )

    def _prompts(self) -> tuple[Prompt, Prompt]:
        return read_prompt("entities", self.entities), read_prompt("triples", self.triples)


def texts(values: list[Any]) -> list[str | None]:
    """The values that are texts; None for each other one."""
    return [value if isinstance(value, str) else None for value in values]


@dataclass(frozen=True)
class Prompt:
    """stage: ``entities`` or ``triples``, the only field of the answer. text: with ``{passage}``
    and ``{entities}``.
    """

    stage: str
    text: str

    def fill(self, passage: str, entities: Sequence[str] = ()) -> str:
        """What is sent. A passage that holds ``{entities}`` is sent as it is."""
        named = "\n".join(f"- {entity}" for entity in entities) or "(none were found)"
        return fill(self.text, passage=passage, entities=named)

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of an answer."""
        return form_of({self.stage: FORMS[self.stage]})

    def read(self, content: str) -> list[Any]:
        """The list in an answer, which may stand in a fence or among other words. Raises ValueError
        for another form.

        Statements are returned as lists of their three parts, whether they were objects or lists.
        """
        found = read_field(content, self.stage, list)
        if self.stage == "triples":
            return [
                [row.get(part) for part in PARTS] if isinstance(row, dict) else row for row in found
            ]
        return found


def read_prompt(stage: str, name: str) -> Prompt:
    """The prompt of that name in ``conf/extractor/prompts/``, or in a file."""
    return Prompt(stage, read_text("extractor", stage, name, "passage"))
