"""The site in a real browser, from disk: a reader's way, its numbers, hostile texts, keyboard,
sizes, paper.
"""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.core.configuration.conf_files import defaults
from harness.evaluation.statistic import holm, mcnemar
from harness.report.display import Display
from harness.sweep.folder.result import SweepResult
from tests.browser import Browser

DISPLAY = Display(**defaults("display", "default"))


def test_sweep_trial_question_in_three_clicks(browser: Browser, site: SimpleNamespace) -> None:
    browser.open(site.url)
    browser.click("#sweeps ~ .table tbody a")
    browser.click("#trials ~ .table tbody a")
    browser.wait("document.querySelector('#list ~ .table tbody a')")
    browser.click("#list ~ .table tbody a")
    browser.wait("document.querySelector('#ranks')")
    names = browser.evaluate(
        "[...document.querySelectorAll('#path a, #path span')].map(e => e.textContent)"
    )
    assert names[0] == "All results"
    assert len(names) == 4
    for heading in (
        "Gold passages",
        "Where each strategy ranks them",
        "What each list puts first",
        "How the graph",
    ):
        assert heading in browser.text()


def test_every_rank_of_a_question_is_that_of_the_sweep(
    browser: Browser, site: SimpleNamespace
) -> None:
    result = SweepResult(site.held)
    for view, number in ((result.whole, 3), (result.test, 2)):
        assert view is not None
        browser.open(f"{site.url}#/question/{site.held.name}/{view.split}/{number}")
        browser.wait("document.querySelector('#ranks ~ .table')")
        browser.evaluate(
            "document.querySelectorAll('#ranks ~ details').forEach(e => { e.open = true; })"
        )
        browser.wait(
            "!document.querySelector('#ranks ~ details') || document.querySelector('#ranks ~ "
            "details .table')"
        )
        while browser.evaluate(
            "[...document.querySelectorAll('#ranks ~ details .more button')].map(e => "
            "e.click()).length"
        ):
            pass
        read = (
            "[...document.querySelectorAll('%s tbody tr')].map(r => [...r.cells].map(c => "
            "c.textContent))"
        )
        shown = browser.evaluate(read % "#ranks ~ details") or browser.evaluate(
            read % "#ranks ~ .table"
        )
        ranks = [[rank for rank in row if rank > 0] for row in view.ranks[:, number].tolist()]
        said = [[str(rank) if rank < 2**31 - 1 else "absent" for rank in row] for row in ranks]
        assert [row[2:] for row in shown] == said
        assert [row[0] for row in shown] == [DISPLAY.trial(row) for row in view.rows]


def test_the_matrix_has_exact_p_and_holm(browser: Browser, site: SimpleNamespace) -> None:
    view = SweepResult(site.held).test
    assert view is not None
    browser.open(f"{site.url}#/matrix/{site.held.name}/test")
    browser.wait("document.querySelector('.matrix')")
    found = browser.evaluate(
        f"openSplit({json.dumps(site.held.name)}, 'test').then(s => pairs(s, [...s.trials.keys()]))"
        ".then(found => found.map(one => [one.won, one.lost, one.p, one.holm]))"
    )
    values = view.scores
    counts = [(int((a > b).sum()), int((a < b).sum())) for a, b in combinations(values, 2)]
    assert [(won, lost) for won, lost, _, _ in found] == counts
    ps = [mcnemar(*pair) for pair in counts]
    assert [one[2] for one in found] == pytest.approx(ps, rel=1e-10)
    assert [one[3] for one in found] == pytest.approx(holm(ps).tolist(), rel=1e-10)


