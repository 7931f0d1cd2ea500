"""What was typed on the command line, judged before Hydra composes: each mistake in one line that
names key and value.

Hydra would keep the last of two values, merge what cannot be merged, and say nothing of a key that
nothing reads.
"""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from harness.core.concepts import ROOMS
from harness.core.configuration.choices import defaults, names, read_conf
from harness.core.configuration.extensions import added, folders, inputs, merge
from harness.core.configuration.extensions import primary as primary_file
from harness.core.errors import HarnessError, nearest, unused

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger(__name__)

KNOB = re.compile(
    r"^(?:(?:fuser|normalizer|temperature|reranker)\.\w+|lists(?:\.\w+)?|tracking\.tags\.\w+)="
)
"""What may be set though the default strategy lacks it: a grid has others, and any list may be
added.
"""
LIST = re.compile(r"lists\.\w+")
GROUP = re.compile(r"(\w+)(?:@[\w.]+)?")
"""The key of a concept, alone or at a place: ``retriever@lists.graph``."""
NO_NAME = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?|true|false|null|\[ *\]", re.IGNORECASE)
OWN = "own"
"""What a value stands under while Hydra composes, where Hydra would take its key for a concept's.
"""
TRUTHS = {
    **dict.fromkeys(("true", "1", "yes", "on"), "true"),
    **dict.fromkeys(("false", "0", "no", "off"), "false"),
}
"""What may be typed for a truth value, and what it is."""
MAY_BE_NULL = ("controls",)
"""Sections that null leaves out; of all others keys are read."""


class Override(NamedTuple):
    """One override: ``++fuser.k=5``. Without ``=`` value is empty."""

    text: str
    sign: str
    key: str
    value: str

    @classmethod
    def read(cls, text: str) -> Override:
        """The parts of what was typed."""
        left, _, value = text.partition("=")
        key = left.lstrip("+~")
        return cls(text, left.removesuffix(key), key, value)

    @property
    def values(self) -> list[str]:
        """The values of a sweep over this key; none of Hydra's own forms such as ``choice(a,b)``.

        A list or a mapping is one value.
        """
        if self.value.startswith(("[", "{")):
            return [self.value]
        return [] if "(" in self.value else self.value.split(",")


def allow_knobs(overrides: Sequence[str]) -> list[str]:
    """The overrides, those of ``KNOB`` with Hydra's ``++``."""
    return [KNOB.sub(r"++\g<0>", text) for text in overrides]


def check_twice(overrides: Sequence[str]) -> None:
    """Raise HarnessError for a key that is given two values, of which Hydra would keep the last."""
    given: dict[str, str] = {}
    for one in map(Override.read, overrides):
        text = one.text.lstrip("+")
        if "=" in text and given.get(one.key, text) != text:
            raise HarnessError(
                f"{given[one.key]} and {text}: {one.key} is given twice; leave one of them out"
            )
        if "=" in text and not text.startswith(("-", "~")):
            given[one.key] = text


def check_groups(overrides: Sequence[str]) -> None:
    """Raise HarnessError that names the key where a concept is given what is no name:
    ``dataset=1``, ``fuser=null``.
    """
    for one in map(Override.read, overrides):
        found = GROUP.fullmatch(one.key)
        known = names(found[1]) if found and one.value and NO_NAME.search(one.value) else []
        for value in one.values:
            if known and NO_NAME.fullmatch(value) and value not in known:
                raise HarnessError(
                    f"{one.key}={value} is not known{nearest(value, known)}; known: "
                    f"{', '.join(known)}"
                )


def fit_shapes(primary: str, overrides: Sequence[str]) -> list[str]:
    """The overrides, a single name in brackets where ``conf/<primary>.yaml`` has a list:
    ``files=a`` is ``files=[a]``.

    Raises HarnessError for a value where it has a section that is no concept (``pool=5``,
    ``pool=null``), for another value than true or false where it has one of these
    (``explain=all``), and for a name twice in ``{...}``. A section whose one key is ``kind`` is
    given by it: ``gate=better`` is ``gate.kind=better``. A value whose key is also a concept
    (``metric``, of a package that brings some) stands in ``{OWN: ...}``: Hydra would look for its
    file.
    """
    whole = own_keys(primary)
    given = [Override.read(text) for text in overrides]
    for one in given:
        _check_once(one)
    searched = any(
        re.match(r"--config-dir|hydra\.searchpath", text) for text in overrides
    )  # not looked through yet
    values = {
        key
        for key, default in whole.items()
        if default is None and (names(key) or (searched and key in ROOMS))
    }
    return [
        f"{one.sign}{one.key}={{{OWN}: {one.value}}}"
        if one.key in values
        else _fitted(one, _at(whole, one.key))
        for one in given
    ]


def unwrap_values(config: DictConfig) -> None:
    """Take what stands in ``{OWN: ...}`` out again."""
    from omegaconf import OmegaConf, open_dict

    raw = OmegaConf.to_container(config, resolve=False)
    assert isinstance(raw, dict)
    for key in [
        key for key, value in raw.items() if isinstance(value, dict) and list(value) == [OWN]
    ]:
        with open_dict(config):
            config[key] = config[key][OWN]


