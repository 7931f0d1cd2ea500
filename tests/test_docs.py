"""The documentation: its code runs and prints what it says, it builds strictly, and it has every public name."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import harness

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "reports" / "docs"
BLOCK = re.compile(r"^<!-- run ?(?P<how>.*?) ?-->\n```(?P<kind>python|pycon|console)\n(?P<text>.*?)^```$", re.M | re.S)
PAGES = sorted(path.stem for path in (DOCS / "pages").glob("*.md"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def same(expected: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(expected, found, FLAGS)


@dataclass
class Session:
    """The blocks of one page share names and a folder."""

    folder: Path
    names: dict[str, Any]

    def python(self, text: str, how: str) -> None:
        exec(compile(text, "<page>", "exec"), self.names)

    def pycon(self, text: str, how: str) -> None:
        test = doctest.DocTestParser().get_doctest(text, self.names, "page", None, None)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(test, out=report.append, clear_globs=False)
        self.names.update(test.globs)
        assert not runner.failures, "".join(report)

    def console(self, text: str, how: str) -> None:
        for part in re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            assert command.startswith("harness "), command
            done = subprocess.run(
                command.replace("harness", f"{sys.executable} -m harness", 1),
                shell=True,
                cwd=self.folder,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
            )
            assert done.returncode == (2 if "fails" in how else 0), done.stdout
            assert not expected or same(expected, done.stdout), f"$ {command}\n{done.stdout}"


def run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, slow: bool) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("HARNESS_RUNS", raising=False)
    session = Session(folder, {"__name__": "page"})
    for found in BLOCK.finditer((DOCS / "pages" / f"{page}.md").read_text(encoding="utf-8")):
        if slow or "slow" not in found["how"]:
            getattr(session, found["kind"])(found["text"], found["how"])


@pytest.mark.parametrize("page", PAGES)
def test_code_on_a_page_does_what_it_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "page", type(sys)("page"))
    run(page, tmp_path, monkeypatch, slow=False)


@pytest.mark.slow
def test_the_first_five_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("start", tmp_path, monkeypatch, slow=True)


def public() -> Iterator[tuple[str, Any]]:
    """Every public function and class of the package, and their public methods, by full name."""
    for info in pkgutil.walk_packages(harness.__path__, "harness."):
        if info.name.rpartition(".")[2].startswith("_"):
            continue
        module = importlib.import_module(info.name)
        yield info.name, module
        for name, thing in vars(module).items():
            thing = getattr(thing, "py_func", thing)
            plain = inspect.isclass(thing) or inspect.isfunction(thing)
            if plain and not name.startswith("_") and thing.__module__ == info.name:
                yield f"{info.name}.{name}", thing


def test_every_public_name_says_what_it_is() -> None:
    silent = [name for name, thing in public() if not (inspect.getdoc(thing) or "").strip()]
    assert not silent, "\n".join(silent)


TENSORS = re.compile(r"\b(Tensor|NDArray|ndarray)\b")
SHAPE = re.compile(r"(?:float|int|bool|tensor )\d*\[[^\]]+\]", re.I)


def test_public_functions_of_arrays_say_their_shapes() -> None:
    """In their own docstring, or in that of their class or module."""
    silent = []
    for name, thing in public():
        if not inspect.isfunction(thing) or not TENSORS.search(str(thing.__annotations__.get("return", ""))):
            continue
        texts = [inspect.getdoc(thing) or "", importlib.import_module(thing.__module__).__doc__ or ""]
        if not any(SHAPE.search(text) for text in texts):
            silent.append(name)
    assert not silent, "\n".join(silent)


def test_every_strategy_names_its_source_or_formula() -> None:
    """A strategy's docstring has a formula (an equals sign or arrow) or names where it comes from."""
    silent = []
    for concept in ("normalizer", "temperature", "fuser"):
        for path in sorted((ROOT / "harness" / concept).glob("[a-z]*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if not (ROOT / "conf" / concept / path.name).with_suffix(".yaml").is_file():
                continue
            texts = [
                ast.get_docstring(node) or ""
                for node in [tree, *tree.body]
                if isinstance(node, (ast.Module, ast.ClassDef))
            ]
            if not re.search(r"=|\((PG|ADR|PhaseGraph|DICE)", " ".join(texts)):
                silent.append(str(path))
    assert not silent, "\n".join(silent)


def inventory(path: Path) -> set[str]:
    """The names that a Sphinx inventory holds."""
    data = path.read_bytes().split(b"\n", 4)[4]
    return {line.split(" ")[0] for line in zlib.decompress(data).decode().splitlines()}


def test_the_site_is_strict_whole_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings", reason="the extra `docs` is not installed")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-q",
        "-f",
        str(DOCS / "mkdocs.yml"),
        "-d",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=DOCS)
    assert done.returncode == 0, done.stdout + done.stderr
    missing = {name for name, _ in public()} - inventory(tmp_path / "objects.inv")
    assert missing == set()
    for page in tmp_path.rglob("*.html"):
        assert not re.search(r'(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"', page.read_text(encoding="utf-8")), page
