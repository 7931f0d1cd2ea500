"""Prompts of the extractor ``llm``, and the form that their answers must have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.model.endpoint import fill, read_list, read_text

TEXTS = {"type": "array", "items": {"type": "string"}}
STATEMENT: dict[str, Any] = {
    "type": "object",
    "properties": {part: {"type": "string"} for part in ("subject", "predicate", "object")},
    "required": ["subject", "predicate", "object"],
    "additionalProperties": False,
}
FORMS: Mapping[str, Mapping[str, Any]] = {"entities": TEXTS, "triples": {"type": "array", "items": STATEMENT}}


@dataclass(frozen=True)
class Prompt:
    """stage: ``entities`` or ``triples``, the only field of the answer. text: with ``{passage}`` and ``{entities}``."""

    stage: str
    text: str

    def fill(self, passage: str, entities: Sequence[str] = ()) -> str:
        """What is sent. A passage that holds ``{entities}`` is sent as it is."""
        named = "\n".join(f"- {entity}" for entity in entities) or "(none were found)"
        return fill(self.text, passage=passage, entities=named)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of an answer."""
        return {
            "type": "object",
            "properties": {self.stage: FORMS[self.stage]},
            "required": [self.stage],
            "additionalProperties": False,
        }

    def read(self, content: str) -> list[Any]:
        """The list in an answer, which may stand in a fence or among other words. Raises ValueError for another form.

        Statements are returned as lists of their three parts, whether they were objects or lists.
        """
        found = read_list(content, self.stage)
        if self.stage == "triples":
            return [
                [row.get(part) for part in STATEMENT["required"]] if isinstance(row, dict) else row for row in found
            ]
        return found


def read_prompt(stage: str, name: str) -> Prompt:
    """The prompt of that name in ``conf/extractor/prompts/``, or in a file."""
    return Prompt(stage, read_text("extractor", stage, name, "passage"))
