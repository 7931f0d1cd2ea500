"""Overrides, typed as ``key=value``: their parts, their values, and the form that the default asks
for.

Each mistake is one line that names key and value. Hydra would keep the last of two values and
accept a key that nothing reads.
"""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.core.configuration.choices import Layers, names, unknown
from harness.core.configuration.extensions import folders, inputs
from harness.core.configuration.grammar import parse, read_conf
from harness.core.errors import HarnessError, closest, unused
from harness.core.input import value_at

log = logging.getLogger(__name__)

STRATEGIES = ("fuser", "normalizer", "temperature", "reranker")
"""The concepts whose strategies a grid varies."""
KNOB = re.compile(rf"(?:{'|'.join(STRATEGIES)})\.\w+|lists(?:\.\w+)?|tracking\.tags\.\w+")
"""Keys that may be set although the default strategy lacks them: the grid has other strategies, and
any list may be added.
"""
LIST = re.compile(r"lists\.\w+")
NO_NAME = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?|true|false|null|\[ *\]", re.IGNORECASE)
TRUTHS = {
    **dict.fromkeys(("true", "1", "yes", "on"), "true"),
    **dict.fromkeys(("false", "0", "no", "off"), "false"),
}
"""The words that may be typed for true and false."""
SWEEP = re.compile(r"(?:choice|range|interval|glob|shuffle|sort|tag|extend_list)\(")
"""The beginning of a value by Hydra's functions that give several values."""
OWN_RUNS = "own_runs"
"""The dataset of a sweep whose gold is given."""
OTHERS = {"qrels": "gold", "judgements": "gold", "against": "baseline"}
"""The keys of other tools that have other names here."""
MAY_BE_NULL = ("controls",)
"""Sections that may be null. The keys of all other sections are read."""


class Override(NamedTuple):
    """One override, such as ``++fuser.k=5``. Its value is None without ``=``."""

    sign: str
    key: str
    value: str | None

    def __str__(self) -> str:
        return f"{self.sign}{self.key}" + ("" if self.value is None else f"={self.value}")

    @classmethod
    def read(cls, text: str) -> Override:
        """Return an override from the text that was typed."""
        left, equals, value = text.partition("=")
        key = left.lstrip("+~")
        return cls(left.removesuffix(key), key, value if equals else None)

    @property
    def values(self) -> list[str]:
        """The values of a sweep over this key; empty for Hydra's own forms such as ``choice(a,b)``.

        A list or a mapping is one value.
        """
        value = self.value or ""
        if SWEEP.match(value):
            return []
        found, depth = [""], 0
        for letter in value:
            depth += (letter in "[{") - (letter in "]}")
            if letter == "," and not depth:
                found.append("")
            else:
                found[-1] += letter
        return found

    def chooses(self, groups: Collection[str]) -> bool:
        """Return whether the override chooses a file of one of these concepts. A mapping sets keys
        instead.
        """
        concept = self.key in groups or self.key.find("@") > 0
        return concept and not (self.value or "").startswith("{")

    @property
    def head(self) -> str:
        """The first word of the place that the override sets: ``relations`` for
        ``retriever@relations``.
        """
        return re.split(r"[./]", (self.key.partition("@")[2] or self.key).lstrip("/"))[0]


class Composition(NamedTuple):
    """Overrides in the form that the files ask for, and the keys of the files."""

    overrides: list[Override]
    tree: dict[str, Any]
    groups: set[str]


def prepare(primary: str, overrides: Sequence[str]) -> Composition:
    """Return the overrides in the form of their defaults, and the files that they choose.

    ``files=a`` becomes ``files=[a]`` if the default is a list, ``strict=yes`` becomes
    ``strict=true``, ``gate=better`` becomes ``gate.kind=better``, and ``lists.x=bm25`` becomes
    ``+retriever@lists.x=bm25``. A key that only other commands read is dropped with a warning.

    Args:
        primary: the name of the command's file in conf/.
        overrides: the overrides as typed. If one has several values, the first one decides.

    Raises:
        HarnessError: a key that no file has, an unknown name, or a value of another type than its
            default.
    """
    given = [Override.read(text) for text in overrides]
    default = Layers({})
    of_sweep = "gold" in default.tree(primary) and "dataset" in default.groups
    keys = {one.key for one in given if one.value not in ("", "null")}
    if of_sweep and "gold" in keys and "dataset" not in keys:
        given.append(Override("", "dataset", OWN_RUNS))
    first = Layers(_choices([one for one in given if one.key in default.groups], default.groups))
    tree = first.tree(primary)
    added = _inputs(given, tree) if "reranker" in first.groups else {}
    given = [_named(one, first.groups) for one in given]
    heads = {*tree, *(Override.read(key).head for key in [*first.groups, *added])}
    heads |= _interpolated(given)
    sections = _closed_sections(tree, first.groups)
    kept = [one for one in given if _is_read(one, heads, sections, tree)]
    layers = Layers({**added, **_choices(kept, {*first.groups, *added})})
    tree = layers.tree(primary)
    fitted = [one if one.chooses(layers.groups) else _fitted(one, tree) for one in kept]
    return Composition(fitted, tree, layers.groups)


