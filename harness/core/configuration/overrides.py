"""Overrides, typed as ``key=value``: their parts, and the form that the default asks for.

Each mistake is one line that names key and value. ``keys.py`` checks that a command has the key.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from harness.core.configuration.conf_files import names
from harness.core.errors import HarnessError
from harness.core.escape import override_key
from harness.core.input.read import value_at

STRATEGIES = ("fuser", "normalizer", "temperature", "reranker")
"""The concepts whose strategies a grid varies."""
KNOB = re.compile(rf"(?:{'|'.join(STRATEGIES)})\.\w+|lists(?:\.\w+)?|tracking\.tags\.\w+")
"""Keys that may be set although the default strategy lacks them: the grid has other strategies, and
any list may be added.
"""
AXIS = re.compile(rf"(?:{'|'.join(STRATEGIES)})(?:\.\w+)?|pool\.\w+")
"""Keys that may be an axis of a grid."""
NO_NAME = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?|true|false|null|\[ *\]", re.IGNORECASE)
NO_TEXT = re.compile(r"\d+|true|false|null", re.IGNORECASE)
"""Names that Hydra would not read as a text."""
TRUTHS = {
    **dict.fromkeys(("true", "1", "yes", "on"), "true"),
    **dict.fromkeys(("false", "0", "no", "off"), "false"),
}
"""The words that may be typed for true and false."""
RANGE = re.compile(r"range\(" + ",".join([r"\s*(-?\d*\.?\d+)\s*"] * 3) + r"\)")
"""Hydra's range of numbers, with a step."""
SWEEP = re.compile(r"(?:choice|range|interval|glob|shuffle|sort|tag|extend_list)\(")
"""The beginning of a value by Hydra's functions that give several values."""
PIECE = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\\.|.""", re.DOTALL)
"""A letter, or a text in quotes."""
MAY_BE_NULL = ("controls",)
"""Sections that may be null. The keys of all other sections are read."""
REFERENCE = re.compile(r"\$\{([\w.]+)\}")


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
        return [] if SWEEP.match(self.value or "") else split(self.value or "")

    @property
    def is_several(self) -> bool:
        """Whether the value is several values, one for each job."""
        return len(self.values) != 1

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
        group, _, place = self.key.partition("@")
        if not (group and place):
            place = self.key
        return re.split(r"[./]", place)


def split(text: str, at: str = ",") -> list[str]:
    """Return the parts of a value between separators that are not in brackets or quotes."""
    parts, depth = [""], 0
    for piece in PIECE.findall(text):
        depth += (piece in "[{(") - (piece in "]})")
        if piece == at and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def written_out(override: Override) -> Override:
    """Return an override with the decimals of a range, which Hydra adds up as floats: 0.2,0.5,0.8
    for ``range(0.2,0.9,0.3)``.
    """
    match = RANGE.fullmatch(override.value or "")
    if match is None:
        return override
    start, stop, step = map(Decimal, match.groups())
    count = math.ceil((stop - start) / step) if step else 0
    values = ",".join(str(start + n * step) for n in range(count))
    return override._replace(value=values or override.value)


def check_twice(overrides: Sequence[Override]) -> None:
    """Raise HarnessError if a key has two values."""
    seen: dict[str, Override] = {}
    for override in overrides:
        other = seen.setdefault(override.key, override)
        if None in (override.value, other.value) or "~" in override.sign + other.sign:
            continue
        if other.value != override.value:
            both = f"{str(other).lstrip('+')} and {str(override).lstrip('+')}"
            raise HarnessError(f"{both}: {override.key} is given twice; leave one out")


def parse(key: str, value: str) -> Any:
    """Return the value that was typed for a key, by Hydra's grammar.

    Raises:
        HarnessError: the value cannot be read, or there are several values.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    try:
        (override,) = OverridesParser.create().parse_overrides([f"key={value}"])
    except OverrideParseException as error:
        raise unreadable(key, value) from error
    if override.is_sweep_override():
        raise several(Override("", key, value), {})
    return override.value()