def test_counts_of_all_pairs_are_those_of_the_two_ways_of_counting(
    browser: Browser, site: SimpleNamespace
) -> None:
    view = SweepResult(site.held).whole
    browser.show(1280, 2000)
    browser.open(f"{site.url}#/matrix/{site.held.name}/tune")
    browser.wait("document.querySelector('.matrix')")
    found = browser.evaluate(
        f"openSplit({json.dumps(site.held.name)}, 'tune').then(s => {{ const fast = pairs(s, "
        "[...s.trials.keys()]); "
        "s.scores.levels.push(2); const slow = fast.map(one => s.counts(one.row, one.other)); "
        "s.scores.levels.pop(); "
        "return fast.map((one, at) => [[one.won, one.lost], [slow[at].won, slow[at].lost]]); })"
    )
    values = view.scores
    counts = [[int((a > b).sum()), int((a < b).sum())] for a, b in combinations(values, 2)]
    assert found == [[pair, pair] for pair in counts]
    browser.evaluate(
        "(s => { s.value = 'all'; s.dispatchEvent(new Event('change')); "
        "})(document.querySelector('main select'))"
    )
    different = int((holm([mcnemar(*pair) for pair in counts]) <= 0.05).sum())
    assert f"over {len(counts)} pairs ({different} differ)" in browser.text()
    cell = f"b.width / {len(view.rows)}"
    place = browser.evaluate(
        f"(b => [b.x + 1.5 * {cell}, b.y + .5 * "
        f"{cell}])(document.querySelector('canvas').getBoundingClientRect())"
    )
    browser.move(*place)
    won, lost = counts[0]
    browser.wait(f"document.querySelector('.said').textContent.includes('{won} won, {lost} lost')")


def test_p_of_many_queries(browser: Browser, site: SimpleNamespace) -> None:
    pairs = [(0, 0), (1, 0), (5, 5), (304, 0), (63, 3), (1500, 1400), (700, 900), (2500, 2499)]
    browser.open(site.url)
    browser.wait("document.querySelector('h1')")
    found = browser.evaluate(f"{json.dumps(pairs)}.map(pair => mcnemar(...pair))")
    assert found == pytest.approx([mcnemar(*pair) for pair in pairs], rel=1e-9)
    assert browser.evaluate("[sayP(.25), sayP(.0004, 'by cluster'), sayP(null, 'by cluster')]") == [
        "raw p by question\u00a0=\u00a0.250",
        "raw p by cluster\u00a0<\u00a0.001",
        "too few clusters for a p",
    ]


def test_texts_that_attack_are_shown_as_text(browser: Browser, site: SimpleNamespace) -> None:
    key = site.held.name
    for place in (
        "",
        f"sweep/{key}",
        f"trial/{key}/tune/{SweepResult(site.held).whole.winner}",
        f"question/{key}/tune/0",
    ):
        browser.open(f"{site.url}#/{place}")
        browser.wait("document.querySelector('h1')")
        assert "owned" not in browser.evaluate("document.title.split('<')[0]")
        assert browser.evaluate(
            "[document.querySelectorAll('img:not([src^=data])').length, document.scripts.length >= 12]"
        ) == [0, True]
        assert browser.evaluate(
            "[...document.scripts].every(e => e.src.startsWith('file:') && !e.textContent)"
        )
        assert not {"\u202e", "\x1b"} & set(browser.text())
    assert "<img src=x onerror" in browser.text()
    assert browser.evaluate("Object.prototype.toString.call({})") == "[object Object]"


def test_names_are_those_of_conf_display_and_search_knows_what_is_typed(
    browser: Browser, site: SimpleNamespace
) -> None:
    browser.open(site.url)
    browser.wait("document.querySelector('#sweeps')")
    text = browser.text()
    assert re.search(r"(Boltzmann|Linear|RRF|Comb\w+) ?", text)
    assert "boltzmann" not in text
    assert "LastHop@5" in text
    assert "last_hop" not in text
    browser.open(f"{site.url}#/sweep/{site.held.name}")
    browser.wait("document.querySelector('#trials ~ form input')")
    rows = "[...document.querySelectorAll('#trials ~ .table tbody tr')].map(row => row.textContent)"
    for words in ("anchored", "rrf_anchored"):
        browser.evaluate(
            f"(box => {{ box.value = '{words}'; box.dispatchEvent(new Event('input')); }})"
            "(document.querySelector('#trials ~ form input'))"
        )
        found = browser.evaluate(rows)
        assert found
        assert all("Anchored RRF" in row for row in found)
    assert "last_hop" not in browser.text()


