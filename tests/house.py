"""Static figures of the code: `make measure JOB=house`.

It also writes ``harness/plugins/brought.json``, from which messages name the plug-in of a strategy
whose folder was deleted.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "harness"
PLUGINS = PACKAGE / "plugins"
MOST = {
    "nodes": 350_000,
    "nodes of the core": 240_000,
    "nodes a line of code": 11,
    "nodes a line of code in the core": 12,
    "branches": 15,
    "files of compare": 45,
    "files of a sweep": 110,
}
"""The bounds of the design; `make measure JOB=house` marks what is above them."""
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
CUT = ("cap", "capped", "effective_cap")
"""Attributes that a function reads if it knows how the pool is cut."""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
BM25_LISTS = ["retriever@lists.dense=bm25", "retriever@lists.graph=bm25", "lists.graph.b=.5"]


def brought() -> dict[str, list[str]]:
    """Return what each plug-in brings: ``<concept>/<name>`` of its configuration and modules, and
    its commands.
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


def lines_of_code(text: str, tree: ast.Module) -> int:
    """Return the number of lines without blanks, comments, docstrings and imports."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node = node.body[0]
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        left_out |= set(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        bool(line.strip()) and line.strip()[0] != "#" and number not in left_out
        for number, line in lines
    )


class Figures:
    """The counts over all modules.

    Attributes:
        nodes, lines: by ``core`` or the plug-in's name.
        errors: calls of HarnessError.
        cuts: functions that read the pool's cut.
        branches: by function.
    """

    def __init__(self) -> None:
        self.nodes, self.lines = Counter[str](), Counter[str]()
        self.errors, self.cuts, self.branches = 0, list[str](), Counter[str]()
        for path in sorted(PACKAGE.rglob("*.py")):
            self.add(path)

    def add(self, path: Path) -> None:
        """Count one module."""
        text = path.read_text(encoding="utf-8")
        tree, parts = ast.parse(text), path.relative_to(PACKAGE).parts
        part = parts[1] if parts[0] == "plugins" and len(parts) > 2 else "core"
        every = list(ast.walk(tree))
        self.nodes[part] += len(every)
        self.lines[part] += lines_of_code(text, tree)
        called = (node.func for node in every if isinstance(node, ast.Call))
        self.errors += sum(getattr(name, "id", "") == "HarnessError" for name in called)
        for node in every:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner, place = list(ast.walk(node)), f"{'/'.join(parts)}:{node.lineno} {node.name}"
                self.branches[place] = 1 + sum(isinstance(one, BRANCHES) for one in inner)
                if any(isinstance(one, ast.Attribute) and one.attr in CUT for one in inner):
                    self.cuts.append(place)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a command that prints which files of the package it enters."""
    return subprocess.Popen(
        [sys.executable, ROOT / "tests" / "entered.py", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def entered(process: subprocess.Popen[str]) -> int:
    """Return how many files of the package a started command enters."""
    out, error = process.communicate()
    if process.returncode:
        raise SystemExit(error)
    return len(json.loads(out.splitlines()[-1]))


def write_runs(folder: Path) -> list[str]:
    """Write two small runs and their gold, and return the arguments that compare them."""
    rows = [{"id": f"q{number}", "supporting_ids": ["a", "b"]} for number in range(20)]
    gold = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "gold.jsonl").write_text(gold, encoding="utf-8")
    for name, ranked in (("one", "abc"), ("two", "cba")):
        lines = [
            f"{row['id']} Q0 {doc} {n} {3 - n} {name}\n"
            for row in rows
            for n, doc in enumerate(ranked)
        ]
        (folder / f"{name}.trec").write_text("".join(lines), encoding="utf-8")
    return ["run=one.trec", "baseline=two.trec", "gold=gold.jsonl"]


def show(name: str, value: float) -> None:
    """Print a figure, and its bound if it is above it."""
    number = f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
    most = MOST.get(name, value)
    print(f"{name:<34}{number:>9}" + (f"   more than {most:,}" if value > most else ""))


def main() -> None:
    """Print the figures and write what the plug-ins bring."""
    text = json.dumps(brought(), indent=1) + "\n"
    (PLUGINS / "brought.json").write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        compare = start(folder, "compare", *write_runs(folder))
        options = ["grid=point", "tracking=none", "paths.runs=runs"]
        sweep = start(folder, "sweep", *BM25_LISTS, *options)
        found = Figures()
        nodes, lines = found.nodes, found.lines
        show("nodes", nodes.total())
        show("nodes of the core", nodes["core"])
        for name in sorted(nodes.keys() - {"core"}):
            show(f"  {name}", nodes[name])
        show("nodes a line of code", nodes.total() / lines.total())
        show("nodes a line of code in the core", nodes["core"] / lines["core"])
        show("HarnessError(", found.errors)
        show("functions that know the pool's cut", len(found.cuts))
        print(*(f"  {one}" for one in found.cuts), sep="\n")
        show("branches", max(found.branches.values()))
        print(*(f"  {number:>2} {one}" for one, number in found.branches.most_common(5)), sep="\n")
        show("files of compare", entered(compare))
        show("files of a sweep", entered(sweep))


if __name__ == "__main__":
    main()
