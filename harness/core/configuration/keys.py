"""The keys that a command reads, and the check that typed keys and those of own files are among
them.

A key that a command does not read is an error before anything is done. There are two exceptions.
Plug-ins add keys by files of the command's name, which are composed with it. ``OF_ONE_COMMAND``
has the keys of one command that an experiment, which several commands share, may set.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.core.configuration.conf_files import defaults, names
from harness.core.configuration.overrides import (
    REFERENCE,
    STRATEGIES,
    Override,
    holds_strategies,
    parse,
    split,
)
from harness.core.configuration.yaml_files import read_conf
from harness.core.errors import HarnessError, closest
from harness.core.input.read import value_at

OF_ONE_COMMAND = ("explain", "gold", "splitting")
"""The keys of `harness sweep` alone that a shared experiment may set."""
SAME = {"metric": "metrics"}
"""Keys that may be typed for others, in commands that take ``k``, depths of metrics."""
OTHERS = {"qrels": "gold", "judgements": "gold", "against": "baseline"}
"""The keys of other tools that have other names here."""


@dataclass(frozen=True)
class Keys:
    """The keys of a command, before values are set.

    Attributes:
        tree: the keys with their defaults; references such as ``${graph}`` are kept.
        groups: the chosen file of each concept, by ``concept`` or ``concept@place``.
    """

    tree: Mapping[str, Any]
    groups: Mapping[str, str | None]

    def renamed(self, override: Override) -> Override:
        """Return an override with the key that the command has for it.

        ``metric`` is ``metrics``, and a key below a reference is that of the section that it refers
        to: ``encoder.batch_size`` for ``lists.dense.encoder.batch_size``.
        """
        if override.key in SAME and "k" in self.tree and override.key not in self.tree:
            return override._replace(key=SAME[override.key])
        node: Any = self.tree
        words = override.key.split(".")
        for depth, word in enumerate(words[:-1], 1):
            node = node.get(word) if isinstance(node, Mapping) else None
            if isinstance(node, str) and (reference := REFERENCE.fullmatch(node)):
                return self.renamed(override._replace(key=".".join([reference[1], *words[depth:]])))
        return override

    def check(self, overrides: Sequence[Override], removed: Collection[str] = ()) -> None:
        """Raise HarnessError for the first override of a key that the command does not read.

        Args:
            overrides: the overrides.
            removed: sections that ``~`` removes, which ``+`` may write again.
        """
        known = _referred(repr([override.value for override in overrides]))
        known |= {*removed}
        for override in overrides:
            head, *inner = override.place
            if head == "hydra" or (head in known and "+" in override.sign):
                continue
            if override.chooses(self.groups):
                if not self._has_place(override):
                    raise _error(override, *self._missing(override.place, override.value or ""))
                continue
            if head == "lists" and len(inner) > 1 and inner[0] in _typed_files(overrides):
                raise _error(override, f"lists.{inner[0]} is a file, which has no {inner[1]}", "")
            self._check_leaves(override)

    def _check_leaves(self, override: Override) -> None:
        """Raise HarnessError for the first key of an override that the command does not read."""
        leaves = [*_typed_leaves(override, self.tree)]
        files = {words[:2] for words, _ in leaves if words[0] == "lists" and words[2:] == ("file",)}
        for words, value in leaves:
            if words[:2] in files and words[2] in ("file", "columns"):
                continue  # a list with the names of its file's columns
            if fault := self.fault(words, value, "+" in override.sign):
                raise _error(override, *fault)

    def check_file(self, path: Path) -> None:
        """Raise HarnessError for the keys of a file at the root (an experiment) that no command
        reads. One line has all of them.
        """
        settings = {key: value for key, value in read_conf(path).items() if key != "defaults"}
        anchors = re.findall(r"(?m)^(\w+): *&", path.read_text(encoding="utf-8"))
        allowed = {*OF_ONE_COMMAND, *anchors, *_referred(repr(settings) + repr(self.tree))}
        faults = []
        for words, value in _leaves(settings, (), self.tree):
            if words[0] in allowed - self.tree.keys():
                continue
            if fault := self.fault(words, value):
                faults.append(f"{'.'.join(words)}: {_with_hint(*fault)}")
        if faults:
            raise HarnessError(f"{path}: {'; '.join(faults)}; correct that file")

    def fault(
        self, words: Sequence[str], value: Any = "", adds: bool = False
    ) -> tuple[str, str] | None:
        """Return why the command does not read a key, and the nearest key; None if it does.

        Args:
            words: the words of the key.
            value: what is set.
            adds: whether the key is typed with ``+``, which adds it to a section.
        """
        node: Any = self.tree
        for depth, word in enumerate(words):
            node = _followed(node, self.tree)
            if isinstance(node, Mapping) and word in node:
                node = node[word]
            elif depth == 0 and word in self.groups:
                node = None
            elif depth == 0:
                return self._missing(words, value)
            elif self._takes(words[:depth], word, node, adds) and (
                words[0] != "lists" or depth + 1 == len(words)
            ):
                return None
            else:
                return self._lacking(words[: depth + 1], node, value)
        return None

    def _takes(self, section: Sequence[str], word: str, node: Any, adds: bool) -> bool:
        """Return whether a section takes a key that it does not have yet."""
        head, inner = section[0], len(section)
        if head in STRATEGIES and inner == 1:
            return adds or word in _fields(head)
        if head in ("lists", "grid", "experiment") and inner == 1:
            return True
        if isinstance(node, Mapping):
            open_section = ".".join(section) == "tracking.tags" or head in ("grid", "experiment")
            return open_section or (adds and (inner > 1 or holds_strategies(node)))
        return adds and node is None

    def _has_place(self, override: Override) -> bool:
        """Return whether a chosen file has a place that the command reads."""
        return override.key in self.groups or override.place[0] in self.tree

    def _missing(self, words: Sequence[str], value: Any) -> tuple[str, str]:
        """Return the fault of a key whose first word the command lacks, and the nearest key.

        The nearest one has the same last word in a section, or is spelled alike. The fields of
        strategies are left out, as they would change the results, and so are sections for a value
        that is none. A value that is none of the nearest concept's names is not repeated.
        """
        is_section = len(words) > 1 or isinstance(value, Mapping) or str(value).startswith("{")
        fault, near = f"this command has no {words[0]}", self._nearest(words, is_section)
        known = names(near.partition("@")[0]) if near in self.groups else []
        if not known or is_section or str(value).strip() in known:
            return fault, near
        return f"{_with_hint(fault, near)}; write {near}=NAME, one of {', '.join(known)}", ""

    def _nearest(self, words: Sequence[str], is_section: bool) -> str:
        name, last = ".".join(words), words[-1]
        if last in self.tree and len(words) > 1:
            return last
        if (near := OTHERS.get(name, "")) in self.tree:
            return near
        inside = self._inside()
        below = [key for key, last_word in inside.items() if last_word == name]
        alike = closest(name, self._roots(is_section))
        if words[0].removesuffix("s") in self.tree and alike:
            return alike
        if below or alike:
            return below[0] if below else alike
        return closest(name, inside) if re.search(r"[._]", name) else ""

    def _inside(self) -> dict[str, str]:
        """Return keys of sections that are no strategies, with their last words."""
        return {
            f"{section}.{key}": str(key)
            for section, keys in self.tree.items()
            if isinstance(keys, Mapping) and not self._is_strategy(section, keys)
            for key in keys
        }

    def _roots(self, is_section: bool) -> list[str]:
        """Return the first words that may be meant: of sections, too, if one is typed."""
        chosen = [group for group in self.groups if len(names(group.partition("@")[0])) > 1]
        plain = [key for key, value in self.tree.items() if not isinstance(value, Mapping)]
        return [*self.tree, *chosen] if is_section else [*plain, *chosen]

    def _is_strategy(self, section: str, keys: Mapping[str, Any]) -> bool:
        return section in STRATEGIES or (section in self.groups and holds_strategies(keys))

    def _lacking(self, words: Sequence[str], node: Any, value: Any) -> tuple[str, str]:
        """Return the fault of a key that a section lacks, and the nearest one that it has."""
        *sections, last = words
        section = ".".join(sections)
        if isinstance(node, list):
            return (
                f"{section} is a list, which has no names; an axis of a grid is typed in its "
                "block, as in 'grid.values={fuser.alpha: [0.5, 0.7]}'"
            ), ""
        if node is None:
            return f"{section} has no names; write '{section}={{{last}: {value}}}'", ""
        existing = [str(name) for name in node if name != "_target_"] if node else []
        if not isinstance(node, Mapping):
            return f"{section} has one value, {node}, and no keys", ""
        in_section = ", ".join(existing)
        known = existing if section not in STRATEGIES else [*existing, *_fields(section)]
        if near := closest(last, known):
            return f"{section} has no {last}", f"{section}.{near}"
        if len(sections) > 1 and sections[0] in STRATEGIES:
            shown = ", ".join([f"{last}: {value}", "..."])
            return f"{section} has {in_section}; write '{section}={{{shown}}}' for others", ""
        return f"{section} has no {last}" + (f"; it has {in_section}" if existing else ""), ""


def _fields(concept: str) -> set[str]:
    """Return the fields of all strategies of a concept."""
    return {field for name in names(concept) for field in defaults(concept, name)} - {"_target_"}


def _typed_files(overrides: Sequence[Override]) -> set[str]:
    """Return the names of the lists that are typed as files."""
    typed: set[str] = set()
    for override in overrides:
        head, *names_below = override.place
        if override.key == "lists":
            items = split((override.value or "")[1:-1])
            typed |= {item.partition(":")[0].strip() for item in items}
        elif head == "lists" and len(names_below) == 1 and "@" not in override.key:
            typed |= {*names_below}
    return typed


def _referred(text: str) -> set[str]:
    """Return the first words of the references in a text."""
    return set(re.findall(r"\$\{(\w+)", text))


def _error(override: Override, fault: str, near: str) -> HarnessError:
    if "write" in fault or "typed in" in fault:
        return HarnessError(f"{override}: {fault}")
    mend = f"write {near}={(override.value or '').strip()}" if near else "leave it out"
    mend = f"write ~{near}" if near and "~" in override.sign else mend
    return HarnessError(f"{override}: {_with_hint(fault, near)}; {mend}")


def _with_hint(fault: str, near: str) -> str:
    return f"{fault} (did you mean {near}?)" if near else fault


def _typed_leaves(
    override: Override, tree: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the words and the value of each key that an override sets."""
    words, value = (*override.place,), override.value or ""
    if value.startswith("{"):
        yield from _leaves(parse(override.key, value), words, tree)
    else:
        yield words, value


def _leaves(
    value: Any, words: tuple[str, ...], tree: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the words and the value of each key in a mapping that is set in sections of a tree.

    A mapping for anything but a section is one value, and so is one for a field of a strategy
    (``fuser.weights``), whose names are those of lists.
    """
    is_field = len(words) > 1 and words[0] in STRATEGIES
    if not isinstance(value, Mapping) or (words and (is_field or not _is_section(words, tree))):
        yield words, value
        return
    for key, inner in value.items():
        yield from _leaves(inner, (*words, str(key)), tree)


def _is_section(words: Iterable[str], tree: Mapping[str, Any]) -> bool:
    node: Any = tree
    for word in words:
        node = _followed(node.get(word) if isinstance(node, Mapping) else None, tree)
    return isinstance(node, Mapping) and bool(node)


def _followed(node: Any, tree: Mapping[str, Any]) -> Any:
    """Return the section to which a node refers (``${graph}``), or the node itself."""
    reference = REFERENCE.fullmatch(node) if isinstance(node, str) else None
    return value_at(tree, reference[1].split(".")) if reference else node
