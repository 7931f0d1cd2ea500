"""Hashes of the code that a result follows from: what runs counts, what is written about it does
not.
"""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from harness.core.identity import identity
from harness.core.input import source
from harness.retriever.bm25 import BM25
from harness.work import sources as module
from harness.work.sources import differing, modules_of, sources

FILES = {
    "__init__.py": "",
    "mine.py": '"""Mine."""\nfrom typing import TYPE_CHECKING\nimport numpy\nfrom .helper import DEPTH\n'
    "from pack import lazy\nif TYPE_CHECKING:\n    from .types import Kind\n\n\ndef work():\n"
    '    """Count."""\n    from . import late  # when it is needed\n    return late.F(DEPTH), '
    "lazy.Name\n",
    "helper.py": "DEPTH = 3\n",
    "late.py": "F = int\n",
    "types.py": "Kind = int\n",
    "other.py": "Other = 1\n",
    "lazy/__init__.py": "import lazy_loader\n",
    "lazy/__init__.pyi": "from .name import Name as Name\nfrom .unread import Unread as Unread\n",
    "lazy/name.py": "Name = 1\n",
    "lazy/unread.py": "Unread = 1\n",
}


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    return tmp_path / "pack"


def forget() -> None:
    """As another process begins."""
    for kept in (source.read_source, module._path, module._places, module._modules):
        kept.cache_clear()
    importlib.invalidate_caches()


def test_a_module_and_what_it_imports_counts_wherever_the_import_stands(pack: Path) -> None:
    assert list(sources(["pack.mine"])) == [
        "pack",
        "pack.helper",
        "pack.late",
        "pack.lazy",
        "pack.lazy.name",
        "pack.mine",
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "changed"),
    [
        ("mine.py", '"""Mine."""', '"""Ours,\n\nnow longer."""', ""),
        ("mine.py", '"""Count."""\n', "\n\n", ""),
        ("mine.py", "when it", "# where it", ""),
        ("mine.py", "F(DEPTH)", "F(DEPTH + 1)", "pack.mine"),
        ("helper.py", "3", "4", "pack.helper"),
        ("lazy/name.py", "1", "2", "pack.lazy.name"),
        ("lazy/unread.py", "1", "2", ""),
        ("types.py", "int", "str", ""),
        ("other.py", "1", "2", ""),
        ("mine.py", "from .helper import DEPTH", "DEPTH = 3", "pack.helper and 1 more"),
        ("late.py", "F = int", "F = (", "pack.late"),
    ],
)
def test_what_runs_changes_the_hash(
    pack: Path, name: str, old: str, new: str, changed: str
) -> None:
    before = sources(["pack.mine"])
    text = (pack / name).read_text()
    assert old in text
    (pack / name).write_text(text.replace(old, new))
    forget()
    assert differing(before, sources(["pack.mine"])) == changed


def test_what_was_parsed_once_is_kept_by_the_hash_of_the_text(
    pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    before = sources(["pack.mine"])
    with monkeypatch.context() as patch:
        patch.setattr(source, "_parse", lambda *_: pytest.fail("parsed again"))
        forget()
        assert sources(["pack.mine"]) == before
    for kept in (pack / "__pycache__").glob("*.parsed"):
        kept.write_text('{"text": 1')
    forget()
    assert sources(["pack.mine"]) == before


def test_of_a_strategy_it_is_its_class_s_module_with_the_project_s_own(pack: Path) -> None:
    found = sources(modules_of(identity(BM25())))
    assert {
        "harness.retriever.bm25",
        "harness.benchmark.benchmark",
        "harness.run.run",
    } <= found.keys()
    assert not [
        name
        for name in found
        if name.split(".")[0] != "harness" or "command" in name or "report" in name
    ]


def test_what_a_session_typed_is_known_by_its_code() -> None:
    """There is no file, so the functions and the plain values that they read are hashed."""
    typed = (
        "from harness.work.sources import sources\nK = {k}\nclass Mine:\n    def retrieve(self):\n"
        "        return {expression}\nunread = {unread}\nprint(sources(['__main__']))"
    )

    def run(k: int = 1, expression: str = "K + 1", unread: int = 0) -> str:
        text = typed.format(k=k, expression=expression, unread=unread)
        done = subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True
        )
        return done.stdout

    first = run()
    assert run(unread=1) == first
    assert len({first, run(k=2), run(expression="K + 2")}) == 3
