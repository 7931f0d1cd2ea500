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
    def place(self) -> list[str]:
        """The words of the place that the override sets: ``relations`` for
        ``retriever@relations``.
        """
        return re.split(r"[./]", (self.key.partition("@")[2] or self.key).lstrip("/"))


class Composition(NamedTuple):
    """Overrides in the form that the files ask for, and the keys of the files."""

    overrides: list[Override]
    tree: dict[str, Any]
    groups: set[str]


def prepare(primary: str, overrides: Sequence[str]) -> Composition:
    """Return the overrides in the form of their defaults, and the files that they choose.

    ``metrics=a`` becomes ``metrics=[a]`` if the default is a list, ``strict=yes`` becomes
    ``strict=true``, and ``gate=better`` becomes ``gate.kind=better``. A key that only other
    commands read is dropped with a warning.

    Args:
        primary: the name of the command's file in conf/.
        overrides: the overrides as typed. If one has several values, the first one decides.

    Raises:
        HarnessError: a key that no file has, an unknown name, or a value of another type than its
            default.
    """
    given = [Override.read(text) for text in overrides]
    default = Layers({})
    if "gold" in default.tree(primary) and "dataset" in default.groups:
        given += _own_runs(given)
    first = Layers(_choices([one for one in given if one.key in default.groups], default.groups))
    tree = first.tree(primary)
    added = _inputs(given, tree) if "reranker" in first.groups else {}
    sections = _sections(tree, first.groups)
    for key in (*first.groups, *added):
        sections.setdefault(Override("", key, None).place[0], [])
    referred = {name for one in given for name in re.findall(r"\$\{(\w+)", one.value or "")}
    kept = [one for one in given if one.place[0] in referred or _is_read(one, sections)]
    layers = Layers({**added, **_choices(kept, {*first.groups, *added})})
    tree = layers.tree(primary)
    fitted = [one if one.chooses(layers.groups) else _fitted(one, tree) for one in kept]
    return Composition(fitted, tree, layers.groups)


def _own_runs(given: Sequence[Override]) -> list[Override]:
    """Return the choice of the dataset for a sweep whose gold is typed, and no dataset."""
    keys = {one.key for one in given if one.value not in ("", "null")}
    return [Override("", "dataset", OWN_RUNS)] if keys & {"gold", "dataset"} == {"gold"} else []


def _sections(tree: Mapping[str, Any], groups: Collection[str]) -> dict[str, list[str]]:
    """Return the keys of each section of a command; none for a key that is no section, or a section
    that takes further keys.
    """
    known = _known_keys(tuple(folders()))
    found = {}
    for key, section in tree.items():
        is_closed = isinstance(section, dict) and not _holds_strategies(section)
        found[key] = (
            list(section) if is_closed and (key not in groups or len(names(key)) == 1) else []
        )
        if key in STRATEGIES:  # a grid has every strategy, so that each one's fields may be set
            found[key] = sorted(known[key] - {"_target_"})
    return found


def axis(one: Override) -> str:
    """Return the message about a list for a key of a sweep that has one value."""
    mend = f"'+grid.mine={{{one.key}: {one.value}}}'"
    return f"expected one value; several are an axis of the grid: write {mend}"


def check_twice(given: Sequence[Override]) -> None:
    """Raise HarnessError if a key has two values."""
    seen: dict[str, Override] = {}
    for one in given:
        other = seen.setdefault(one.key, one)
        if None in (one.value, other.value) or "~" in one.sign + other.sign:
            continue
        if other.value != one.value:
            both = f"{str(other).lstrip('+')} and {str(one).lstrip('+')}"
            raise HarnessError(f"{both}: {one.key} is given twice; leave one out")


def _choices(given: Sequence[Override], groups: Collection[str]) -> dict[str, str | None]:
    """Return the chosen file by concept and place. Raise HarnessError for an unknown name."""
    chosen: dict[str, str | None] = {}
    for one in given:
        if not one.chooses(groups):
            continue
        if "~" in one.sign:
            chosen[one.key] = None
            continue
        known = names(one.key.partition("@")[0])
        wrong = next((value for value in one.values if value not in known), None)
        if wrong is not None and wrong.startswith("["):
            parse(one.key, wrong)  # reports an open bracket
            if "grid" in groups:
                raise HarnessError(f"{one}: {axis(one)}")
        if wrong is not None:
            raise unknown(one.key, wrong, known)
        chosen[one.key] = next(iter(one.values), known[0])
    return chosen