def unreadable(key: str, value: str) -> HarnessError:
    """Return the error about a value that Hydra's grammar does not have."""
    nested = value.startswith(("{", "["))
    if nested and sum(map(value.count, "[{")) > sum(map(value.count, "]}")):
        return HarnessError(
            f"{key}={value}: a bracket is opened and not closed; a value with blanks needs "
            f"quotes, as in '{key}=[5, 10]'"
        )
    if nested and re.search(r"[\[{,:]\s*[,\]}]", value):
        return HarnessError(f"{key}={value}: a value is missing beside a comma or a colon")
    if value.startswith("{") and (equals := re.search(r"[{,]\s*(\w+)=", value)):
        mend = value.replace("=", ": ")
        return HarnessError(
            f"{key}={value}: {equals[1]}= needs a colon in braces; write '{key}={mend}'"
        )
    if odd_name := re.search(r"[{,]\s*['\"]?([^{},:'\"]*[^\x00-\x7f{},:'\"][^{},:'\"]*):", value):
        return HarnessError(
            f"{key}={value}: rename {odd_name[1]}; a name in braces has only letters a to z, "
            "digits, blanks and _ - + . @ / % $ * ? |"
        )
    if value.startswith("{") and (mended := _with_plain_names(value)) != value:
        return HarnessError(
            f"{key}={value}: a name in braces has no quotes, but a backslash before each of "
            f"( ) [ ] : = , in it; write {shlex.quote(f'{key}={mended}')}"
        )
    text = value.strip("'\"").replace('"', '\\"')
    mend = '{name: "..."}' if nested else f'"{text}"'
    return HarnessError(
        f"{key}={value} cannot be read as it is typed; such a text, or name, needs quotes "
        f"within those of the shell: {shlex.quote(f'{key}={mend}')}"
    )


def _with_plain_names(value: str) -> str:
    """Return a mapping with its names escaped and without quotes."""
    entries = []
    for entry in split(value[1:].removesuffix("}")):
        name, colon, item = entry.partition(":")
        if colon and "\\" not in name:
            name = override_key(name.replace('"', "").replace("'", ""))
        entries.append(f"{name}{colon}{item}")
    return f"{{{','.join(entries)}}}"


def several(override: Override, tree: Mapping[str, Any]) -> HarnessError:
    """Return the error about several values in one job, with the forms of a list and of a job for
    each.

    Args:
        override: the override.
        tree: the keys of the command.
    """
    value = override.value or ""
    default = value_at(tree, override.key.split("."))
    if override.key == "lists":
        with_names = value
        if ":" not in value:
            with_names = re.sub(r"(?:[^,/]*/)*([^,./]+)[^,]*", r"\1: \g<0>", value)
        return HarnessError(f"{override}: name each list, as in '{override.key}={{{with_names}}}'")
    if _is_axis(override, default, tree):
        return axis(override)
    is_single = "(" in value or isinstance(default, (str, float, dict)) or override.key == "run"
    forms = [] if is_single else [f"a list is {override.key}=[{value}]"]
    if re.fullmatch(r"[-+]?[0-9]+,[0-9]+", value):
        forms.append(f"with a decimal point {override.key}={value.replace(',', '.')}")
    if tree and "paths" not in tree:
        forms.append(f"give one, as in {override.key}={next(iter(override.values), value)}")
    else:
        forms.append(f"with -m a job for each: -m {override.key}={value}")
    return HarnessError(f"{override}: several values; {', '.join(forms)}")


def _is_axis(override: Override, default: Any, tree: Mapping[str, Any]) -> bool:
    """Return whether several values of a key are an axis of a sweep's grid: the key has one value,
    or a strategy in the grid has it and each value is a number, true, false or null.
    """
    if "grid" not in tree or not AXIS.fullmatch(override.key):
        return False
    numbers = [NO_NAME.fullmatch(value) for value in split((override.value or "").strip("[]"))]
    return isinstance(default, (dict, int, float)) or (default is None and all(numbers))


def axis(override: Override) -> HarnessError:
    """Return the error about several values for a key of a sweep that has one value."""
    value = override.value if (override.value or "").startswith("[") else f"[{override.value}]"
    return HarnessError(
        f"{override}: expected one value; several are an axis of the grid: write "
        f"'+grid.mine={{{override.key}: {value}}}'; grid=point leaves out the default grid"
    )


def fit(override: Override, tree: Mapping[str, Any]) -> Override:
    """Return an override in the form of its default: ``metrics=[a]`` for ``metrics=a`` if it is a
    list, ``strict=true`` for ``strict=yes``, ``gate.kind=better`` for ``gate=better``.

    Raises:
        HarnessError: the value has another type than the default.
    """
    value, default = override.value or "", value_at(tree, override.key.split("."))
    is_plain = value[:1] not in ("", "$", "{", "[")
    if isinstance(default, bool) and value[:1] not in ("", "$"):
        words = [word.lower() for word in override.values]
        if wrong := {*words} - {*TRUTHS}:
            raise HarnessError(f"{override}: expected true or false, got {min(wrong)}")
        override = override._replace(value=",".join(map(TRUTHS.__getitem__, words)) or value)
    elif isinstance(default, dict) and is_plain:
        override = _fit_section(override, value, default)
    elif isinstance(default, list) and is_plain:
        override = _fit_list(override, value, default)
    _check_kind(override, value[:1], default, tree)
    knob = KNOB.fullmatch(override.key) and not override.sign and override.value is not None
    return override._replace(sign="++") if knob else override


