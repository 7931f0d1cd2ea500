"""Every room has a face: what other rooms import is exported by the room's, or its folder's, ``__init__``.

    python tests/faces.py    # a line for each import past a face, with the name to use; exit status 1 if there is one

A module that lies directly in a room is its own face. At most ``MOST`` faces of a room are used from outside. Plug-ins
of this tree change with it and may enter any module.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "harness"
MOST = {"core": 16, "evaluation": 13, "work": 16}
USUAL = 12


def imports(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, module and name of everything that a file imports from this package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness."):
            yield from ((node.lineno, str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names if alias.name.startswith("harness."))


def is_module(module: str, name: str) -> bool:
    """Whether this is a file of a folder, and no name of the same spelling that the folder's ``__init__`` exports."""
    folder = PACKAGE.parent / module.replace(".", "/")
    if not (folder / f"{name}.py").is_file():
        return False
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("__init__.py*"))
    return f'"{name}"' not in text and f"import {name} as {name}" not in text


def problems(package: Path = PACKAGE) -> list[str]:
    """Imports past a face, and rooms that show too many."""
    found, used = [], defaultdict(set)
    for path in sorted(package.rglob("*.py")):
        own = path.relative_to(package).parts[0]
        if own == "plugins":
            continue
        for line, module, name in imports(path):
            room = module.split(".")[1]
            if room in (own, "plugins"):
                continue
            inside = [*module.split("."), *([name] if is_module(module, name) else [])]
            stub = package.joinpath(*inside[1:3], "__init__.pyi")
            shown = len(inside) == 4 and stub.is_file() and f"from . import {name} as {name}\n" in stub.read_text()
            if len(inside) > 3 and not shown:
                face = ".".join(inside[:3])
                place = f"{path.relative_to(package.parent)}:{line}"
                found.append(f"{place}: {name or module} past the face of {face}; say: from {face} import {name}")
            used[room].add(".".join(inside[:3]))
    for room, faces in sorted(used.items()):
        if len(faces) > MOST.get(room, USUAL):
            found.append(f"harness/{room}: {len(faces)} modules are imported from outside: {', '.join(sorted(faces))}")
    return found


if __name__ == "__main__":
    told = problems()
    print("\n".join(told) or "every room is entered by its face")
    sys.exit(bool(told))
