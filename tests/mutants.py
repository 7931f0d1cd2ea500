"""`make measure JOB=mutants`: does a test notice when one token of what judges and fuses changes?

First, once for each file of tests, notes which test executes which line
(.pytest_cache/mutants.pickle; half an hour for all, then only for files that changed). Then draws
mutants. One at a time is written into a copy of the tree and into the functions of a process that
has collected all tests, which forks and runs those that execute the line, quickest first, to the
first that fails. Prints each survivor with its line, to be killed by a better test or explained as
equal.

  python tests/mutants.py 100                                       as many mutants, some twenty a minute
  python tests/mutants.py 100 7 harness/evaluation harness/sweep    drawn with seed 7, of these files and folders
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import hashlib
import inspect
import io
import linecache
import os
import pickle
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parent.parent
RECORD = ROOT / ".pytest_cache" / "mutants.pickle"
JUDGED = (
    "harness/evaluation",
    "harness/sweep",
    "harness/fusion",
    "harness/run/run.py",
    "harness/benchmark/split.py",
    "harness/plugins/items",
)
TESTS = (
    "evaluation",
    "fusion",
    "benchmark",
    "run",
    "sweep",
    "plugins/items",
    "command",
    "report/test_archive_contents.py",
)
OTHER = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&": "|",
    "|": "&",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "0": "1",
    "1": "2",
    "2": "3",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "not": "",
}
OPTIONS = ("-q", "-m", "not slow", "-p", "no:cacheprovider", "--ignore-glob=*/test_new.py")
SECONDS = 600
"""A run of tests that takes longer than this has noticed the mutant."""
MOST = 150
"""A mutant is judged by tests that took this many seconds when they were noted."""
SLOWER = 30
"""So has a test that takes longer than this many times its noted time plus a second."""


Mutant = tuple[str, int, int, str, str]
"""A file, a line and column of it, the token there, and its replacement."""


@dataclass
class Tested:
    """A test that passes: its time, and the lines that it executes, as (file, text)."""

    seconds: float
    lines: frozenset[tuple[str, str]]


@dataclass
class Lines:
    """Notes which lines of the files and folders ``judged`` in ``tree`` are executed."""

    tree: Path
    judged: tuple[str, ...]
    left: dict[int, tuple[CodeType, set[int]]] = field(default_factory=dict)
    """The lines of each code that were not executed yet; by its id, which is quicker to look up."""

    def __enter__(self) -> Lines:
        threading.settrace(self.call)
        sys.settrace(self.call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def call(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        if (known := self.left.get(id(code))) is None:
            known = self.left[id(code)] = code, lines_of(code) if self.holds(code) else set()
        return self.line if known[1] else None

    def line(self, frame: FrameType, event: str, argument: object) -> Any:
        self.left[id(frame.f_code)][1].discard(frame.f_lineno)
        return self.line

    def holds(self, code: CodeType) -> bool:
        return os.path.relpath(code.co_filename, self.tree).startswith(self.judged)

    def texts(self) -> frozenset[tuple[str, str]]:
        """The lines as (file, text), which holds when other lines move them."""
        return frozenset(
            (
                os.path.relpath(code.co_filename, self.tree),
                linecache.getline(code.co_filename, line).strip(),
            )
            for code, left in self.left.values()
            if self.holds(code)
            for line in lines_of(code) - left
        )


def lines_of(code: CodeType) -> set[int]:
    return {line for *_, line in code.co_lines() if line is not None}


@functools.cache
def source(path: str) -> str:
    """The text of a file when mutants were drawn, whatever becomes of it meanwhile."""
    return (ROOT / path).read_text()


def mutants(path: str) -> list[tuple[int, int, str, str]]:
    """Line, column, token and its replacement, of code alone: no strings, comments, imports,
    decorators or types.

    Nor ``strict=True`` of a ``zip``, which only guards against mistakes of ours, nor a ``version``,
    which tests/core/test_stages.py compares with the source.
    """
    found, text = [], source(path)
    types = annotated(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        plain = (
            token.type in (tokenize.OP, tokenize.NAME, tokenize.NUMBER) and token.string in OTHER
        )
        plain &= not token.line[: token.start[1]].endswith("strict=")
        plain &= not token.line.lstrip().startswith("version:")
        typed = any(start <= token.start < end for start, end in types)
        if (
            plain
            and not typed
            and not token.line.lstrip().startswith(("from ", "import ", "@", "def ", "class "))
        ):
            found.append((*token.start, token.string, OTHER[token.string]))
    return found


def annotated(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each annotation begins and ends: line and column."""
    nodes = [
        getattr(node, key, None)
        for node in ast.walk(ast.parse(text))
        for key in ("annotation", "returns")
    ]
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in nodes
        if isinstance(node, ast.expr)
    ]


