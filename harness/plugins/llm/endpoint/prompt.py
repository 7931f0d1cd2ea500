"""Prompts: text files of ``conf/<concept>/prompts/``, or user-defined files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from harness.core.configuration.extensions import folders
from harness.core.errors import HarnessError, nearest

T = TypeVar("T")


def read_text(concept: str, field: str, name: str, *holds: str) -> str:
    """Return the prompt of a name in ``conf/<concept>/prompts/``, or of a file.

    Args:
        concept: the configuration group.
        field: the setting that names the prompt.
        name: its name or path.
        *holds: names in braces that it must contain once, such as ``passage``.
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
    """Return a prompt with parts in place of their names in braces; braces in a part are kept."""
    return re.sub(r"\{(\w+)\}", lambda match: parts.get(match[1], match[0]), text)


def form_of(fields: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """Return the JSON schema of an object with exactly these fields."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def read_field(content: str, name: str, kind: type[T]) -> T:
    """Return an answer's value under ``name``; the object may be in a fence or among other words.

    Raises:
        ValueError: there is no such object or value of the kind.
    """
    value = json.loads(content[content.find("{") : content.rfind("}") + 1] or content)
    entry = value.get(name) if isinstance(value, dict) else None
    if not isinstance(entry, kind):
        raise ValueError(f"no {'list' if issubclass(kind, list) else 'text'} under {name}")
    return entry
