"""`harness compare baseline=[a,b] out=matrix.html`: the numbers by hand, as a browser shows them,
and text only.
"""

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

SPEC = importlib.util.spec_from_file_location("browser", Path(__file__).parents[2] / "browser.py")
assert SPEC is not None
assert SPEC.loader is not None
BROWSER: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(BROWSER)
ATTACK = "<img src=x onerror=alert(1)>.json"
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of 66 questions dense finds 0 to 25, ours 0 to 48, other 40 to 65."""
    monkeypatch.chdir(tmp_path)
    gold = [
        {"id": f"q{number}", "supporting_ids": [f"a{number}", f"b{number}"], "hops": 2, "type": "x"}
        for number in range(66)
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, gold)))
    for name, found in (
        ("dense.json", range(26)),
        (ATTACK, range(49)),
        ("other.json", range(40, 66)),
    ):
        lists = {
            f"q{number}": {f"b{number}" if number in found else "x": 1.0} for number in range(66)
        }
        (tmp_path / name).write_text(json.dumps(lists))
    return tmp_path


def write(command: Command, *further: str) -> str:
    status, said, _ = command(
        "compare",
        f"run=['{ATTACK}',other.json]",
        "baseline=[dense.json,other.json]",
        "gold=queries.jsonl",
        "out=made/matrix.html",
        *further,
    )
    assert status == 0
    assert said.endswith("made/matrix.html\n")
    return Path("made/matrix.html").read_text()


def test_every_run_against_every_baseline(folder: Path, command: Command) -> None:
    """49, 26 and 26 of 66: +23/66 with 23/0, +23/66 with 40/17, 0 with 26/26; other is not set
    against itself.
    """
    text = write(command)
    matrix = text.partition("<tbody>")[2].partition("</tbody>")[0]
    cells = re.findall(r'<td class="(?!text)[^>]*>(.*?)</td>', matrix)
    corrected = f"{2 * binomtest(17, 57).pvalue:.3f}".lstrip("0")
    assert cells == [
        *("+34.8<sup>*</sup>", "23", "0", "&lt;.001"),
        *("+34.8<sup>*</sup>", "40", "17", corrected),
        *("+0.0", "26", "26", "1.000"),
        *("–", "–", "–", "–"),
    ]
    assert text.count("<table>") == 2


def test_the_page_loads_nothing_and_holds_names_as_text(folder: Path, command: Command) -> None:
    text = write(command, "metric=[last_hop,recall]")
    assert "<img" not in text
    assert "<script" not in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert "default-src 'none'" in text


def test_one_baseline_is_a_table_alone(folder: Path, command: Command) -> None:
    command(
        "compare", "run=other.json", "baseline=dense.json", "gold=queries.jsonl", "out=one.html"
    )
    assert Path("one.html").read_text().count("<table>") == 1
    command("evaluate", "run=other.json", "gold=queries.jsonl", "out=scores.html")
    assert '<td class="share" data-key="0.39' in Path("scores.html").read_text()


def test_a_browser_shows_it_without_a_complaint(
    folder: Path, command: Command, tmp_path: Path
) -> None:
    if BROWSER.CHROMIUM is None:
        pytest.skip("no Chromium: the page is not looked at")
    write(command)
    with BROWSER.Browser(tmp_path / "profile") as browser:
        browser.open((folder / "made" / "matrix.html").as_uri())
        browser.wait("document.querySelectorAll('table').length === 2")
        assert ATTACK in browser.text()
        assert browser.evaluate("document.documentElement.scrollWidth") <= 1280
        assert browser.complaints == []