def changed(mutant: Mutant) -> str:
    """The text of the file with the replacement."""
    path, line, column, old, new = mutant
    lines = source(path).splitlines(keepends=True)
    lines[line - 1] = lines[line - 1][:column] + new + lines[line - 1][column + len(old) :]
    return "".join(lines)


def compiles(mutant: Mutant) -> bool:
    """Whether it is Python: the star of a call or of an argument has no other."""
    try:
        compile(changed(mutant), "", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def changed_codes(old: str, new: str) -> tuple[dict[CodeType, CodeType], bool]:
    """What becomes of each function's code, and whether what changes is run on import and no
    function's.
    """
    pairs = list(
        zip(
            *(_codes(compile(text, "", "exec", dont_inherit=True)) for text in (old, new)),
            strict=True,
        )
    )
    own = [before for before, after in pairs if _body(before) != _body(after)]
    return {before: after for before, after in pairs if before != after}, any(
        not code.co_flags & inspect.CO_OPTIMIZED for code in own
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _body(code: CodeType) -> tuple[object, ...]:
    constants = [(type(one), one) for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, code.co_names, code.co_varnames, constants


def forked(seconds: float, work: Callable[..., int], *arguments: object) -> int | None:
    """The exit status of a process of its own, without its output; None where it takes longer."""
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            status = work(*arguments)
        finally:
            os._exit(status)
    end, done, status = time.monotonic() + seconds, 0, 0
    while not done and time.monotonic() < end:
        time.sleep(0.02)
        done, status = os.waitpid(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # with what it has started
    if not done:
        os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) if done else None


@dataclass
class Judge:
    """A plug-in of pytest that runs the collected tests on mutants of a copy of the project."""

    tree: Path
    chosen: Sequence[Mutant]
    items: dict[str, pytest.Item] = field(default_factory=dict)
    tests: dict[str, Tested] = field(default_factory=dict)
    functions: dict[str, list[FunctionType]] = field(default_factory=dict)
    sound: set[str] = field(default_factory=set)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.tests = self.record()
        gc.unfreeze()
        for one in gc.get_objects():
            if type(one) is FunctionType:
                self.functions.setdefault(one.__code__.co_filename, []).append(one)
        gc.freeze()
        alive = 0
        for number, mutant in enumerate(self.chosen, start=1):
            path, line, _, old, new = mutant
            if self.survives(mutant):
                alive += 1
                text = source(path).splitlines()[line - 1].strip()
                print(f"{path}:{line}: {old} -> {new}: {text}", flush=True)
            print(f"{number} of {len(self.chosen)}, {alive} survived", file=sys.stderr, flush=True)
        return True

    def record(self) -> dict[str, Tested]:
        """All tests that pass and what they execute; files of tests that have changed are run
        again.
        """
        known: dict[str, dict[str, Tested]] = (
            pickle.loads(RECORD.read_bytes()) if RECORD.exists() else {}
        )
        files: dict[str, list[str]] = {}
        for name in self.items:
            files.setdefault(name.partition("::")[0], []).append(name)
        keys = {
            f"{path} {hashlib.sha256((ROOT / path).read_bytes()).hexdigest()}": path
            for path in files
        }
        for key, path in keys.items():
            if key not in known:
                print(f"Noting what {path} executes", file=sys.stderr, flush=True)
                found = self.tree / f"found {len(known)}"
                if (status := forked(10 * SECONDS, self.note, files[path], found)) != 0:
                    print(f"{path} is left out: noting it ended with {status}", file=sys.stderr)
                    continue
                known[key] = pickle.loads(found.read_bytes())
                RECORD.parent.mkdir(exist_ok=True)
                RECORD.write_bytes(pickle.dumps(known))
        return {
            name: test
            for key in keys
            for name, test in known.get(key, {}).items()
            if name in self.items
        }

    def note(self, names: Sequence[str], place: Path) -> int:
        """Run tests and write what those execute that pass."""
        found = {}
        for name in names:
            start = time.perf_counter()
            with Lines(self.tree, JUDGED) as lines:
                passes = all(
                    one.passed
                    for one in runtestprotocol(self.items[name], log=False, nextitem=None)
                )
            if passes:
                found[name] = Tested(time.perf_counter() - start, lines.texts())
        place.write_bytes(pickle.dumps(found))
        return 0

    def survives(self, mutant: Mutant) -> bool:
        """Whether the tests pass all the same."""
        path, line, *_ = mutant
        text, other = source(path), changed(mutant)
        tests = self.near(path, text.splitlines()[line - 1].strip())
        codes, on_import = changed_codes(text, other)
        own = self.functions.get(str(self.tree / path), [])
        failure, changing = self.tree / "failure", self.tree / path
        times = changing.stat()
        while tests:
            failure.write_text("")
            changing.write_text(other)  # for what imports it later
            work = self.run_anew if own and (on_import or "@numba.njit" in text) else self.run
            status = forked(SECONDS, work, tests, failure, own, codes)
            changing.write_text(text)
            os.utime(
                changing, ns=(times.st_atime_ns, times.st_mtime_ns)
            )  # by which compiled files are known
            if status == 0:
                return True
            name = failure.read_text()
            alone = [name] if name else tests[:1]  # no name: the run did not begin, or did not end
            if name in self.sound or forked(SECONDS, self.run, alone, failure, [], {}) == 0:
                self.sound |= {name} - {""}
                return False
            print(f"{alone[0]} fails where nothing is changed", file=sys.stderr, flush=True)
            self.tests.pop(alone[0], None)
            tests = [test for test in tests if test != alone[0]]
        return True

    def near(self, path: str, text: str) -> list[str]:
        """The tests that execute a line, quickest first, then those of their files, which may share
        what they made; the first that together took up to MOST seconds.

        Where none executes it (on import, compiled): the tests that execute any line of its file.
        """
        whole = {(path, line.strip()) for line in source(path).splitlines()}
        found = self.that_execute({(path, text)}) or self.that_execute(whole)
        files = {name.partition("::")[0] for name in found}
        shared = [name for name in self.tests if name.partition("::")[0] in files]
        kept, spent = [], 0.0
        for name in dict.fromkeys([*found, *shared]):
            if spent < MOST:
                kept.append(name)
            spent += self.tests[name].seconds
        return kept

    def that_execute(self, lines: set[tuple[str, str]]) -> list[str]:
        found = [name for name, test in self.tests.items() if not lines.isdisjoint(test.lines)]
        return sorted(found, key=lambda name: self.tests[name].seconds)

    def run(
        self,
        names: Sequence[str],
        failure: Path,
        functions: Sequence[FunctionType],
        codes: dict[CodeType, CodeType],
    ) -> int:
        """Run tests to the first that fails or does not end, with other codes of the functions.

        The name of the test that runs is in the file ``failure``.
        """
        for one in functions:
            one.__code__ = codes.get(one.__code__, one.__code__)
        for name, later in zip(names, [*names[1:], None], strict=True):
            following = None if later is None else self.items[later]
            failure.write_text(name)
            signal.alarm(SLOWER * int(1 + self.tests[name].seconds))
            reports = runtestprotocol(self.items[name], log=False, nextitem=following)
            if any(report.failed for report in reports):
                return 1
        return 0

    def run_anew(self, names: Sequence[str], failure: Path, *_: object) -> int:
        """The same with all modules of the project imported again."""
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None)).startswith(str(self.tree)):
                del sys.modules[name]
        return int(pytest.main([*OPTIONS, "-x", *names], [Failure(failure)]))


class Failure:
    """A plug-in of pytest that writes the name of the first test that fails to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.path.read_text():
            self.path.write_text(report.nodeid)


def main(count: int, seed: int, places: list[str]) -> None:
    """Draw, copy the project, and judge in the copy."""
    found = [sorted((ROOT / place).rglob("*.py")) or [ROOT / place] for place in places]
    files = [str(file.relative_to(ROOT)) for own in found for file in own]
    drawn = [(path, *mutant) for path in files for mutant in mutants(path)]
    random.Random(seed).shuffle(drawn)
    chosen = list(islice(filter(compiles, drawn), count))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(
            ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", ".hypothesis", "runs")
        )
        os.chdir(tree)
        sys.path[0] = str(tree)
        os.environ |= {
            "PYTHONPATH": str(tree),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
        }
        sys.dont_write_bytecode = (
            True  # two mutants of a second and a length have one compiled file
        )
        pytest.main([*OPTIONS, "-s", *(f"tests/{name}" for name in TESTS)], [Judge(tree, chosen)])


if __name__ == "__main__":
    main(
        int((sys.argv[1:2] or ["100"])[0]),
        int((sys.argv[2:3] or ["0"])[0]),
        sys.argv[3:] or list(JUDGED),
    )
