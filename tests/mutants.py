"""`make mutants`: does a test notice when one token of what judges and fuses changes?

Draws mutants (a seeded sample), applies one at a time to a copy of the tree, and runs the tests of the mutant's own
file and folder. Prints each survivor with its line, to be killed by a better test or explained as equal.

  python tests/mutants.py 300           as many mutants, about four a minute
  python tests/mutants.py 20 statistic  those of files whose path holds the word
"""

from __future__ import annotations

import ast
import io
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import tokenize
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parent.parent
FOLDERS = {
    "harness/evaluation": ["tests/evaluation", "tests/command/test_repeats.py", "tests/command/test_compare.py"],
    "harness/fusion/fuser": ["tests/fusion/fuser"],
    "harness/fusion/normalizer": ["tests/fusion/normalizer"],
    "harness/fusion/temperature": ["tests/fusion/temperature"],
    "harness/fusion/pool.py": ["tests/fusion"],
    "harness/run/run.py": ["tests/run", "tests/evaluation/metric"],
    "harness/benchmark/cluster.py": ["tests/benchmark/test_cluster.py"],
    "harness/sweep/judge/edge.py": ["tests/sweep/judge/test_edge.py"],
    "harness/sweep/judge/foresight.py": ["tests/sweep/judge/test_foresight.py"],
    "harness/sweep/judge/judgement.py": ["tests/sweep/test_protocol.py", "tests/sweep/judge/test_foresight.py"],
    "harness/sweep/judge/selection.py": ["tests/sweep/judge/test_selection.py"],
    "harness/sweep/folder": ["tests/sweep/folder"],
    "harness/sweep/trial": ["tests/sweep/trial"],
    "harness/sweep/verify.py": ["tests/sweep/test_verify.py"],
    "harness/plugins/items": ["tests/plugins/items"],
    "harness/sweep/judge/trial_table.py": ["tests/sweep/test_protocol.py"],
    "harness/sweep/judge/choice.py": ["tests/sweep/test_protocol.py"],
    "harness/sweep/heldout": [
        "tests/sweep/heldout",
        "tests/sweep/judge/test_foresight.py",
        "tests/command/test_own_split.py",
    ],
}
OTHER = {
    "+": "-", "-": "+", "*": "/", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&": "|", "|": "&", "and": "or", "or": "and", "True": "False", "False": "True", "0": "1", "1": "2", "2": "3",
    "min": "max", "max": "min", "any": "all", "all": "any", "not": "",
}  # fmt: skip
FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["hypothesis", "numba", "pandas", "pytest", "scipy.stats", "statsmodels.api", "torch"])
SECONDS = 600
"""A test run that takes longer than this has noticed the mutant."""


def mutants(path: Path) -> list[tuple[int, int, str, str]]:
    """Line, column, token and its replacement, of code alone: no strings, comments, imports, decorators or types."""
    found, text = [], path.read_text()
    types = annotations(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        plain = token.type in (tokenize.OP, tokenize.NAME, tokenize.NUMBER) and token.string in OTHER
        typed = any(start <= token.start < end for start, end in types)
        if plain and not typed and not token.line.lstrip().startswith(("from ", "import ", "@", "def ", "class ")):
            found.append((*token.start, token.string, OTHER[token.string]))
    return found


def annotations(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each annotation begins and ends: line and column."""
    nodes = [getattr(node, key, None) for node in ast.walk(ast.parse(text)) for key in ("annotation", "returns")]
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in nodes
        if isinstance(node, ast.expr)
    ]


def nearest_first(path: Path, tests: list[str]) -> list[str]:
    """The tests, those of the very file before the rest: most mutants are noticed there, and the run stops."""
    own = Path("tests", *path.parts[1:-1], f"test_{path.name}")
    return [str(own), *tests] if (ROOT / own).is_file() else tests


def survives(tree: Path, path: Path, mutant: tuple[int, int, str, str], tests: list[str]) -> bool:
    """Whether the tests pass all the same."""
    line, column, old, new = mutant
    text = (ROOT / path).read_text()
    lines = text.splitlines(keepends=True)
    lines[line - 1] = lines[line - 1][:column] + new + lines[line - 1][column + len(old) :]
    (tree / path).write_text("".join(lines))
    try:
        return passes(tree, tests)
    finally:
        (tree / path).write_text(text)


def passes(tree: Path, tests: list[str]) -> bool:
    """Whether the tests of a tree pass, within ``SECONDS``."""
    process = FORKED.Process(target=run_tests, args=(tree, tests))
    try:
        process.start()
        process.join(SECONDS)
        return process.exitcode == 0
    finally:
        process.kill()
        process.join()


def run_tests(tree: Path, tests: list[str]) -> NoReturn:
    """Run tests of the tree, in a process that has the great libraries already; its exit code is pytest's."""
    import pytest

    os.chdir(tree)
    os.environ["PYTHONPATH"] = sys.path[0] = str(tree)
    with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        code = pytest.main(["-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", *tests])
    os._exit(int(code))


def main(count: int, word: str = "") -> None:
    """Draw, run and print."""
    drawn = []
    for folder, tests in FOLDERS.items():
        place = ROOT / folder
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            path = file.relative_to(ROOT)
            drawn += [(path, mutant, tests) for mutant in mutants(file) if word in str(path)]
    chosen = random.Random(0).sample(drawn, min(count, len(drawn)))
    alive, sound = 0, set[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "runs", "__pycache__"))
        for number, (path, mutant, tests) in enumerate(chosen, start=1):
            if not sound.issuperset(tests) and not passes(tree, tests):
                sys.exit(f"{' '.join(tests)}: a test fails before anything is changed, and would notice every mutant")
            sound.update(tests)
            if survives(tree, path, mutant, nearest_first(path, tests)):
                alive += 1
                line = (ROOT / path).read_text().splitlines()[mutant[0] - 1].strip()
                print(f"{path}:{mutant[0]}: {mutant[2]} -> {mutant[3]}: {line}", flush=True)
            print(f"{number} of {len(chosen)}, {alive} survived", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, *sys.argv[2:3])
