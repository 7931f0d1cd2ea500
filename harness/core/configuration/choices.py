"""The files of ``conf/<concept>/``: their names, descriptions and defaults."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.core.configuration.conf_file import read_conf
from harness.core.configuration.extensions import folders, missing_plugin
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError, nearest


def names(concept: str) -> list[str]:
    """Return the names of all configurations of a concept, including those of other packages."""
    return sorted({path.stem for folder in folders() for path in (folder / concept).glob("*.yaml")})


def concepts() -> list[str]:
    """Return the folders of conf/ from which a name can be chosen."""
    return sorted(
        {path.parent.name for folder in folders() for path in folder.glob("*/*.yaml")}
        - {"paths", "display"}
    )


def described(concept: str) -> dict[str, str]:
    """Return the description of each configuration of a concept.

    It is the comment at the top of the file, or the first line of the class's docstring.
    """
    paths = [path for folder in folders() for path in (folder / concept).glob("*.yaml")]
    return {path.stem: _described(path) for path in sorted(paths, key=lambda path: path.stem)}


def _described(path: Path) -> str:
    lines = (
        line
        for line in path.read_text(encoding="utf-8").split("\n")
        if not line.startswith("# @package")
    )
    first = next(lines, "")
    module, _, name = str(read_conf(path).get("_target_", "")).rpartition(".")
    if first.startswith("#") or not module:
        return first.lstrip("# ")
    return _docstring(module, name)


def _docstring(module: str, name: str) -> str:
    """Return the first line of the docstring of a class, or else of its module."""
    source = _source(module)
    tree = ast.parse(source.read_text(encoding="utf-8") if source else "")
    found = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
    ]
    docs = [ast.get_docstring(node) or "" for node in [*found, tree]]
    return next((" ".join(doc.partition("\n\n")[0].split()) for doc in docs if doc), "")


def _source(module: str) -> Path | None:
    """Return the file of a module without importing its packages, which may need other
    libraries.
    """
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or not inner:
        return Path(spec.origin) if spec and spec.origin else None
    places = [Path(folder, *inner) for folder in spec.submodule_search_locations or ()]
    files = (file for place in places for file in (place.with_suffix(".py"), place / "__init__.py"))
    return next(filter(Path.is_file, files), None)


def conf_file(concept: str, name: str) -> Path:
    """Return ``conf/<concept>/<name>.yaml`` from the first folder that has it.

    Raises:
        HarnessError: there is no such name, or the name is a path.
    """
    for folder in folders() if Path(name).name == name else ():
        if (path := folder / concept / f"{name}.yaml").is_file():
            return path
    raise unknown(concept, name, names(concept))


def defaults(concept: str, name: str) -> dict[str, Any]:
    """Return the keys of ``conf/<concept>/<name>.yaml``."""
    return dict(read_conf(conf_file(concept, name)))


def unknown(key: str, name: str, known: Sequence[str]) -> HarnessError:
    """Return the error about a name that no folder of configurations has.

    Args:
        key: the concept, possibly with a place (``retriever@lists.graph``).
        name: the name that was typed.
        known: the names that exist.
    """
    concept = key.partition("@")[0]
    if lacking := missing_plugin(f"{concept}/{name}"):
        message = lacking
    elif concept == "dataset" and name and ("/" in name or Path(name).exists()):
        message = f"is not a name; your own folder is dataset=folder dataset.path={name}"
    else:
        message = f"is not known{nearest(name, known)}; known: {', '.join(known)}"
    return HarnessError(f"{key}={name} {message}")


def strategy(concept: str, name: str, **overrides: Any) -> Any:
    """Return the strategy of ``conf/<concept>/<name>.yaml`` with some of its fields set."""
    fields = defaults(concept, name)
    known = [field for field in fields if field != "_target_"]
    for key in overrides:
        if key not in known:
            raise HarnessError(
                f"{concept}={name} has no {key}{nearest(key, known)}; it has: "
                f"{', '.join(known) or '-'}"
            )
    return instantiate({**fields, **overrides})
