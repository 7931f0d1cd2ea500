"""TREC run files: what is read, what is refused and how, and a fuzz of damaged files."""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.core.input.read import MARK, opened
from harness.run import Run, io
from harness.run.trec import RUN
from harness.run.trec.lines import parse_lines, plain

GOOD = b"q1 Q0 d2 1 0.9 s\nq1 Q0 d1 2 0.5 s\nq2 Q0 d1 1 3 s\n"
LISTS = {"q1": {"d2": 0.9, "d1": 0.5}, "q2": {"d1": 3.0}}


def read(folder: Path, data: bytes, name: str = "run.trec") -> dict[str, dict[str, float]]:
    path = folder / name
    path.write_bytes(data)
    return Run.from_trec(path).to_dict()


@pytest.mark.parametrize(
    "data",
    [
        GOOD,
        GOOD.rstrip(b"\n"),
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + GOOD,
        b"qid Q0 docno rank score tag\n" + GOOD,
        GOOD.replace(b" ", b"\t"),
        GOOD.replace(b" ", b" \t  "),
        GOOD.replace(b"q1 Q0", b"q1\tQ0"),
        b"  " + GOOD.replace(b"\n", b" \n  "),
        b"\n\n" + GOOD.replace(b"\n", b"\n \n"),
        b"q1 Q0 d1 2 0.5 s\nq2 Q0 d1 1 3 s\nq1 Q0 d2 1 0.9 s\n",
        GOOD.replace(b" 1 ", b" 0 ").replace(b" 2 ", b" 0 "),
        GOOD.replace(b"0.9", b"+9e-1").replace(b"0.5", b".5").replace(b" 3 ", b" 3. "),
        gzip.compress(GOOD, mtime=0),
        gzip.compress(GOOD[:20], mtime=0) + gzip.compress(GOOD[20:], mtime=0),
    ],
)
def test_what_is_accepted(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path, data) == LISTS
    assert read(tmp_path, data, "run.trec.gz") == LISTS


def test_queries_keep_the_order_of_the_file(tmp_path: Path) -> None:
    assert list(read(tmp_path, b"q9 Q0 d 1 1 s\nq1 Q0 d 1 1 s\nq9 Q0 e 2 .5 s\n")) == ["q9", "q1"]


def test_equal_scores_are_ordered_by_document_whatever_their_ranks(tmp_path: Path) -> None:
    run = read(tmp_path, b"q Q0 d3 1 1 s\nq Q0 d10 2 1 s\nq Q0 d2 3 1 s\n")
    assert list(run["q"]) == ["d10", "d2", "d3"]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (GOOD + b"q2 Q0 d3 1 2\n", 4, "6 fields"),
        (
            GOOD + b"q2 0 d3 1\n",
            4,
            "this is judgements; expected a run, `qid Q0 docid rank score tag`",
        ),
        (GOOD + b"q2 Q0 d3 0x1 2 s\n", 4, "the rank must be a whole number, got '0x1'"),
        (GOOD + b"qid Q0 docid rank score tag\n", 4, "the rank must be a whole number, got 'rank'"),
        (GOOD + b"q2 Q0 d3 1 2 s t\n", 4, "found 7"),
        (GOOD.replace(b"0.5 s", b"0.5 s\tt"), 2, "found 7"),
        (GOOD.replace(b"0.5", b"nan"), 2, "finite number"),
        (GOOD.replace(b"0.5", b"-inf"), 2, "finite number"),
        (GOOD.replace(b"0.5", b"1e999"), 2, "finite number"),
        (GOOD.replace(b"0.5", b"high"), 2, "finite number"),
        (GOOD.replace(b"0.5", b"1_0"), 2, "finite number"),
        (GOOD.replace(b" 2 0", b" two 0"), 2, "whole number"),
        (GOOD.replace(b" 2 0", b" 1.5 0"), 2, "whole number"),
        (b"\n\r\n" + GOOD.replace(b"0.5", b"1.5"), 3, "rank 1 contradicts the score 0.9"),
        (
            b"q Q0 a 1 0.1 s\nq Q0 b 2 0.8 s\n",
            1,
            "if a lower score is better, as for distances, negate the scores",
        ),
        (
            b"q Q0 a 1 0.1 s\nq Q0 b 2 0.8 s\nq Q0 c 3 0.2 s\n",
            1,
            "number the ranks by descending score",
        ),
        (GOOD + b"q1 Q0 d2 3 0.1 s\n", 4, "holds document d2 twice"),
        (b"", None, "empty"),
        (b"\n \n", None, "empty"),
        (b"\xef\xbb\xbf", None, "empty"),
        (gzip.compress(b"", mtime=0), None, "empty"),
        (GOOD.decode().encode("utf-16"), 1, "UTF-8"),
        (GOOD.decode().encode("utf-16-le"), 1, "NUL byte"),
        (b"\x7fELF\x02\x01\x01\0\0\0", 1, "NUL byte"),
        (GOOD + b"q3 Q0 d\xff 1 1 s\n", 4, "0xff"),
        (gzip.compress(GOOD, mtime=0)[:-9], None, "damaged gzip"),
        (
            gzip.compress(GOOD, mtime=0)[:30] + b"\0\0\0\0" + gzip.compress(GOOD, mtime=0)[34:],
            None,
            "damaged gzip",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, data: bytes, line: int | None, words: str) -> None:
    with pytest.raises(HarnessError) as caught:
        read(tmp_path, data)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert message.startswith(f"{tmp_path / 'run.trec'}:{'' if line is None else line}")


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="no such file"):
        Run.from_trec(tmp_path / "nothing.trec")
    with pytest.raises(HarnessError, match="cannot read"):
        Run.from_trec(tmp_path)


