"""Parts: any division of the work, any death and any order give the same files."""

import contextlib
import errno
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.work import part_notes
from harness.work import parts as module
from harness.work.part_notes import PLAN, RECORDS, hold, is_held, unfinished
from harness.work.parts import Share, Unfinished, WorkPart, agree, array_part, fill, sharing
from harness.work.store import Store


def squares(
    folder: Path, seen: list[int] | None = None, broken: tuple[int, ...] = ()
) -> list[WorkPart]:
    """Ten parts; part n holds n squared."""

    def part(number: int) -> WorkPart:
        def work(partial: Path, advance: module.Advance) -> None:
            if number in broken:
                raise ValueError(f"{number} is not liked")
            if seen is not None:
                seen.append(number)
            partial.write_text(str(number**2))
            advance(1)

        return WorkPart(folder / f"{number}.txt", work)

    return [part(number) for number in range(10)]


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.txt"))}


WHOLE = {f"{number}.txt": str(number**2) for number in range(10)}


def test_alone(tmp_path: Path) -> None:
    seen: list[int] = []
    fill(tmp_path, squares(tmp_path, seen), "squares")
    fill(tmp_path, squares(tmp_path, seen), "squares")
    assert content(tmp_path) == WHOLE
    assert seen == list(range(10))


@pytest.mark.parametrize("of", [1, 3, 10, 20])
def test_shares_divide_the_parts(tmp_path: Path, of: int) -> None:
    seen: list[int] = []
    for index in range(of, 0, -1):
        with sharing(Share(index, of, waits=False, tolerant=True)):
            last = index == 1
            with contextlib.nullcontext() if last else pytest.raises(Unfinished, match="10 parts"):
                fill(tmp_path, squares(tmp_path, seen), "squares")
    assert sorted(seen) == list(range(10))
    assert content(tmp_path) == WHOLE


def test_what_another_process_completes_during_a_check_is_not_made_again(tmp_path: Path) -> None:
    """The folder is taken away while a part is looked at. Neither it nor the part comes back."""
    folder = tmp_path / "made.partial"
    folder.mkdir()
    seen: list[int] = []

    def look(path: Path) -> bool:
        if (folder / RECORDS).exists():
            folder.rename(tmp_path / "made")
        return path.exists()

    parts = [replace(part, is_whole=look) for part in squares(folder, seen)]
    with contextlib.suppress(FileNotFoundError):  # what the store waits for
        fill(folder, parts, "squares")
    with pytest.raises(FileNotFoundError), hold(folder / RECORDS / "0.txt.lock"):
        pass
    assert not folder.exists()
    assert seen == []


def test_parts_where_the_file_system_has_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> bool:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(part_notes, "lock_descriptor", refuse)
    fill(tmp_path, squares(tmp_path), "squares")
    assert content(tmp_path) == WHOLE


def test_one_that_waits_does_what_nobody_does_and_leaves_what_somebody_holds(
    tmp_path: Path,
) -> None:
    seen: list[int] = []
    (tmp_path / "parts").mkdir()
    done = threading.Event()

    def other() -> None:
        with hold(tmp_path / "parts" / "4.txt.lock"):
            done.wait(20)
            (tmp_path / "4.txt").write_text("16")

    beside = threading.Thread(target=other)
    beside.start()
    while not (tmp_path / "parts" / "4.txt.lock").exists():
        pass
    threading.Timer(1, done.set).start()
    with sharing(Share(2, 5, waits=True, tolerant=True)):
        fill(tmp_path, squares(tmp_path, seen), "squares")
    beside.join()
    assert seen == [1, 6, 0, 2, 3, 5, 7, 8, 9]
    assert content(tmp_path) == WHOLE


def test_a_part_that_always_fails_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    with (
        sharing(Share(1, 1, waits=True, tolerant=True)),
        pytest.raises(HarnessError, match=r"2.*10.*\(3.txt.*7.txt\).*3.txt.*ValueError: 3"),
    ):
        fill(tmp_path, squares(tmp_path, broken=(3, 7)), "squares")
    assert WHOLE.keys() - content(tmp_path).keys() == {"3.txt", "7.txt"}
    with sharing(Share(2, 2, waits=True, tolerant=True)):
        fill(tmp_path, squares(tmp_path), "squares")
    assert content(tmp_path) == WHOLE


def test_a_process_of_its_own_ends_at_the_first_failure_and_goes_on_where_it_was(
    tmp_path: Path,
) -> None:
    seen: list[int] = []
    with pytest.raises(ValueError, match="3 is not liked"):
        fill(tmp_path, squares(tmp_path, seen, broken=(3,)), "squares")
    fill(tmp_path, squares(tmp_path, seen), "squares")
    assert seen == list(range(10))


def test_shares_made_by_something_else_are_refused_with_both(tmp_path: Path) -> None:
    with sharing(Share(1, 2, waits=False)), pytest.raises(Unfinished):
        fill(tmp_path, squares(tmp_path), "squares", {"device": "cpu"})
    with (
        sharing(Share(2, 2, waits=False)),
        pytest.raises(HarnessError, match="device cpu there, cuda here"),
    ):
        fill(tmp_path, squares(tmp_path), "squares", {"device": "cuda"})