def test_search_and_filters_of_questions(browser: Browser, site: SimpleNamespace) -> None:
    view = SweepResult(site.held).whole
    browser.open(f"{site.url}#/trial/{site.held.name}/tune/{view.winner}")
    browser.wait("document.querySelector('#list ~ .table tbody a')")
    rows = "document.querySelectorAll('#list ~ .table tbody tr').length"
    assert browser.evaluate(rows) == min(view.n, 50)
    wanted = (
        "[...document.querySelectorAll('#list ~ form select')].find(e => "
        "e.labels[0].textContent.includes('Hops'))"
    )
    browser.evaluate(f"(s => {{ s.value = '3'; s.dispatchEvent(new Event('change')); }})({wanted})")
    assert browser.evaluate(rows) == int((view.queries["hops"] == 3).sum())
    search = "document.querySelector('#list ~ form input')"
    browser.evaluate(
        f"(s => {{ s.value = 'no such words'; s.dispatchEvent(new Event('input')); }})({search})"
    )
    assert browser.evaluate(rows) == 0
    assert "No question is left by these filters." in browser.text()


def test_a_head_sorts_with_missing_values_last(browser: Browser, site: SimpleNamespace) -> None:
    browser.open(f"{site.url}#/sweep/{site.held.name}")
    browser.wait("document.querySelector('#heldout')")
    read = (
        "(at => [...document.querySelectorAll('#heldout ~ .table tbody tr')].map(r => "
        "r.cells[at].textContent))"
        "([...document.querySelectorAll('#heldout ~ .table th[scope=col]')].findIndex(e => "
        "e.textContent === 'W'))"
    )
    press = (
        "[...document.querySelectorAll('#heldout ~ .table th button')]"
        ".find(e => e.textContent === 'W').click()"
    )
    browser.evaluate(press)
    wins = browser.evaluate(read)
    held = [int(text) for text in wins if text != "–"]
    assert held == sorted(held, reverse=True)
    assert wins[len(held) :] == ["–"] * (len(wins) - len(held))
    browser.evaluate(press)
    assert browser.evaluate(read)[0] == str(min(held))
    assert (
        browser.evaluate("document.querySelector('#heldout ~ .table [aria-sort]').ariaSort")
        == "ascending"
    )


def test_by_keyboard_alone(browser: Browser, site: SimpleNamespace) -> None:
    browser.open(site.url)
    browser.wait("document.querySelector('#sweeps')")
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.className") == "skip"
    for _ in range(100):
        browser.press("Tab")
        if browser.evaluate("document.activeElement.matches('[aria-labelledby=sweeps] td a')"):
            break
    browser.press("Enter")
    browser.wait("document.querySelector('#trials')")
    assert browser.evaluate("document.activeElement.id") == "main"
    assert browser.evaluate(
        "['header', 'nav', 'main', 'footer'].every(tag => document.querySelector(tag))"
    )


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_no_page_is_wider_than_the_window(
    browser: Browser, site: SimpleNamespace, width: int, dark: bool
) -> None:
    key, winner = site.held.name, SweepResult(site.held).whole.winner
    browser.show(width, 900, dark)
    for place in (
        "",
        f"sweep/{key}",
        f"matrix/{key}/tune",
        f"trial/{key}/tune/{winner}",
        f"question/{key}/tune/1",
    ):
        browser.open(f"{site.url}#/{place}")
        browser.wait("document.querySelector('h1')")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, place


def test_on_paper_there_are_no_controls(browser: Browser, site: SimpleNamespace) -> None:
    browser.show(800, 900, dark=True, media="print")
    browser.open(f"{site.url}#/sweep/{site.held.name}")
    browser.wait("document.querySelector('.filters')")
    assert browser.evaluate("document.querySelector('.filters').getClientRects().length") == 0
    assert (
        browser.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        == "rgb(255, 255, 255)"
    )


def test_an_address_that_is_none(browser: Browser, site: SimpleNamespace) -> None:
    for place in (
        "nothing",
        f"question/{site.held.name}/tune/9999",
        f"trial/{site.held.name}/tune/feed",
        "%E0%A4%A",
    ):
        browser.open(f"{site.url}#/{place}")
        browser.wait("document.querySelector('h1')")
        assert "Not found" in browser.text()
        browser.click("main a", "All results")
        browser.wait("document.querySelector('#sweeps')")


def test_a_file_that_is_missing_is_named(
    browser: Browser, site: SimpleNamespace, tmp_path: Path
) -> None:
    browser.open(f"{site.url}#/sweep/elsewhere")
    browser.wait("document.querySelector('h1')")
    assert "data/elsewhere/sweep.js cannot be read" in browser.text()
    browser.complaints = [one for one in browser.complaints if "elsewhere" not in one]
