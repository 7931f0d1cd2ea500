"""The YAML files of conf/, read by OmegaConf's rules."""

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
        content = yaml.load(path.read_text(encoding="utf-8"), ConfLoader) or {}
    except yaml.YAMLError as error:
        raise HarnessError(f"{path}: broken YAML ({' '.join(str(error).split())})") from error
    if not isinstance(content, dict):
        raise HarnessError(f"{path}: expected keys with values, got {described(content)}")
    return content
