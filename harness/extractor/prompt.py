"""Prompts of the extractor ``llm``, and the form that their answers must have."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.configuration import packaged
from harness.errors import HarnessError, nearest

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
        before, _, after = self.text.partition("{passage}")
        listed = "\n".join(f"- {entity}" for entity in entities) or "(none were found)"
        return before.replace("{entities}", listed) + passage + after.replace("{entities}", listed)

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
        value = json.loads(content[content.find("{") : content.rfind("}") + 1] or content)
        if not isinstance(value, dict) or not isinstance(value.get(self.stage), list):
            raise ValueError(f"no list under {self.stage}")
        found: list[Any] = value[self.stage]
        if self.stage == "triples":
            return [
                [row.get(part) for part in STATEMENT["required"]] if isinstance(row, dict) else row for row in found
            ]
        return found


def read_prompt(stage: str, name: str) -> Prompt:
    """The prompt of that name in ``conf/extractor/prompts/``, or in a file."""
    folder = packaged("conf") / "extractor" / "prompts"
    path = folder / f"{name}.txt"
    if not path.is_file():
        path = Path(name)
    if not path.is_file():
        known = sorted(one.stem for one in folder.glob("*.txt"))
        raise HarnessError(f"extractor.{stage}={name}: there is no such prompt or file{nearest(name, known)}")
    text = path.read_text(encoding="utf-8")
    if text.count("{passage}") != 1:
        raise HarnessError(f"{path}: a prompt must hold {{passage}} once, found {text.count('{passage}')}")
    return Prompt(stage, text)
