"""Rooms are entered by their faces, and the check notices what is not."""

import shutil
from pathlib import Path

import pytest

from tests import faces


def test_every_import_goes_through_a_face() -> None:
    assert faces.problems() == []


def test_an_import_past_a_face_is_told_with_the_name_to_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(
        faces.PACKAGE, tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__", "conf")
    )
    monkeypatch.setattr(faces, "PACKAGE", tmp_path / "harness")
    (tmp_path / "harness" / "run" / "more.py").write_text(
        "from harness.core.table.format import percent\n"
    )
    assert faces.problems(tmp_path / "harness") == [
        "harness/run/more.py:1: percent past the face of harness.core.table; "
        "say: from harness.core.table import percent"
    ]


def test_a_plugin_that_enters_another_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(
        faces.PACKAGE, tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__", "conf")
    )
    monkeypatch.setattr(faces, "PACKAGE", tmp_path / "harness")
    lines = [
        "fusion.fuser.shares import total",
        "core.table.format import percent",
        "plugins.llm.gate import keep",
    ]
    text = "".join(f"from harness.{line}\n" for line in lines)
    (tmp_path / "harness" / "plugins" / "adr" / "more.py").write_text(text)
    place = "harness/plugins/adr/more.py"
    assert faces.problems(tmp_path / "harness") == [
        f"{place}:2: percent past the face of harness.core.table; say: from harness.core.table "
        "import percent",
        f"{place}:3: enters the plug-in llm; its __init__ must say NEEDS = ('llm',)",
    ]
