"""Figures of the house, and what its plug-ins bring: `make house`.

    python tests/house.py    # lines and files of the core and of each plug-in; files that commands enter; branches;
                              # lines with a dictionary whose values may be anything

It also writes ``harness/plugins/brought.json``, by which a plug-in that was deleted is named when
it is asked for.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "harness"
PLUGINS = PACKAGE / "plugins"
LINES, FILES, PLUGIN, FREE, ENTERED = 28_000, 310, 4_000, 60, {"sweep": 130, "compare": 55}
"""The most of each: what `make house` marks where there is more."""
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.While,
    ast.ExceptHandler,
    ast.comprehension,
    ast.match_case,
    ast.BoolOp,
)


def brought() -> dict[str, list[str]]:
    """``<concept>/<name>`` of each configuration and module, and each command, by the plug-in that
    brings it.
    """
    found = {}
    for folder in sorted(path.parent for path in PLUGINS.glob("*/__init__.py")):
        configured = folder / "conf"
        own = [
            path
            for path in configured.rglob("*.yaml")
            if not (ROOT / "conf" / path.relative_to(configured)).is_file()
        ]
        names = [path.relative_to(configured).with_suffix("").as_posix() for path in own]
        inside = [path for path in folder.glob("*/*.py") if path.stem != "__init__"]
        names += [
            path.stem if path.parent.name == "command" else f"{path.parent.name}/{path.stem}"
            for path in inside
        ]
        found[folder.name] = sorted({name for name in names if "__pycache__" not in name})
    return found


def sources(folder: Path) -> list[Path]:
    """The modules and stubs of a folder."""
    return sorted(path for pattern in ("*.py", "*.pyi") for path in folder.rglob(pattern))


def count(paths: Iterable[Path]) -> int:
    """Lines of some files."""
    return sum(len(path.read_bytes().splitlines()) for path in paths)


def free(path: Path) -> int:
    """Lines of a file with a dictionary whose values may be anything."""
    return sum(
        "dict[str, Any]" in line or "Mapping[str, Any]" in line
        for line in path.read_text("utf-8").split("\n")
    )


def branches(path: Path) -> list[tuple[int, str]]:
    """Branches of each function of a file, and where it is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    place = path.relative_to(ROOT)
    return [
        (
            1 + sum(isinstance(inner, BRANCHES) for inner in ast.walk(node)),
            f"{place}:{node.lineno} {node.name}",
        )
        for node in functions
    ]


def entered(*arguments: str) -> int:
    """How many files of the package a command enters."""
    script = ROOT / "tests" / "entered.py"
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(
            [sys.executable, script, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    return len(json.loads(done.stdout.splitlines()[-1]))


def compared() -> int:
    """How many files `harness compare` of two small runs enters."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        rows = [{"id": f"q{number}", "supporting_ids": ["a", "b"]} for number in range(20)]
        (place / "gold.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
        for name, ranked in (("one", "abc"), ("two", "cba")):
            lines = [
                f"{row['id']} Q0 {doc} {n} {3 - n} {name}\n"
                for row in rows
                for n, doc in enumerate(ranked)
            ]
            (place / f"{name}.trec").write_text("".join(lines), encoding="utf-8")
        files = [
            f"run={place / 'one.trec'}",
            f"baseline={place / 'two.trec'}",
            f"gold={place / 'gold.jsonl'}",
        ]
        return entered("compare", *files)


def mark(value: int, most: int) -> str:
    """The number, and the most that it may be where it is more."""
    return f"{value}" + (f"   more than {most}" if value > most else "")


def main() -> None:
    """Print the figures and write what the plug-ins bring."""
    text = json.dumps(brought(), indent=1) + "\n"
    (PLUGINS / "brought.json").write_text(text, encoding="utf-8")
    inside = {folder: sources(PLUGINS / folder) for folder in brought()}
    core = [path for path in sources(PACKAGE) if PLUGINS not in path.parents]
    print(f"core       lines {mark(count(core), LINES)}\n           files {mark(len(core), FILES)}")
    for name, paths in inside.items():
        print(f"{name:<10} lines {mark(count(paths), PLUGIN)}, files {len(paths)}")
    sweep = entered("sweep", "grid=point", "tracking=none", "paths.runs=runs")
    print(f"`harness sweep` enters files {mark(sweep, ENTERED['sweep'])}")
    print(f"`harness compare` enters files {mark(compared(), ENTERED['compare'])}")
    print(
        "lines with dict[str, Any] or Mapping[str, Any]: "
        f"{mark(sum(map(free, sources(PACKAGE))), FREE)}"
    )
    many = sorted((found for path in sources(PACKAGE) for found in branches(path)), reverse=True)
    print(
        f"functions of more than 10 branches: {sum(number > 10 for number, _ in many)}; the most:"
    )
    print(*(f"  {number:>3} {place}" for number, place in many[:5]), sep="\n")


if __name__ == "__main__":
    main()
