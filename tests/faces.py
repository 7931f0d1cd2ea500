"""Every room has a face: what other rooms import is exported by the room's, or its folder's,
``__init__``.

    python tests/faces.py    # a line for each import past a face, with the name to use; exit status 1 if there is one

A module that lies directly in a room is its own face. At most ``MOST`` faces of a room are used by
other rooms. A plug-in may also enter the modules of a concept, which anybody may extend
(``harness.fusion.fuser.shares``); of another plug-in it enters modules that lie directly in a
folder of that one, and says so in its ``NEEDS``.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from harness.core.concepts import ROOMS

PACKAGE = Path(__file__).parents[1] / "harness"
CONCEPTS = {*ROOMS, "figure"}
MOST = {"core": 16, "evaluation": 13, "sweep": 13, "work": 16}
USUAL = 12


def imports(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, module and name of everything that a file imports from this package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness."):
            yield from ((node.lineno, str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (
                (node.lineno, alias.name, "")
                for alias in node.names
                if alias.name.startswith("harness.")
            )


def is_module(module: str, name: str) -> bool:
    """Whether this is a file of a folder, and no name of the same spelling that the folder's
    ``__init__`` exports.
    """
    folder = PACKAGE.parent / module.replace(".", "/")
    if not (folder / f"{name}.py").is_file():
        return False
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("__init__.py*"))
    return f'"{name}"' not in text and f"import {name} as {name}" not in text


def face_of(inside: list[str], plugin: bool) -> str:
    """What may be entered of a module, ``["harness", "fusion", ...]``, by another room or
    plug-in.
    """
    if inside[1] == "plugins":
        return ".".join(inside[:5])
    return ".".join(inside[: 4 if plugin and inside[2:3] and inside[2] in CONCEPTS else 3])


def needs(plugin: Path) -> set[str]:
    """The plug-ins that one says it needs."""
    tree = ast.parse((plugin / "__init__.py").read_text(encoding="utf-8"))
    said = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NEEDS"
    ]
    return set(ast.literal_eval(said[0])) if said else set()


def problems(package: Path = PACKAGE) -> list[str]:
    """Imports past a face, plug-ins that are not named in NEEDS, and rooms that show too many."""
    found, used = [], defaultdict(set)
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        plugin = parts[0] == "plugins" and len(parts) > 2
        own = list(parts[: 2 if plugin else 1])
        for line, module, name in imports(path):
            inside = [*module.split("."), *([name] if is_module(module, name) else [])]
            if inside[1 : 1 + len(own)] == own or (inside[1] == "plugins" and not plugin):
                continue
            place = f"{path.relative_to(package.parent)}:{line}"
            if inside[1] == "plugins" and inside[2] not in needs(package / "plugins" / own[1]):
                found.append(
                    f"{place}: enters the plug-in {inside[2]}; its __init__ must say NEEDS = "
                    f"({inside[2]!r},)"
                )
            face = face_of(inside, plugin)
            stub = package.joinpath(*inside[1:3], "__init__.pyi")
            shown = (
                len(inside) == 4
                and stub.is_file()
                and f"from . import {name} as {name}\n" in stub.read_text()
            )
            if len(inside) > face.count(".") + 1 and not shown:
                found.append(
                    f"{place}: {name or module} past the face of {face}; say: from {face} import "
                    f"{name}"
                )
            if not plugin:
                used[inside[1]].add(face)
    for room, faces in sorted(used.items()):
        if len(faces) > MOST.get(room, USUAL):
            found.append(
                f"harness/{room}: {len(faces)} modules are imported from outside: "
                f"{', '.join(sorted(faces))}"
            )
    return found


if __name__ == "__main__":
    told = problems()
    print("\n".join(told) or "every room is entered by its face")
    sys.exit(bool(told))