def test_packed_files_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.trec.gz", "b.trec.gz"):
        Run.from_dict(LISTS).to_trec(tmp_path / name)
    assert (tmp_path / "a.trec.gz").read_bytes() == (tmp_path / "b.trec.gz").read_bytes()


@pytest.mark.parametrize(
    "lists", [{"q 1": {"d": 1.0}}, {"q": {"d\t1": 1.0}}, {"q": {"": 1.0}}, {"q": {"d\n": 1.0}}]
)
def test_ids_that_a_trec_file_cannot_carry(
    tmp_path: Path, lists: dict[str, dict[str, float]]
) -> None:
    with pytest.raises(HarnessError, match=r"white space|is empty"):
        Run.from_dict(lists).to_trec(tmp_path / "run.trec")
    assert list(tmp_path.iterdir()) == []


def sample_file(rng: random.Random) -> bytes:
    separator, end = (
        rng.choice([b" ", b" ", b"\t", b"  ", b" \t"]),
        rng.choice([b"\n", b"\n", b"\r\n", b"\r"]),
    )
    lines = []
    for query in range(rng.randint(1, 3)):
        scores = sorted(
            (rng.choice([0.5, 1.0, rng.random(), -2e-7]) for _ in range(rng.randint(1, 6))),
            reverse=True,
        )
        lines += [
            separator.join(
                [
                    b"q%d" % query,
                    b"Q0",
                    b"d\xc3\xa9%d" % place,
                    b"%d" % (place + 1),
                    repr(score).encode(),
                    b"s",
                ]
            )
            for place, score in enumerate(scores)
        ]
    return end.join([*lines, b""])


SPECIAL = [
    b" ",
    b"\n",
    b"\r",
    b"\t",
    b"\0",
    b"\xff",
    b"\x0b",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\x1f\x8b",
    b"\\",
]
PIECES = [
    *SPECIAL,
    b"nan",
    b"inf",
    b"1e400",
    b"-",
    b"+",
    b"e",
    b".",
    b"0",
    b"_",
    b",",
    b"q1 Q0 d 1 1 s\n",
]


def damaged(rng: random.Random) -> bytes:
    data = bytearray(sample_file(rng))
    if rng.random() < 0.2:
        data = bytearray(gzip.compress(data, mtime=0))
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0:
                data[at:at] = rng.choice(PIECES)
            case 1:
                del data[at : at + rng.randint(1, 8)]
            case 2 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 3:
                del data[at:]
            case 4:
                data[at:at] = data[rng.randrange(len(data) + 1) :][:30]
            case _:
                data[at : at + 1] = bytes([rng.randrange(256)])
    return gzip.compress(data, mtime=0) if rng.random() < 0.1 else bytes(data)


def fuzz(folder: Path, rounds: int, seed: int) -> tuple[int, int]:
    """How many damaged files were read and refused. What is read is what a line by line reading
    gives.
    """
    rng = random.Random(seed)
    path = folder / "fuzz.trec"
    accepted = refused = 0
    for _ in range(rounds):
        path.write_bytes(damaged(rng))
        try:
            run = Run.from_trec(path)
        except HarnessError as error:
            message = str(error)
        else:
            message = ""
        if message:
            assert re.fullmatch(rf"{re.escape(str(path))}(:\d+)?: \S.*", message), message
            refused += 1
            continue
        accepted += 1
        expected: dict[str, dict[str, float]] = {}
        with opened(path) as stream:
            text = stream.read().removeprefix(MARK)
        for row in parse_lines(path, text, RUN, False, 0, Counter()).to_pylist():
            expected.setdefault(row["qid"], {})[row["docid"]] = row["score"]
        assert run.to_dict() == expected
        assert np.isfinite(run.scores).all()
    return accepted, refused


def test_damaged_files_are_read_right_or_refused(tmp_path: Path) -> None:
    accepted, refused = fuzz(tmp_path, 1000, seed=1)
    assert accepted > 100
    assert refused > 100


def test_plain_files_take_the_quick_way() -> None:
    uneven, old = GOOD.replace(b" ", b"  "), GOOD.replace(b"\n", b"\r")
    for data, quick in (
        (GOOD, True),
        (GOOD.replace(b" ", b"\t"), True),
        (uneven, True),
        (old, False),
    ):
        assert (plain(data) is not None) == quick


def test_comments_and_trailing_fields_are_passed_over_where_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_bytes(
        b"# six words in this comment line\n" + GOOD.replace(b"0.5 s", b"0.5 s more words")
    )
    with pytest.raises(HarnessError, match="lenient=true"):
        io.read(path)
    assert io.read(path, lenient=True).to_dict() == LISTS
    path.write_bytes(b"# comment\n\n" + GOOD + b"# comment\nq1 Q0 d1 3 0.1 s\n")
    with pytest.raises(HarnessError, match=r"run\.trec:7:.*q1.*d1"):
        io.read(path, lenient=True)


def test_what_is_passed_over_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_bytes(b"# made by x\n# y\nq Q0 a 1 2 s more\nq Q0 b 2 1 t\n")
    told = ["left out 2 comment lines", "left out 1 further field", "entries of 2 systems (s, t)"]
    for note, expected in zip(io.read(path, lenient=True).notes, told, strict=True):
        assert note.startswith(f"{path}: {expected}")
