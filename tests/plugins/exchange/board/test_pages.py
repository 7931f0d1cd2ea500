"""A board's pages: whole in themselves, true to the lists, and text only, in a real browser."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.plugins.exchange.board import Board, build

PATH = Path(__file__).parents[3] / "report" / "site" / "browser.py"
SPEC = importlib.util.spec_from_file_location("browser", PATH)
assert SPEC is not None
assert SPEC.loader is not None
BROWSER: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(BROWSER)
ATTACK = "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>"
HIDDEN = "\u202e\x1b[2J"


@pytest.fixture
def hostile(board: Path, rewrite_card: Callable[[str, str], None]) -> Path:
    """The pages of a board with markup in every field of a card, and a submission that is refused."""
    for field in ("tag: dense", "team: null", "repository: closed", "encoder: none", "cost: none", "licence: CC0-1.0"):
        key = field.partition(":")[0]
        rewrite_card(field, f"{key}: {json.dumps(ATTACK + HIDDEN + key)}")
    rewrite_card("language models: []", f"language models: [{json.dumps(ATTACK)}, __proto__]")
    bad = board / "submissions" / "<img src=x onerror=alert(1)>"
    bad.mkdir()
    opened = Board.read(board)
    build(opened, Path("site"))
    return Path("site").resolve()


@pytest.fixture
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if BROWSER.CHROMIUM is None:
        pytest.skip("no Chromium: the pages are not looked at")
    with BROWSER.Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
        assert opened.complaints == []


def test_pages_are_whole_in_themselves(hostile: Path) -> None:
    assert sorted(path.name for path in hostile.iterdir()) == ["index.html", "tiny.html"]
    for page in hostile.iterdir():
        text = page.read_text()
        assert not re.search(r'<(script|link|img|iframe)[^>]*(src|href)="(?!data:)', text.partition("<script id=")[0])
        assert "default-src 'none'; script-src 'sha256-" in text
        data = text.partition('type="application/json">')[2].partition("</script>")[0]
        assert "<" not in data
        json.loads(data)


def test_the_same_submissions_make_the_same_bytes(hostile: Path, board: Path) -> None:
    before = {path.name: path.read_bytes() for path in hostile.iterdir()}
    build(Board.read(board), hostile)
    assert {path.name: path.read_bytes() for path in hostile.iterdir()} == before


def test_two_clicks_from_the_first_page_to_a_question(browser: Any, hostile: Path) -> None:
    browser.open(f"{hostile.as_uri()}/index.html")
    browser.click("tbody a", "graph")
    browser.wait("document.querySelector('#differ')")
    said = browser.text()
    won, lost = map(int, re.search(r"It wins (\d+) questions? and loses (\d+)", said).groups())
    rows = "[...document.querySelectorAll('#differ ~ .table tbody tr')].map(e => e.children[1].textContent)"
    outcomes = browser.evaluate(rows)
    assert (outcomes.count("won"), outcomes.count("lost")) == (won, lost)
    browser.click("#differ ~ .table tbody a")
    browser.wait("document.querySelector('#gold')")
    assert "Where each system ranks them" in browser.text()
    assert "Title d" in browser.text()


def test_what_strangers_wrote_is_text(browser: Any, hostile: Path) -> None:
    for place in ("index.html", "tiny.html", "tiny.html#/system/dense", "tiny.html#/system/dense/graph",
                  "tiny.html#/pairs", "tiny.html#/system/__proto__", "tiny.html#/%E0%A4%A"):  # fmt: skip
        browser.open(f"{hostile.as_uri()}/{place}")
        browser.wait("document.querySelector('h1')")
        assert "owned" not in browser.evaluate("document.title").replace("document.title='owned'", "")
        assert browser.evaluate("document.querySelectorAll('img, iframe, object').length") == 0
        assert "\u202e" not in browser.evaluate("document.documentElement.textContent")
    browser.open(f"{hostile.as_uri()}/index.html")
    browser.wait("document.querySelector('#refused')")
    assert "<img src=x onerror=alert(1)>" in browser.text()


def test_filters(browser: Any, hostile: Path) -> None:
    """Of the three systems dense alone says that it has language models, and none that it was fitted here."""
    browser.open(f"{hostile.as_uri()}/index.html")
    browser.wait("document.querySelector('tbody a')")
    rows = "document.querySelectorAll('#board0 ~ .table tbody tr').length"
    assert browser.evaluate(rows) == 3

    def choose(number: int, value: str) -> None:
        select = f"document.querySelectorAll('.filters select')[{number}]"
        browser.evaluate(f"({select}.value = {json.dumps(value)}, {select}.dispatchEvent(new Event('change')), 0)")

    choose(0, "none")
    assert browser.evaluate(rows) == 2
    choose(0, "some")
    assert browser.evaluate(rows) == 1
    choose(2, "yes")
    assert browser.evaluate(rows) == 0
    assert "No system is left by these filters." in browser.text()
    choose(2, "no")
    choose(0, "")
    choose(1, "none")
    assert browser.evaluate(rows) == 2
