"""A Python source as it is parsed: its hash without comments and docstrings, and what it
imports.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.util
import json
import re
import sys
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

DIGITS = 12
"""Of the hash of a module."""
STUB = ".pyi"
"""Ends the name of the file that says where the names of a package are, which it imports at their
first use.
"""
T = TypeVar("T")
Names = list[list[str | None]]
"""``[module, name]`` of each import, the name ``None`` for ``import module``; a relative module
begins with dots.
"""


@dataclass(frozen=True)
class Source:
    """What a file says: the hash of what is parsed, its imports, the attributes that it reads of
    anything.

    exports: the place of each name that a package imports at its first use only.
    """

    parsed: str
    imports: Names
    attributes: list[str]
    exports: dict[str, list[str | None]]


@functools.cache
def read_source(path: Path) -> Source:
    """What a file says."""
    text = path.read_bytes()
    stub = path.with_suffix(STUB)
    whole = hashlib.sha256(text + (stub.read_bytes() if stub.is_file() else b"")).hexdigest()
    return Source(**kept_as(path, whole, lambda: asdict(_parse(path, text))))


def kept_as(path: Path, text: str, make: Callable[[], T]) -> T:
    """What is made of a source, as JSON beside Python's own compiled file of ``path``; made where
    that is of another.

    text: the hash of what it is made of.
    """
    kept = Path(importlib.util.cache_from_source(str(path))).with_suffix(".parsed")
    with contextlib.suppress(OSError, ValueError, TypeError, LookupError):
        stored: dict[str, T] = json.loads(kept.read_text(encoding="utf-8"))
        if stored["text"] == text:
            return stored["made"]
    made = make()
    if not sys.dont_write_bytecode:
        own = kept.with_name(f"{kept.name}.{uuid.uuid4().hex}")
        with contextlib.suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            own.write_text(json.dumps({"text": text, "made": made}), encoding="utf-8")
            own.replace(kept)
    return made


def _parse(path: Path, text: bytes) -> Source:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # it is not what runs; whatever it says, it is another text
        return Source(hashlib.sha256(text).hexdigest()[:DIGITS], [], [], {})
    imports: Names = []
    exports: dict[str, list[str | None]] = {}
    left: list[ast.stmt] = [tree]  # type: ignore[list-item]
    for node in left:  # statements alone: expressions import nothing
        imports += _imports(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            exports |= _exports(node.body)
            left += node.orelse
            continue
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            left += getattr(node, inner, ())
        if isinstance(
            node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        ) and _documented(node):
            del node.body[0]
    stub = path.with_suffix(STUB)
    if stub.is_file():
        exports |= _exports(ast.parse(stub.read_bytes()).body)
    dumped = ast.dump(tree)
    return Source(
        hashlib.sha256(dumped.encode()).hexdigest()[:DIGITS],
        sorted(imports, key=str),
        sorted({*re.findall(r"attr='(\w+)'", dumped)}),
        exports if path.name == "__init__.py" else {},
    )


def without_docstrings(text: str) -> str:
    """A source without the lines of its docstrings and of other texts that are statements: the same
    in every Python.
    """
    try:
        left: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError):
        return text
    lines: list[str | None] = [*text.split("\n")]
    for node in left:
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            left += getattr(node, inner, ())
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            if not str(lines[first]).encode()[: node.col_offset].strip():  # not `def f(): "..."`
                lines[first:last] = [None] * (last - first)
    return "\n".join(line for line in lines if line is not None)


def _documented(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    first = node.body[0] if node.body else None
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


def _imports(node: ast.AST) -> Names:
    if isinstance(node, ast.Import):
        return [[alias.name, None] for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [["." * node.level + (node.module or ""), alias.name] for alias in node.names]
    return []


def _exports(body: Iterable[ast.stmt]) -> dict[str, list[str | None]]:
    """By name, the module that it is imported from, and the name there."""
    return {
        alias.asname or alias.name: ["." * node.level + (node.module or ""), alias.name]
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