def _inputs(given: Sequence[Override], tree: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the entries that plug-ins add for the rerankers that overrides or files name."""
    text = repr([one.value for one in given] + [tree.get("grid"), tree.get("reranker")])
    found: dict[str, str | None] = {}
    for entry, readers in inputs().items():
        group, _, name = entry.partition("=")
        if re.search(rf"\b({'|'.join(readers)})\b", text):
            found[group] = name
    return found


def _holds_strategies(section: Mapping[str, Any]) -> bool:
    nodes = [section, *section.values()]
    return any(isinstance(node, dict) and "_target_" in node for node in nodes)


def _is_read(one: Override, sections: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the command reads the key of an override. Warn if only another command does.

    Args:
        one: the override.
        sections: the first words of the command's keys, and the keys of its closed sections.

    Raises:
        HarnessError: no file of conf/ has the key, or it has the name of a key of a section.
    """
    head, *inner = one.place
    own = sections.get(head, ())
    is_alien = len(inner) == 1 and own and inner[0] not in own
    if not one.value or head == "hydra" or (head in sections and not is_alien):
        return True
    holders = _holders(head, sections)
    near = _near_key(one.place, sections, holders)
    hint = f" (did you mean {near}?)" if near else ""
    known = _known_keys(tuple(folders()))
    below = known.get(head, set())
    has = ""
    if holders or head not in known:
        has = f"this command has no {head}{hint}"
    elif below and not below.issuperset(inner[:1]):
        has = f"{head} has no {inner[0]}{hint or '; it has ' + ', '.join(own or sorted(below))}"
    if has:
        raise _no_key(one, has, near)
    log.warning("%s%s", unused(one.key), hint)
    return False


def _holders(head: str, sections: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the sections with a key of that name, unless the command's own keys are nearer: `runs`
    is nearer to `run` than to `paths.runs`.
    """
    if head.removesuffix("s") in sections:
        return []
    return [name for name, keys in sections.items() if head in keys]


def _no_key(one: Override, has: str, near: str) -> HarnessError:
    """Return the error about a key that a command lacks, with the nearest one, if any."""
    mend = f"write {near}={(one.value or '').strip()}" if near else "leave it out"
    return HarnessError(f"{one}: {has}; {mend}")


def _near_key(
    place: Sequence[str], sections: Mapping[str, Sequence[str]], holders: Sequence[str]
) -> str:
    """Return the key of a command that a key is near to, or an empty text.

    Args:
        place: the words of the key.
        sections: the first words of the command's keys, and the keys of its closed sections.
        holders: the sections with a key of that first word.
    """
    head, *inner = place
    name = ".".join(place)
    if place[-1] in sections:
        return place[-1]
    if OTHERS.get(name) in sections:
        return OTHERS[name]
    if holders:
        return f"{holders[0]}.{name}"
    if inner and sections.get(head):
        near = closest(inner[0], sections[head])
        return near and f"{head}.{near}"
    inside = [f"{section}.{key}" for section, keys in sections.items() for key in keys]
    return closest(name, [*sections, *inside])


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
            for key in re.findall(r"(?m)^ *- .*@(\w+)", path.read_text(encoding="utf-8")):
                found.setdefault(key, set())
    return found


def _fitted(one: Override, tree: Mapping[str, Any]) -> Override:
    """Return the override in the form of its default; HarnessError for a value of another type."""
    value, default = one.value or "", value_at(tree, one.key.split("."))
    is_plain = value[:1] not in ("", "$", "{", "[")
    if isinstance(default, bool) and value[:1] not in ("", "$"):
        given = [each.lower() for each in one.values]
        if wrong := {*given} - {*TRUTHS}:
            raise HarnessError(f"{one}: expected true or false, got {min(wrong)}")
        one = one._replace(value=",".join(TRUTHS[each] for each in given) or value)
    elif isinstance(default, dict) and is_plain:
        one = _fitted_section(one, value, default)
    elif isinstance(default, list) and is_plain:
        one = _fitted_list(one, value, default)
    knob = KNOB.fullmatch(one.key) and not one.sign and one.value is not None
    return one._replace(sign="++") if knob else one


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