def name_strategies(primary: str, overrides: Sequence[str]) -> list[str]:
    """The overrides, ``lists.x=bm25`` as Hydra has it (``+retriever@lists.x=bm25``), unless a file
    has that name.

    Of commands whose lists are files alone (``fuse``) they stay as they are.
    """
    placed, known = _placed(primary, overrides), set(names("retriever"))

    def named(one: Override) -> str:
        words = set(one.value.split(","))
        if (
            not LIST.fullmatch(one.key)
            or not words <= known
            or any(Path(word).exists() for word in words)
        ):
            return one.text
        return f"{'' if one.key in placed else '+'}retriever@{one.key}={one.value}"

    walks = any(LIST.fullmatch(place) for place in placed)
    return [named(Override.read(text)) for text in overrides] if walks else list(overrides)


def _placed(primary: str, overrides: Sequence[str]) -> set[str]:
    """Where ``defaults`` puts a strategy, those of a typed experiment too, e.g. ``lists.dense``."""
    found: set[str] = set()
    path = primary_file(primary)
    typed = [one.value for one in map(Override.read, overrides) if one.key == "experiment"]
    files = [
        read_conf(path) if path else {},
        *(defaults("experiment", name) for name in typed if name in names("experiment")),
    ]
    for entry in (entry for file in files for entry in file.get("defaults", ())):
        if isinstance(entry, str):
            found |= _placed(entry, ()) if entry != "_self_" else set()
        else:
            found |= {str(group).partition("@")[2] for group in entry}
    return found


def own_keys(primary: str) -> dict[str, object]:
    """The keys of ``conf/<primary>.yaml``, those that plug-ins add, and those of the files that it
    begins with, with their defaults: without a group, and sections of one file
    (``paths: default``).
    """
    path = primary_file(primary)
    own = read_conf(path) if path else {}
    found: dict[str, object] = {}
    for name in own.get("defaults", ()):
        if isinstance(name, str):
            found |= own_keys(name) if name != "_self_" else {}
        elif (group := next(iter(name))) and names(group) == [name[group]]:
            found[group] = defaults(group, name[group])
    return merge(found | own, added(primary))


def _at(whole: Mapping[str, object], key: str) -> Any:
    node: Any = whole
    for name in key.split("."):
        node = node.get(name) if isinstance(node, dict) else None
    return node


def _check_once(one: Override) -> None:
    """Raise HarnessError for ``lists={a: x, a: y}``, of which Hydra would keep the last."""
    try:
        node = yaml.compose(one.value, yaml.CSafeLoader)
    except yaml.YAMLError:  # Hydra's own, such as choice(a,b)
        return
    entries = node.value if isinstance(node, yaml.MappingNode) else []
    keys = [key.value.partition(":")[0] for key, _ in entries if isinstance(key.value, str)]
    for key in keys:
        if keys.count(key) > 1:
            raise HarnessError(f"{one.text}: {key} stands twice; give each its own name")


def _fitted(one: Override, default: Any) -> str:
    """The override in the form that its default has."""
    rule = next((rule for kind, rule in RULES.items() if isinstance(default, kind)), None)
    plain = one.value[:1] not in ("", "$", "{", "[")
    judged = plain or (isinstance(default, bool) and one.value[:1] in ("{", "["))
    return rule(one, default) if rule and judged else one.text


def _as_truth(one: Override, default: bool) -> str:
    given = [value.lower() for value in one.values]
    if not given:
        return one.text
    if unknown := {*given} - {*TRUTHS}:
        raise HarnessError(f"{one.text}: expected true or false, got {min(unknown)}")
    return f"{one.sign}{one.key}={','.join(TRUTHS[value] for value in given)}"


def _as_section(one: Override, default: Mapping[str, object]) -> str:
    if list(default) == ["kind"]:  # `gate` is the name of a concept of a plug-in, too
        return f"{one.sign}{one.key}.kind={one.value}"
    if default and not names(one.key) and not (one.value == "null" and one.key in MAY_BE_NULL):
        keys = list(map(str, default))
        raise HarnessError(
            f"{one.text}: expected its keys, as in {one.key}.{keys[0]}=...; it has: "
            f"{', '.join(keys)}"
        )
    return one.text


def _as_list(one: Override, default: Sequence[Any]) -> str:
    if (
        one.value == "null"
        or "," in one.value
        or not all(isinstance(item, str) for item in default)
    ):
        return one.text
    if NO_NAME.fullmatch(one.value):
        raise HarnessError(
            f"{one.text}: expected a name, or a list of names, as in {one.key}=[a,b]"
        )
    return f"{one.sign}{one.key}=[{one.value}]"


RULES: dict[type, Callable[[Override, Any], str]] = {
    bool: _as_truth,
    dict: _as_section,
    list: _as_list,
}
"""By the type of a key's default: what may be typed for it, and the form that Hydra takes."""


