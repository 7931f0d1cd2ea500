"""Prompts: text files of a folder ``conf/<concept>/prompts/``, or the user's own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from harness.core.configuration import folders
from harness.core.errors import HarnessError, nearest

T = TypeVar("T")


def read_text(concept: str, field: str, name: str, *holds: str) -> str:
    """The prompt of that name in ``conf/<concept>/prompts/``, or in a file.

    field: the knob that names it.    holds: the parts in braces that it must hold once, such as
    ``passage``.
    """
    prompts = {
        path.stem: path
        for folder in folders()
        for path in (folder / concept / "prompts").glob("*.txt")
    }
    path = prompts.get(name, Path(name))
    if not path.is_file():
        known = sorted(prompts)
        raise HarnessError(
            f"{concept}.{field}={name}: there is no such prompt or file{nearest(name, known)}"
        )
    text = path.read_text(encoding="utf-8")
    for part in holds:
        if text.count(f"{{{part}}}") != 1:
            raise HarnessError(
                f"{path}: a prompt must hold {{{part}}} once, found {text.count(f'{{{part}}}')}"
            )
    return text


def fill(text: str, **parts: str) -> str:
    """A prompt with its parts in the places that name them in braces; braces in a part stay as they
    are.
    """
    return re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], found[0]), text)


def form_of(fields: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """The JSON schema of an object that has these fields and no other."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def read_field(content: str, name: str, kind: type[T]) -> T:
    """What an answer has under ``name``; it may stand in a fence or among other words. Raises
    ValueError.
    """
    value = json.loads(content[content.find("{") : content.rfind("}") + 1] or content)
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind):
        raise ValueError(f"no {'list' if issubclass(kind, list) else 'text'} under {name}")
    return found
