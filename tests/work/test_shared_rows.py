"""A loop that processes share gives what one process gives, and nothing of it stays."""

import contextlib
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from harness.work import parts, shared_rows
from harness.work import store as module
from harness.work.part_notes import RECORDS
from harness.work.parts import Share, Unfinished, sharing
from harness.work.shared_rows import map_rows
from harness.work.store import Store


def squares(seen: list[int], count: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """n and n squared, n below ``count``."""

    def work(part: slice) -> tuple[np.ndarray, np.ndarray]:
        numbers = np.arange(part.start, part.stop)
        seen.extend(numbers.tolist())
        return numbers, numbers**2

    return map_rows("squares", work, count, 3)


def build(
    store: Store, seen: list[int], count: int = 10, enter: Callable[[], object] = lambda: None
) -> Path:
    """The artifact of the squares.    enter: called before the first row is computed."""

    def write(folder: Path) -> dict[str, int]:
        np.save(folder / "twice.npy", made())
        return {"seen": count}

    cached: list[np.ndarray] = []

    def made() -> np.ndarray:
        if not cached:
            enter()
            first, second = squares(seen, count), squares(seen, count)
            cached.append(np.concatenate([*first, *second]))
        return cached[0]

    return store.get("squares", {}, {}, write, together=lambda _: made()).path


def content(path: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(path)): one.read_bytes()
        for one in path.rglob("*")
        if one.suffix == ".npy"
    }


def test_one_process_computes_all_rows_at_once_and_writes_no_parts(tmp_path: Path) -> None:
    seen: list[int] = []
    path = build(Store(tmp_path), seen, enter=lambda: seen.extend(rows(tmp_path)))
    assert seen == [*range(10), *range(10)]
    assert np.load(path / "twice.npy").tolist()[10:20] == [number**2 for number in range(10)]


def rows(folder: Path) -> list[int]:
    """-1 for each file of parts."""
    return [-1 for _ in folder.rglob(f"{RECORDS}/**/*")]


def test_one_process_joins_others_that_begin_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, before, after = Store(tmp_path), [], []

    def begin(what: str) -> contextlib.nullcontext[None]:
        if not before:
            before.append(-1)
            with sharing(Share(2, 2, waits=False)), pytest.raises(Unfinished):
                build(store, before)
        return contextlib.nullcontext()

    monkeypatch.setattr(module, "Progress", begin)
    build(store, after)
    assert before == [-1, 3, 4, 5, 9]
    assert sorted([*before[1:], *after]) == sorted([*range(10), *range(10)])


@pytest.mark.parametrize(("of", "times"), [(2, 1), (5, 10), (7, 1)])
def test_shares_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: int, times: int
) -> None:
    """Threads stand for processes: each row of each of the two loops is computed once, by one of
    them.

    They take turns often, and ten times over, so that some still look for parts when another
    completes the artifact.
    """
    monkeypatch.setattr(parts, "PAUSE", 0.001)
    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for number in range(times):
            _share_at_once(tmp_path / str(number), of)
    finally:
        sys.setswitchinterval(often)


def _share_at_once(folder: Path, of: int) -> None:
    alone = content(build(Store(folder / "alone"), []))
    seen: list[list[int]] = [[] for _ in range(of)]
    all_there = threading.Barrier(of)  # one that came when the others had ended would begin anew

    def share(index: int) -> None:
        with sharing(Share(index + 1, of)):
            build(Store(folder / "shared"), seen[index], enter=all_there.wait)

    with ThreadPoolExecutor(of) as threads:
        list(threads.map(share, range(of)))
    assert sorted(row for one in seen for row in one) == sorted([*range(10), *range(10)])
    (made,) = (folder / "shared" / "artifacts" / "squares").glob("*/manifest.json")
    assert content(made.parent) == alone
    assert [path.name for path in made.parent.rglob("*") if path.is_dir()] == []


def test_a_share_that_does_not_wait_leaves_the_rest_to_one_that_has_all(tmp_path: Path) -> None:
    seen: list[int] = []
    with sharing(Share(2, 2, waits=False)), pytest.raises(Unfinished, match="squares: 2 of 4"):
        build(Store(tmp_path), seen)
    assert seen == [3, 4, 5, 9]
    build(Store(tmp_path), seen)
    assert sorted(seen) == sorted([*range(10), *range(10)])


def test_a_loop_over_nothing(tmp_path: Path) -> None:
    with sharing(Share(1, 2)):
        path = build(Store(tmp_path), [], 0)
    assert np.load(path / "twice.npy").tolist() == []


def test_who_comes_late_takes_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The artifact is put together by another process while this one is in the middle of it."""
    store, ended = Store(tmp_path), []

    def other(*given: object) -> None:
        if not ended:
            ended.append(True)
            monkeypatch.undo()
            with sharing(Share(1, 2)):
                build(store, [])
        raise FileNotFoundError

    monkeypatch.setattr(shared_rows, "_read", other)
    with sharing(Share(2, 2)):
        path = build(store, [])
    assert content(path) == content(build(Store(tmp_path / "alone"), []))
