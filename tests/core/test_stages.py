"""The source of each class that states a ``version``: what it makes is kept under that version.

``stages.json`` has a digest of each such module, without comments, docstrings and layout. Who
changes one raises the ``version`` if the results change, and writes the file again either way:
``python -m tests.core.test_stages``.
"""

import ast
import hashlib
import json
from pathlib import Path

from harness.core.concepts import PACKAGE
from harness.core.configuration.conf_files import defaults, names

FILE = Path(__file__).parent / "stages.json"
KEPT = ("encoder", "extractor", "graph", "retriever", "gate", "reader")
"""The concepts whose results are kept."""


def stages() -> dict[str, list[str]]:
    """By module, its digest and the versions of its classes."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        kinds = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        versions = [f"{kind.name} {version}" for kind in kinds for version in _stated(kind)]
        if versions:
            source = hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest()
            found[path.relative_to(PACKAGE).as_posix()] = [source[:12], *versions]
    return found


def _stated(kind: ast.ClassDef) -> list[object]:
    stated = [node for node in kind.body if isinstance(node, ast.Assign)]
    return [
        node.value.value
        for node in stated
        if ast.unparse(node.targets[0]) == "version" and isinstance(node.value, ast.Constant)
    ]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            del node.body[0]
    return tree


def test_a_source_changes_with_its_version() -> None:
    stored, now = json.loads(FILE.read_text(encoding="utf-8")), stages()
    changed = [name for name in now if stored.get(name) != now[name]]
    assert not changed, (
        "raise the version of the classes whose results changed (then an older artifact is not "
        "read), and write the file again: python -m tests.core.test_stages"
    )


def test_what_is_kept_states_a_version() -> None:
    stated = [one for _, *versions in stages().values() for one in versions]
    kinds = {one.partition(" ")[0] for one in stated}
    for concept in KEPT:
        targets = [defaults(concept, name).get("_target_", "Open") for name in names(concept)]
        assert {target.rpartition(".")[2] for target in targets} - {"Open"} <= kinds


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in stages().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
