"""Where no bar can be seen, long work says in lines what it does, how far it is, and how long it
takes still.
"""

import logging
import time
from types import SimpleNamespace

import pytest

from harness.work import progress
from harness.work.progress import Progress, duration, over


@pytest.fixture
def quick(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> pytest.LogCaptureFixture:
    """Lines come every 20 ms."""
    monkeypatch.setattr(progress, "EVERY", 0.02)
    caplog.set_level(logging.INFO, "harness.work.progress")
    return caplog


def wait_for(caplog: pytest.LogCaptureFixture, line: str) -> str:
    for _ in range(500):
        if found := [text for text in caplog.messages if text.startswith(line)]:
            return found[0]
        time.sleep(0.01)
    raise AssertionError(f"{line}: never said, but {caplog.messages}")


def test_a_line_says_what_and_how_far_and_the_innermost_speaks(
    quick: pytest.LogCaptureFixture,
) -> None:
    with Progress("encode"):
        wait_for(quick, "encode: at work for 0 s")
        with Progress("passages", 2000, "texts") as inner:
            inner.update(500)
            assert wait_for(quick, "passages: 500 of 2,000 texts (25%), about ").endswith(" s left")
            quick.clear()
            wait_for(quick, "passages: ")
            assert not [text for text in quick.messages if text.startswith("encode")]
        wait_for(quick, "encode: at work for ")
    assert Progress.open == []


def test_what_was_there_already_does_not_make_the_rest_seem_quick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """900 of 1,000 were there; 50 took 10 s, so the other 50 take 10 s."""
    now = iter([100.0, 110.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: next(now)))
    bar = Progress("encode", 1000, "texts")
    bar.skip(900)
    bar.update(50)
    assert bar.line() == "encode: 950 of 1,000 texts (95%), about 10 s left"


@pytest.mark.parametrize(
    ("total", "line"),
    [(None, "at work for 30 s"), (1, "at work for 30 s"), (3, "0 of 3 tables, at work for 30 s")],
)
def test_before_the_first_is_done_a_line_says_for_how_long(
    total: int | None, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter([100.0, 130.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: next(now)))
    assert Progress("report", total, "tables").line() == f"report: {line}"


def test_items_count_when_they_are_done_and_an_error_ends_the_block() -> None:
    assert [(item, Progress.open[-1].done) for item in over("letters", "ab")] == [
        ("a", 0),
        ("b", 1),
    ]
    with pytest.raises(ZeroDivisionError), Progress("division"):
        raise ZeroDivisionError
    assert Progress.open == []


def test_durations_as_people_say_them() -> None:
    assert [duration(seconds) for seconds in (0.4, 45, 70, 7500)] == [
        "0 s",
        "45 s",
        "1 min 10 s",
        "2 h 5 min",
    ]