def test_what_other_libraries_left_is_computed_again_unless_somebody_works_on_it(
    tmp_path: Path,
) -> None:
    records = tmp_path / "parts"
    records.mkdir()
    ones = squares(tmp_path)
    agree(records, ones, "squares", {"libraries": "old", "code": 1}, False)
    (tmp_path / "3.txt").write_text("old")
    agree(records, ones, "squares", {"libraries": "old", "code": 2}, False)
    assert (tmp_path / "3.txt").exists()
    with (
        hold(records / "4.txt.lock"),
        pytest.raises(HarnessError, match="libraries old there, new here"),
    ):
        agree(records, ones, "squares", {"libraries": "new", "code": 2}, False)
    agree(records, ones, "squares", {"libraries": "new", "code": 2}, False)
    assert not (tmp_path / "3.txt").exists()


@pytest.mark.parametrize("text", ["0/3", "4/3", "x", "3", "1/", "-1/2", "1/2/3"])
def test_a_share_that_is_none(text: str) -> None:
    with pytest.raises(HarnessError, match="expected i/n with 1 <= i <= n"):
        Share.parse(text, waits=False)


def test_an_artifact_of_parts_holds_nothing_of_how_they_were_made(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def build(folder: Path) -> dict[str, int]:
        return {"sum": sum(int(text) for text in content(folder).values())}

    def get() -> object:
        return store.get(
            "squares", {}, {}, build, fill=lambda folder: fill(folder, squares(folder), "squares")
        )

    with sharing(Share(1, 2, waits=False)), pytest.raises(Unfinished):
        get()
    (folder,) = tmp_path.rglob("*.partial")
    with hold(folder / "parts" / "7.txt.lock"):
        (one,) = unfinished(tmp_path)
    assert one.startswith("squares: [###############               ] 5 of 10 parts")
    assert "7.txt  running on" in one
    assert get().facts == {"sum": 285}  # type: ignore[attr-defined]
    assert sorted(get().manifest["files"]) == sorted(WHOLE)  # type: ignore[attr-defined]
    assert list(unfinished(tmp_path)) == []


@pytest.mark.parametrize(
    "content", ["", "[]", "1", "{", '{"made_by": 1}', '{"pid": "x"}', '[{"host": 1}]', "[" * 99_999]
)
def test_damaged_records_are_none(tmp_path: Path, content: str) -> None:
    """Of a machine that lost its power: what they told is lost, the parts are computed all the
    same.
    """
    records = tmp_path / "artifacts" / "encode" / "a.partial" / RECORDS
    records.mkdir(parents=True)
    for name in (PLAN, "3.txt.lock"):
        (records / name).write_text(
            content.replace("{", f'{{"host": "{socket.gethostname()}", ', 1)
        )
    os.utime(records / "3.txt.lock", (0, 0))
    list(unfinished(tmp_path))
    fill(records.parent, squares(records.parent), "squares")
    assert {path.name: path.read_text() for path in records.parent.glob("*.txt")} == WHOLE


def test_a_full_disk_ends_the_worker_and_is_no_fault_of_the_part(tmp_path: Path) -> None:
    def full(partial: Path, advance: module.Advance) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with (
        sharing(Share(1, 2, waits=True, tolerant=True)),
        pytest.raises(HarnessError, match="cannot write"),
    ):
        fill(tmp_path, [WorkPart(tmp_path / "0.txt", full)], "squares")


def test_an_archive_that_lacks_rows_or_an_array_is_made_again(tmp_path: Path) -> None:
    made: list[int] = []

    def part(size: int, *whole: str) -> WorkPart:
        arrays = {"a": np.arange(3), "b": np.arange(2)}
        return array_part(tmp_path / "p.npz", lambda advance: made.append(1) or arrays, size, whole)

    fill(tmp_path, [part(3, "a")], "a stage")
    assert made == [1]
    good = [part(3), part(3, "a"), part(2, "b")]
    bad = [part(4, "a"), part(3, "a", "b"), part(3, "c")]
    assert [one.is_whole(tmp_path / "p.npz") for one in (*good, *bad)] == [True] * 3 + [False] * 3
    assert not part(3).is_whole(tmp_path / "none.npz")


def other_method(data: bytes) -> bytes:
    """A flip in the directory of an archive: a method of compression that there is not."""
    at = data.index(b"PK\x01\x02") + 10
    return data[:at] + b"\x63" + data[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[:-30] + b"x" * 30,
        lambda data: data[: len(data) // 2] + b"\xff" + data[len(data) // 2 + 1 :],
        other_method,
    ],
)
def test_a_damaged_archive_is_named_and_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "p.npz"
    part = array_part(path, lambda advance: {"a": np.arange(300)}, 300, ("a",), "made again")
    fill(tmp_path, [part], "a stage")
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    fill(tmp_path, [part], "a stage")
    assert path.read_bytes() == whole
    assert f"{path} is damaged; made again" in caplog.text


def test_a_part_is_held_by_one_process_and_its_death_frees_it(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    code = (
        "import sys; from pathlib import Path; from harness.work.part_notes import hold\n"
        "with hold(Path(sys.argv[1])) as held:\n    print(int(held), flush=True); sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    line = [sys.executable, "-c", code, str(lock)]
    several = [subprocess.Popen(line, stdin=pipe, stdout=pipe, text=True) for _ in range(3)]
    said = [one.stdout.readline().strip() for one in several]  # type: ignore[union-attr]
    assert sorted(said) == ["0", "0", "1"]
    assert is_held(lock)
    for one in several:
        one.kill()
        one.communicate()
    assert not is_held(lock)
    with pytest.raises(FileNotFoundError), hold(tmp_path / "gone" / "a.lock"):
        pass
