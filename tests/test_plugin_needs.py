"""A plug-in that imports another one says so in its ``NEEDS``."""

import ast
from pathlib import Path

import pytest

from harness.core.concepts import PLUGINS


def imported(plugin: Path) -> set[str]:
    """The other plug-ins that the modules of a plug-in import."""
    modules = {
        tuple(str(node.module).split("."))
        for path in plugin.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness.plugins.")
    }
    return {parts[2] for parts in modules} - {plugin.name}


def needs(plugin: Path) -> set[str]:
    """The plug-ins that ``NEEDS`` of a plug-in names."""
    for node in ast.parse((plugin / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NEEDS":
            return set(ast.literal_eval(node.value))
    return set()


@pytest.mark.parametrize("plugin", sorted(PLUGINS.glob("[a-z]*/")), ids=lambda path: path.name)
def test_a_plugin_names_the_plugins_that_it_imports(plugin: Path) -> None:
    assert imported(plugin) <= needs(plugin)