def _check_kind(override: Override, bracket: str, default: Any, tree: Mapping[str, Any]) -> None:
    """Raise HarnessError for several values of an axis of a grid, for a list in place of a mapping,
    or for a mapping in place of a list.
    """
    if bracket == "[" and _is_axis(override, default, tree):
        raise axis(override)
    if (bracket, type(default)) in (("[", dict), ("{", list)):
        form = "a mapping, as in {name: value}" if bracket == "[" else "a list, as in [a,b]"
        raise HarnessError(f"{override}: expected {form}")


def _fit_list(override: Override, value: str, default: Sequence[Any]) -> Override:
    """Return a lone name as a list of it, if the default is a list of names."""
    is_named = all(isinstance(item, str) for item in default)
    if value == "null" or override.is_several or not is_named:
        return override
    if NO_NAME.fullmatch(value):
        raise HarnessError(
            f"{override}: expected a name, or a list of names, as in {override.key}=[a,b]"
        )
    return override._replace(value=f"[{value}]")


def _fit_section(override: Override, value: str, default: Mapping[str, Any]) -> Override:
    if list(default) == ["kind"]:  # `gate` is the name of a concept of a plug-in, too
        return override._replace(key=f"{override.key}.kind")
    closed = default and "." not in override.key and not holds_strategies(default)
    if closed and not (value == "null" and override.key in MAY_BE_NULL):
        keys = list(map(str, default))
        gold = f"; its gold is gold={value}" if value in names(override.key) else ""
        raise HarnessError(
            f"{override}: expected its keys, as in {override.key}.{keys[0]}=...; it has: "
            f"{', '.join(keys)}{gold}"
        )
    return override


def holds_strategies(section: Mapping[str, Any]) -> bool:
    """Return whether a section is a strategy or has some."""
    nodes = [section, *section.values()]
    return any(isinstance(node, dict) and "_target_" in node for node in nodes)


def for_hydra(overrides: Sequence[Override], tree: Mapping[str, Any]) -> Iterator[str]:
    """Yield overrides that let Hydra replace a typed mapping of lists, or a mapping in a strategy's
    field (``fuser.weights``), where it would merge it.

    Lists that are typed by their strategy (``+retriever@lists.mine=bm25``) stay.
    """
    typed_lists = {override.key.partition("@lists.")[2] for override in overrides}
    default_lists = {*(tree.get("lists") or {})} - typed_lists
    for override in overrides:
        value = override.value or ""
        holder, _, last = override.key.rpartition(".")
        section = value_at(tree, holder.split(".")) if holder else None
        if override.key == "lists" and value.startswith("{"):
            yield from (f"~lists.{name}" for name in sorted(default_lists))
            yield from _list_overrides(override, value)
        elif value.startswith("{") and isinstance(section, dict) and "_target_" in section:
            yield from [f"~{override.key}"] if section.get(last) else []
            yield str(override._replace(sign="++"))
        else:
            yield str(override)


def _list_overrides(override: Override, value: str) -> Iterator[str]:
    """Yield the override of all lists, and one for each list whose name Hydra would not read as a
    text.
    """
    items = [item.partition(":") for item in split(value.strip()[1:-1]) if item.strip()]
    odd = [item for item in items if NO_TEXT.fullmatch(item[0].strip())]
    rest = ",".join("".join(item) for item in items if item not in odd)
    if rest or not odd:
        yield f"++lists={{{rest}}}"
    yield from (f"++lists.{name.strip()}={text.strip()}" for name, _, text in odd)


def check_brackets(override: Override) -> None:
    """Raise HarnessError if a bracket is not closed, or a typed mapping has a name twice."""
    if split(f"{override.value},")[-1]:
        raise unreadable(override.key, override.value or "")
    if not (override.value or "").startswith("{"):
        return
    items = [item.partition(":")[0].strip() for item in split((override.value or "")[1:-1])]
    if twice := [name for place, name in enumerate(items) if name in items[:place]]:
        raise HarnessError(f"{override}: {twice[0]} is repeated; give each its own name")
