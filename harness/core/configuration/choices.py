"""The files of ``conf/<concept>/``: what can be chosen, what each choice is, and its defaults."""

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
    """The configurations of a concept, e.g. all fusers, those of other packages included."""
    return sorted({path.stem for folder in folders() for path in (folder / concept).glob("*.yaml")})


def concepts() -> list[str]:
    """The folders of conf/ that something can be chosen from."""
    return sorted(
        {path.parent.name for folder in folders() for path in folder.glob("*/*.yaml")}
        - {"paths", "display"}
    )


def described(concept: str) -> dict[str, str]:
    """What each configuration of a concept is: the comment at the top of its file, else its class
    in one line.
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
    """The first line of what a class of a module, or else the module, says of itself."""
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
    """The file of a module; its packages are not imported, which may need libraries that are not
    installed.
    """
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or not inner:
        return Path(spec.origin) if spec and spec.origin else None
    places = [Path(folder, *inner) for folder in spec.submodule_search_locations or ()]
    files = (file for place in places for file in (place.with_suffix(".py"), place / "__init__.py"))
    return next(filter(Path.is_file, files), None)


def conf_file(concept: str, name: str) -> Path:
    """Return ``conf/<concept>/<name>.yaml`` of the first folder that has it.

    Raises:
        HarnessError: there is no such name; a path is none.
    """
    for folder in folders() if Path(name).name == name else ():
        if (path := folder / concept / f"{name}.yaml").is_file():
            return path
    raise unknown(concept, name, names(concept))


def defaults(concept: str, name: str) -> dict[str, Any]:
    """Return the keys of ``conf/<concept>/<name>.yaml`` as they stand."""
    return dict(read_conf(conf_file(concept, name)))


def unknown(key: str, name: str, known: Sequence[str]) -> HarnessError:
    """Return the error about a name that no folder of configurations has.

    Args:
        key: the concept, maybe at a place (``retriever@lists.graph``).
        name: what was typed.
        known: the names that there are.
    """
    concept = key.partition("@")[0]
    if lacking := missing_plugin(f"{concept}/{name}"):
        return HarnessError(f"{key}={name} {lacking}")
    if concept == "dataset" and "/" in name:
        return HarnessError(
            f"{key}={name} is no name; a folder of your own is dataset=folder dataset.path={name}"
        )
    return HarnessError(
        f"{key}={name} is not known{nearest(name, known)}; known: {', '.join(known)}"
    )


def strategy(concept: str, name: str, **overrides: Any) -> Any:
    """The strategy of ``conf/<concept>/<name>.yaml``, with some of its fields set."""
    fields = defaults(concept, name)
    known = [field for field in fields if field != "_target_"]
    for key in overrides:
        if key not in known:
            raise HarnessError(
                f"{concept}={name} has no {key}{nearest(key, known)}; it has: "
                f"{', '.join(known) or '-'}"
            )
    return instantiate({**fields, **overrides})
