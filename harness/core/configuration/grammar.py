"""Values as Hydra's grammar reads them: numbers, texts, null, lists and mappings.

Most values are YAML except for their colons. Escapes, interpolations and Hydra's functions are read
by Hydra's own parser, which takes a fifth of a second to load.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import yaml

from harness.core.errors import HarnessError, described


class ConfLoader(yaml.CSafeLoader):
    """A YAML loader with OmegaConf's rules: ``1e-5`` is a number, ``2024-01-01`` is a text, and a
    key may not be repeated.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012
        letter: [(tag, form) for tag, form in pairs if not tag.endswith((":timestamp", ":float"))]
        for letter, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping. Raise ConstructorError if a key is repeated."""
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := next((key for key in keys if keys.count(key) > 1), None):
            raise yaml.constructor.ConstructorError(
                None, None, f"{twice} stands twice", node.start_mark
            )
        return super().construct_mapping(node, deep)


ConfLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"[-+]?(\d[\d_]*\.[\d_]*(e[-+]?\d+)?|\d[\d_]*e[-+]?\d+|\.\d[\d_]*(e[-+]\d+)?|\.inf)$"
        r"|\.nan$",
        re.IGNORECASE,
    ),
    list("-+0123456789."),
)


def read_conf(path: Path) -> dict[str, Any]:
    """Return the keys of a file of conf/. The mapping is shared: copy it before changing it."""
    return _read(path, path.stat().st_mtime_ns)


@functools.cache
def _read(path: Path, modified: int) -> dict[str, Any]:
    try:
        found = yaml.load(path.read_text(encoding="utf-8"), ConfLoader) or {}
    except yaml.YAMLError as error:
        raise HarnessError(f"{path}: broken YAML ({' '.join(str(error).split())})") from error
    if not isinstance(found, dict):
        raise HarnessError(f"{path}: expected keys with values, got {described(found)}")
    return found


ALIKE = re.compile(r"""(?:[\w/.:@%+*?| ,\[\]{}-]|'[^'\\]*'|"[^"\\]*")*""", re.ASCII)
"""Texts that YAML and Hydra read in the same way."""
COLON = re.compile(r"""([{,]\s*[^\s{}\[\],:'"][^{}\[\],:'"]*):""")
"""A name of a mapping. YAML needs a blank after its colon."""
TYPES = {
    "int": r"[-+]?(?:0|[1-9]\d*)$",
    "float": r"[-+]?(?:(?:0|[1-9]\d*)?\.\d+|(?:0|[1-9]\d*)\.?)(?:e[-+]?\d+)?$",
    "like a number": r"[-+]?[\d_]*\.?[\d_]*(?:e[-+]?\d+)?$|[-+]?(?:inf|nan)$",
    "bool": r"(?:true|false)$",
    "null": r"null$",
}
"""The types of words without quotes, the first that fits. Only Hydra can tell whether texts such as
``1_000`` and ``007`` are numbers.
"""
QUOTES = "'\""


def parse(key: str, value: str, alone: bool = False) -> Any:
    """Return the value that was typed for a key.

    Args:
        key: the key.
        value: the text.
        alone: whether the key takes no list, for the mend.

    Raises:
        HarnessError: the value cannot be read, or there are several values.
    """
    if value == "":
        return ""
    if ALIKE.fullmatch(value):
        text = "[" + COLON.sub(r"\1: ", value) + "]"
        try:
            found = _TypedLoader(text).get_single_data()
        except (yaml.YAMLError, ValueError):
            found = []
        except KeyError as error:
            (name,) = error.args
            message = f"{key}={value}: {name} is repeated; give each its own name"
            raise HarnessError(message) from error
        if len(found) == 1:
            return found[0]
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    try:
        (override,) = OverridesParser.create().parse_overrides([f"key={value}"])
    except OverrideParseException as error:
        nested = value.startswith(("{", "["))
        if nested and sum(map(value.count, "[{")) > sum(map(value.count, "]}")):
            raise HarnessError(
                f"{key}={value}: a bracket is opened and not closed; a value with blanks needs "
                f"quotes, as in '{key}=[5, 10]'"
            ) from error
        if nested and re.search(r"[\[{,:]\s*[,\]}]", value):
            raise HarnessError(
                f"{key}={value}: a value is missing beside a comma or a colon"
            ) from error
        mend = '{name: "..."}' if nested else f'"{value.strip(QUOTES)}"'
        raise HarnessError(
            f"{key}={value} cannot be read as it is typed; such a text, or name, needs quotes "
            f"within those of the shell: '{key}={mend}'"
        ) from error
    if override.is_sweep_override():
        raise HarnessError(f"{key}={value}: {_several(key, value, alone)}")
    return override.value()


def _several(key: str, value: str, alone: bool) -> str:
    """Return the message about several values, with the forms of a list and of a job for each."""
    if key == "lists":
        named = value
        if ":" not in value:
            named = re.sub(r"(?:[^,/]*/)*([^,./]+)[^,]*", r"\1: \g<0>", value)
        return f"name each list, as in '{key}={{{named}}}'"
    listed = "" if "(" in value or alone else f"a list is {key}=[{value}], "
    if re.fullmatch(r"[-+]?[0-9]+,[0-9]+", value):
        listed += f"with a decimal point {key}={value.replace(',', '.')}, "
    return f"several values; {listed}with -m a job for each: -m {key}={value}"


class _TypedLoader(yaml.CSafeLoader):
    """A YAML loader with the types of Hydra's grammar.

    It raises KeyError for a repeated name, and ValueError for what Hydra may read differently.
    """

    yaml_implicit_resolvers = {}  # noqa: RUF012

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping."""
        if self.text[node.start_mark.index] != "{":  # [a: b]
            raise ValueError(self.text)
        names = [self.construct_object(name) for name, _ in node.value]
        if twice := [name for place, name in enumerate(names) if name in names[:place]]:
            raise KeyError(twice[0])
        return super().construct_mapping(node, deep)

    def refuse(self, node: yaml.ScalarNode) -> None:
        """Raise ValueError for a word like a number."""
        raise ValueError(node.value)


for name, pattern in TYPES.items():
    tag = f"tag:yaml.org,2002:{name}"
    _TypedLoader.add_implicit_resolver(tag, re.compile(pattern, re.IGNORECASE), None)
_TypedLoader.add_constructor("tag:yaml.org,2002:like a number", _TypedLoader.refuse)