def _interpolated(given: Sequence[Override]) -> set[str]:
    """Return the keys that values refer to, such as ``encoder`` in ``${encoder}``."""
    return {head for one in given for head in re.findall(r"\$\{(\w+)", one.value or "")}


def _closed_sections(
    tree: Mapping[str, Any], groups: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    """Return the sections that take no further keys."""
    return {
        key: section
        for key, section in tree.items()
        if isinstance(section, dict) and not _holds_strategies(section)
        if key not in groups or len(names(key)) == 1
    }


def axis(one: Override) -> str:
    """Return the message about a list for a key of a sweep that has one value."""
    mend = f"'+grid.mine={{{one.key}: {one.value}}}'"
    return f"expected one value; several are an axis of the grid: write {mend}"


def check_twice(given: Sequence[Override]) -> None:
    """Raise HarnessError if a key has two values."""
    seen: dict[str, Override] = {}
    for one in given:
        if one.value is None:
            continue
        other = seen.setdefault(one.key, one)
        if other.value != one.value and "~" not in one.sign + other.sign:
            both = " and ".join(str(each).lstrip("+") for each in (other, one))
            raise HarnessError(f"{both}: {one.key} is given twice; leave one out")


def _choices(given: Sequence[Override], groups: Collection[str]) -> dict[str, str | None]:
    """Return the chosen file by concept and place. Raise HarnessError for an unknown name."""
    chosen: dict[str, str | None] = {}
    for one in given:
        concept = one.key.partition("@")[0]
        if not one.chooses(groups):
            continue
        if "~" in one.sign:
            chosen[one.key] = None
            continue
        known = names(concept)
        for value in one.values:
            if value not in known:
                if value.startswith("["):
                    parse(one.key, value)  # reports an open bracket
                    if "grid" in groups:
                        raise HarnessError(f"{one}: {axis(one)}")
                raise unknown(one.key, value, known)
        chosen[one.key] = next(iter(one.values), known[0])
    return chosen


def _inputs(given: Sequence[Override], tree: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the entries that plug-ins add for the rerankers that overrides or files name."""
    text = repr([one.value for one in given] + [tree.get("grid"), tree.get("reranker")])
    return {
        group.partition("=")[0]: group.partition("=")[2]
        for group, readers in inputs().items()
        if any(re.search(rf"\b{name}\b", text) for name in readers)
    }


def _named(one: Override, groups: Collection[str]) -> Override:
    """Return ``lists.x=bm25`` as a choice, unless a file has that name.

    If all lists of a command are files (``fuse``), the override stays as it is.
    """
    words = (one.value or "").split(",")
    known = names("retriever") if LIST.fullmatch(one.key) else []
    walks = any(key.startswith("retriever@lists.") for key in groups)
    if not walks or not {*words} <= {*known} or any(Path(word).exists() for word in words):
        return one
    key = f"retriever@{one.key}"
    return Override("" if key in groups else "+", key, one.value)


def _holds_strategies(section: Mapping[str, Any]) -> bool:
    nodes = [section, *section.values()]
    return any(isinstance(node, dict) and "_target_" in node for node in nodes)


def _is_read(
    one: Override,
    heads: Collection[str],
    sections: Mapping[str, Mapping[str, Any]],
    tree: Mapping[str, Any],
) -> bool:
    """Return whether the command reads the key of an override. Warn if only another command does.

    Args:
        one: the override.
        heads: the first words of the command's keys.
        sections: its sections that take no further keys.
        tree: all of its keys.

    Raises:
        HarnessError: no file of conf/ has the key, or it has the name of a key of a section.
    """
    place = one.key.partition("@")[2] or one.key
    head, *inner = re.split(r"[./]", place.lstrip("/"))
    known = _known_keys(tuple(folders()))
    # a grid has every strategy of a concept, so that each one's fields may be set
    closed = list(map(str, sections.get(head, ())))
    if head in STRATEGIES:
        closed = sorted(known[head])
    alien = len(inner) == 1 and bool(closed) and inner[0] not in closed
    if (head in heads and not alien) or not one.value or head == "hydra":
        return True
    own_sections = {name: list(own) for name, own in tree.items() if isinstance(own, dict)}
    _check_section(one, [head, *inner], heads, own_sections)
    near = _near_key(place, inner, heads, {**own_sections, head: closed})
    _check_known(one, [head, *inner], near, closed)
    log.warning("%s%s", unused(one.key), near and f" (did you mean {near}?)")
    return False


def _check_section(
    one: Override,
    place: Sequence[str],
    heads: Collection[str],
    sections: Mapping[str, Collection[str]],
) -> None:
    """Raise HarnessError for a key that stands in a section of the command, such as ``alpha``.

    Args:
        one: the override.
        place: the words of its key.
        heads: the first words of the command's keys.
        sections: the keys of the command's sections.
    """
    head, *inner = place
    known = _known_keys(tuple(folders()))
    holders = [name for name, own in sections.items() if head in own]
    if inner or not holders:  # the knob of another strategy than the default
        holders = [name for name in STRATEGIES if name in heads and head in known[name]]
    if holders and head.removesuffix("s") not in heads:
        mend = f"{holders[0]}.{one}"
        if inner:
            mend = f"'{holders[0]}.{head}={{{'.'.join(inner)}: {one.value}}}'"
        raise HarnessError(f"{one}: this command does not use {head}; write {mend}")


def _near_key(
    place: str,
    inner: Sequence[str],
    heads: Collection[str],
    sections: Mapping[str, Collection[str]],
) -> str:
    """Return the key of this command that a key is near to, or an empty text."""
    if inner and inner[-1] in heads:
        return inner[-1]
    if place in OTHERS and OTHERS[place] in heads:
        return OTHERS[place]
    head = place.partition(".")[0]
    if inner and sections.get(head):
        near = closest(inner[0], sections[head])
        return near and f"{head}.{near}"
    inside = [f"{name}.{key}" for name, own in sections.items() for key in own]
    return closest(place, [*heads, *inside])


def _check_known(one: Override, place: Sequence[str], near: str, closed: Sequence[str]) -> None:
    """Raise HarnessError if no file of conf/ has the key.

    Args:
        one: the override.
        place: the words of its key.
        near: the key of this command that it is near to, or an empty text.
        closed: the keys of its section, if that takes no further ones.
    """
    head, *inner = place
    known = _known_keys(tuple(folders()))
    hint = near and f" (did you mean {near}?)"
    mend = f"write {near}={(one.value or '').strip()}" if near else "leave it out"
    if head not in known:
        raise HarnessError(f"{one}: no file of conf/ has {head}{hint}; {mend}")
    if inner and known[head] and inner[0] not in known[head]:
        fields = [name for name in closed or sorted(known[head]) if name != "_target_"]
        has = hint or f"; it has {', '.join(fields)}"
        raise HarnessError(f"{one}: {head} has no {inner[0]}{has}; {mend}")


@functools.cache
def _known_keys(places: tuple[Path, ...]) -> Mapping[str, set[str]]:
    """Return the first words of the keys of all files of conf/, and the keys below each."""
    found: dict[str, set[str]] = {}
    for folder in places:
        for path in folder.glob("*/*.yaml"):
            found.setdefault(path.parent.name, set()).update(read_conf(path))
        for path in folder.glob("*.yaml"):
            for key, section in read_conf(path).items():
                closed = isinstance(section, dict) and "_target_" not in section
                found.setdefault(key, set()).update(map(str, section if closed else ()))
            placed = re.findall(r"(?m)^ *- .*@(\w+)", path.read_text(encoding="utf-8"))
            for key in placed:
                found.setdefault(key, set())
    return found


def _fitted(one: Override, tree: Mapping[str, Any]) -> Override:
    """Return the override in the form of its default; HarnessError for a value of another type."""
    value, default = one.value or "", value_at(tree, one.key.split("."))
    is_plain = value[:1] not in ("", "$", "{", "[")
    if isinstance(default, bool) and value[:1] not in ("", "$"):
        one = _fitted_truth(one, value)
    elif isinstance(default, dict) and is_plain:
        one = _fitted_section(one, value, default)
    elif isinstance(default, list) and is_plain:
        one = _fitted_list(one, value, default)
    knob = KNOB.fullmatch(one.key) and not one.sign and one.value is not None
    return one._replace(sign="++") if knob else one


def _fitted_truth(one: Override, value: str) -> Override:
    given = [each.lower() for each in one.values]
    if wrong := {*given} - {*TRUTHS}:
        raise HarnessError(f"{one}: expected true or false, got {min(wrong)}")
    return one._replace(value=",".join(TRUTHS[each] for each in given) or value)


def _fitted_list(one: Override, value: str, default: Sequence[Any]) -> Override:
    """Return a lone name as a list of it, if the default is a list of names."""
    is_named = all(isinstance(item, str) for item in default)
    if value == "null" or "," in value or not is_named:
        return one
    if NO_NAME.fullmatch(value):
        raise HarnessError(f"{one}: expected a name, or a list of names, as in {one.key}=[a,b]")
    return one._replace(value=f"[{value}]")


def _fitted_section(one: Override, value: str, default: Mapping[str, Any]) -> Override:
    if list(default) == ["kind"]:  # `gate` is the name of a concept of a plug-in, too
        return one._replace(key=f"{one.key}.kind")
    closed = default and "." not in one.key and not _holds_strategies(default)
    if closed and not (value == "null" and one.key in MAY_BE_NULL):
        keys = list(map(str, default))
        gold = f"; its gold is gold={value}" if value in names(one.key) else ""
        raise HarnessError(
            f"{one}: expected its keys, as in {one.key}.{keys[0]}=...; it has: "
            f"{', '.join(keys)}{gold}"
        )
    return one