def drop_unused(primary: str, overrides: Sequence[str]) -> list[str]:
    """The overrides without those of keys that other commands alone read, each of which is said.

    Raises HarnessError for a key that no file of conf/ knows.
    """
    given = [Override.read(text) for text in overrides]
    whole = own_keys(primary)
    heads = _heads(primary) | {_head(text) for text in add_inputs(primary, overrides)[len(given) :]}
    chosen = [one.value for one in given if one.key == "experiment"]
    for name in {*chosen} & {*names("experiment")}:
        heads |= _heads_of(defaults("experiment", name))
    heads |= {head for one in given for head in re.findall(r"\$\{(\w+)", one.value)}
    searched = any(re.match(r"--config-dir|hydra\.searchpath", text) for text in overrides)
    kept = []
    for one in given:
        head, *inner = re.split(r"[./]", (one.key.partition("@")[2] or one.key).lstrip("/"))
        closed = _closed_keys(whole.get(head))
        alien = len(inner) == 1 and bool(closed) and inner[0] not in closed
        own = head in heads | {"hydra"} and not alien
        if own or searched or not one.value or one.sign.startswith("-"):
            kept.append(one.text)
            continue
        _check_known(one, head, inner, closed, heads)
        log.warning("%s", unused(one.key))
    return kept


def _check_known(
    one: Override, head: str, inner: Sequence[str], closed: Collection[str], heads: Set[str]
) -> None:
    """Raise HarnessError unless a file of conf/ has the key of an override.

    Args:
        one: the override.
        head: the first word of its key.
        inner: the other words.
        closed: the only keys that the command's section of that name takes; empty for any.
        heads: the first words of the command's keys.
    """
    known = _known_keys(tuple(folders()))
    if head not in known:
        same = f" (did you mean {inner[-1]}?)" if {*inner[-1:]} & heads else ""
        near = same or nearest(head, heads) or nearest(head, known)
        raise HarnessError(f"{one.text}: no file of conf/ has {head}{near}; leave it out")
    if inner and known[head] and inner[0] not in known[head]:
        there = nearest(inner[0], closed or known[head]) or f"; it has {', '.join(closed)}"
        raise HarnessError(f"{one.text}: {head} has no {inner[0]}{there}; leave it out")


def _heads(primary: str) -> set[str]:
    """The first words of the keys that a command has."""
    path = primary_file(primary)
    brought = {key: value for key, value in added(primary).items() if key != "defaults"}
    return _heads_of(read_conf(path) if path else {}) | {*brought}


def _head(key: str) -> str:
    """``relations`` of ``retriever@relations=mention_paths``."""
    place = key.partition("=")[0].lstrip("+")
    return re.split(r"[./]", (place.partition("@")[2] or place).lstrip("/"))[0]


def add_inputs(primary: str, overrides: Sequence[str]) -> list[str]:
    """The overrides, and behind them what plug-ins add for the rerankers that these, or a file that
    they choose, name (see ``extensions.inputs``).
    """
    if "reranker" not in _heads(primary):
        return list(overrides)
    given = [Override.read(text) for text in overrides]
    files = [
        defaults(one.key, name)
        for one in given
        for name in {*one.values} & {*names(one.key.rpartition("/")[2])}
        if "@" not in one.key
    ]
    grids = [
        entry["override /grid"]
        for file in files
        for entry in file.get("defaults", ())
        if "override /grid" in entry
    ]
    files += [defaults("grid", name) for name in grids]
    text = repr([*(one.value for one in given), files])
    typed = {one.key for one in given if "+" in one.sign}
    wanted = [
        f"+{group}"
        for group, readers in inputs().items()
        if group.partition("=")[0] not in typed
        and any(re.search(rf"\b{name}\b", text) for name in readers)
    ]
    return [*overrides, *wanted]


def _heads_of(file: Mapping[str, Any]) -> set[str]:
    found = {*file} - {"defaults"}
    for entry in file.get("defaults", ()):
        if isinstance(entry, str):
            found |= _heads(entry) if entry != "_self_" else set()
            continue
        group = str(next(iter(entry))).split()[-1].lstrip("/")
        found.add((group.partition("@")[2] or group).partition(".")[0])
    return found


@functools.cache
def _known_keys(places: tuple[Path, ...]) -> Mapping[str, set[str]]:
    """The keys of all files of conf/, and those below each; of a concept the fields of its
    strategies.
    """
    found: dict[str, set[str]] = {}
    for folder in places:
        for path in folder.glob("*.yaml"):
            for key in _heads_of(own := read_conf(path)):
                found.setdefault(key, set()).update(_closed_keys(own.get(key)))
        for path in folder.glob("*/*.yaml"):
            found.setdefault(path.parent.name, set()).update(read_conf(path))
    return found


def _closed_keys(section: Any) -> list[str]:
    """The keys of a section that takes no others; none of a strategy, whose class knows its own."""
    return (
        list(map(str, section)) if isinstance(section, dict) and "_target_" not in section else []
    )
