"""Submissions made to break a board: each is refused, or said for what it is, in one line."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]
Change = Callable[[list[str]], list[str]]


def check(command: Command, board: Path) -> tuple[int, list[str]]:
    """The exit status, and what is said of dense."""
    status, out, _ = command("board", "check", str(board))
    return status, [line for line in out.splitlines() if line.split(":")[0].split()[-1] == "dense"]


def refused(command: Command, board: Path, message: str) -> None:
    status, lines = check(command, board)
    assert status == 2
    assert len(lines) == 1
    assert lines[0].startswith("refused  dense: dense")
    assert message in lines[0]


def test_what_is_whole_is_scored(command: Command, board: Path) -> None:
    status, lines = check(command, board)
    assert status == 0
    assert [line.split()[0] for line in lines] == ["scored"]


@pytest.mark.parametrize("name", ["run.trec.gz", "card.yaml", "hashes"])
@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_file_that_is_none(command: Command, board: Path, tmp_path: Path, name: str, kind: str) -> None:
    place = board / "submissions" / "dense" / name
    shutil.copy(place, tmp_path / "secret")
    place.unlink()
    match kind:
        case "link":
            place.symlink_to(tmp_path / "secret")
        case "folder":
            place.mkdir()
        case _:
            os.mkfifo(place)
    refused(command, board, f"dense/{name}: no plain file, but a link, folder or device")


def test_a_folder_that_is_a_link(command: Command, board: Path, tmp_path: Path) -> None:
    (board / "submissions" / "dense").rename(tmp_path / "elsewhere")
    (board / "submissions" / "dense").symlink_to(tmp_path / "elsewhere")
    refused(command, board, "no folder of its own, but a link")


def test_further_files_and_missing_ones(command: Command, board: Path) -> None:
    folder = board / "submissions" / "dense"
    (folder / "index.html").write_text("<script>")
    refused(command, board, "holds 'index.html', expected run.trec.gz, card.yaml and hashes alone")
    (folder / "index.html").unlink()
    (folder / "run.trec.gz").unlink()
    refused(command, board, "lacks run.trec.gz")


@pytest.mark.parametrize("name", ["Dense", "a b", "<b>x", "ü"])
def test_a_name_that_is_none(command: Command, board: Path, name: str) -> None:
    shutil.copytree(board / "submissions" / "dense", board / "submissions" / name)
    status, out, _ = command("board", "check", str(board))
    assert status == 2
    assert "called by other than small letters, digits, _ and -" in out


@pytest.mark.parametrize(
    ("name", "line"), [("run.trec.gz", "../../../etc/passwd"), ("card.yaml", "/etc/passwd"), ("benchmark tiny", "x\ny")]
)
def test_hashes_name_these_files_alone(command: Command, board: Path, name: str, line: str) -> None:
    path = board / "submissions" / "dense" / "hashes"
    path.write_text(path.read_text().replace(name, line))
    refused(command, board, "hashes: expected `SHA-256  NAME` of run.trec.gz, card.yaml and `benchmark NAME`")


def test_a_file_that_was_changed(command: Command, board: Path) -> None:
    with (board / "submissions" / "dense" / "card.yaml").open("a") as stream:
        stream.write("\n")
    refused(command, board, "card.yaml: not the file that hashes names")


def test_another_benchmark_under_the_same_name(command: Command, board: Path) -> None:
    path = board / "submissions" / "dense" / "hashes"
    *rest, data = path.read_text().splitlines()
    path.write_text("\n".join([*rest, "0" * 64 + data[64:]]) + "\n")
    refused(command, board, "made on tiny with the sha256 000000000000")


def test_a_file_that_unpacks_to_gigabytes(command: Command, board: Path, rehash: Callable[[], None]) -> None:
    """40 lists of 100 lines of at most 3 (q39) + 3 (d59) + 256 bytes have 1,048,000; this has 1 GiB of one letter."""
    path = board / "submissions" / "dense" / "run.trec.gz"
    with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1) as stream:
        for _ in range(1 << 10):
            stream.write(b"q" * (1 << 20))
    rehash()
    refused(command, board, "unpacks to more than 1048000 bytes, the most that 40 lists of 100 can have")


def test_a_card_that_unfolds_to_billions(command: Command, board: Path, rehash: Callable[[], None]) -> None:
    path = board / "submissions" / "dense" / "card.yaml"
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    path.write_text("\n".join(lines))
    rehash()
    refused(command, board, "card.yaml: no YAML (its aliases stand for more than")
    path.write_text("x" * (65 << 10))
    rehash()
    refused(command, board, "card.yaml: 66560 bytes, at most 65536")


@pytest.mark.parametrize("score", ["nan", "inf", "-inf", "1e999"])
def test_scores_that_are_no_numbers(
    command: Command, board: Path, rewrite: Callable[[Change], None], score: str
) -> None:
    rewrite(lambda lines: [lines[0].replace(lines[0].split()[4], score), *lines[1:]])
    refused(command, board, "run.trec.gz:1: ")


def test_a_damaged_file_and_an_empty_one(command: Command, board: Path, rehash: Callable[[], None]) -> None:
    path = board / "submissions" / "dense" / "run.trec.gz"
    path.write_bytes(path.read_bytes()[:200])
    rehash()
    refused(command, board, "damaged gzip file")
    path.write_bytes(gzip.compress(b""))
    rehash()
    refused(command, board, "the file is empty")


def test_a_passage_twice_in_a_list(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    rewrite(lambda lines: [lines[0], *lines])
    refused(command, board, "run.trec.gz:2: query q0 holds document")


def test_lists_that_are_too_long(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    """Depth 100 of board.yaml is cut to 5; the lists have 10."""
    path = board / "board.yaml"
    path.write_text(path.read_text().replace("depth: 100", "depth: 5"))
    refused(command, board, "question q0 has 10 passages, at most 5; cut the lists")


def test_ids_that_the_benchmark_does_not_have(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    rewrite(lambda lines: [*lines, "q99 Q0 d00 1 1.0 x", "q98 Q0 d00 1 1.0 x"])
    refused(command, board, "2 of 42 question ids are not of tiny: 'q99', 'q98'")


def test_passages_of_another_corpus(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    rewrite(lambda lines: [*lines, "q0 Q0 D01 11 0.0001 x"])
    refused(command, board, "are not of tiny: 'D01'; they differ in case; use the benchmark's own ids")


def test_an_id_of_a_hundred_thousand_letters(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    rewrite(lambda lines: [*lines, f"q0 Q0 {'x' * 100_000} 11 0.0001 x"])
    refused(command, board, "1 of 61 passage ids are not of tiny: 'xxx")
    assert len(check(command, board)[1][0]) < 500


def test_ids_of_another_unicode_form(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    """A passage `dé` of the benchmark, composed; in the lists it is decomposed."""
    corpus = Path("tiny/corpus.jsonl")
    composed = unicodedata.normalize("NFC", "de\u0301")
    with corpus.open("a") as stream:
        stream.write(json.dumps({"id": composed, "title": "t", "text": "x"}) + "\n")
    from harness.benchmark import load

    now, settings = load("tiny").sha256, board / "board.yaml"
    before = settings.read_text().partition("sha256: ")[2].partition(",")[0]
    for path in (settings, *board.glob("submissions/*/hashes")):
        path.write_text(path.read_text().replace(before, now))
    rewrite(lambda lines: [*lines, f"q0 Q0 {composed} 11 0.0001 x"])
    assert check(command, board)[0] == 0
    rewrite(lambda lines: [*lines[:-1], lines[-1].replace(composed, unicodedata.normalize("NFD", composed))])
    refused(command, board, "they differ in Unicode form (write both as NFC)")


def gold(folder: Path) -> dict[str, list[str]]:
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    return {row["id"]: row["supporting_ids"] for row in rows}


def test_lists_of_the_answers_alone(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    """21 of 40 lists are only gold: refused; 20 are said."""
    own = gold(Path("tiny"))

    def cut(lines: list[str], count: int) -> list[str]:
        chosen = {f"q{n}" for n in range(count)}
        kept = [line for line in lines if line.split()[0] not in chosen]
        return [*kept, *(f"{q} Q0 {doc} {n} {1 / n} x" for q in sorted(chosen) for n, doc in enumerate(own[q], 1))]

    rewrite(lambda lines: cut(lines, 20))
    status, lines = check(command, board)
    assert status == 0
    assert "note     dense: 20 of 40 lists hold nothing but supporting passages" in lines
    assert "note     dense: 20 of 40 lists hold fewer than 10 passages" in lines
    rewrite(lambda lines: cut(lines, 21))
    refused(command, board, "21 of 40 lists hold nothing but supporting passages: made or cut by the answers")


def test_answers_first_and_others_behind(command: Command, board: Path, rewrite: Callable[[Change], None]) -> None:
    own = gold(Path("tiny"))

    def first(lines: list[str]) -> list[str]:
        rest = [line.split() for line in lines]
        kept = [" ".join([*line[:3], "9", "0", "x"]) for line in rest if line[2] not in own[line[0]]]
        return [*(f"{q} Q0 {doc} {n} {1 / n} x" for q in own for n, doc in enumerate(own[q], 1)), *kept]

    rewrite(first)
    status, lines = check(command, board)
    assert status == 0
    assert "note     dense: 40 of 40 lists begin with all supporting passages: made from the answers?" in lines


def test_questions_left_out_count_as_not_found(
    command: Command, board: Path, rewrite: Callable[[Change], None]
) -> None:
    before = float(check(command, board)[1][0].rpartition(" ")[2].rstrip("%"))
    rewrite(lambda lines: [line for line in lines if int(line.split()[0][1:]) < 10])
    status, lines = check(command, board)
    assert status == 0
    assert "note     dense: 30 of 40 questions have no list, and count as not found" in lines
    assert float(lines[0].rpartition(" ")[2].rstrip("%")) <= before
    assert lines[0].split(", ")[1] == check(command, board)[1][0].split(", ")[1]


def test_the_lists_of_another(command: Command, board: Path) -> None:
    """A byte copy under another name, and one with other scores in the same order."""
    folder = board / "submissions"
    shutil.copytree(folder / "graph", folder / "mine")
    shutil.rmtree(folder / "dense")
    shutil.copytree(folder / "mine", folder / "dense")
    status, lines = check(command, board)
    assert status == 0
    assert lines[1] == "note     dense: its lists are those of graph, mine, passage by passage"


def test_other_scores_in_the_same_order_are_the_same_lists(
    command: Command, board: Path, rewrite: Callable[[Change], None]
) -> None:
    shutil.copytree(board / "submissions" / "dense", board / "submissions" / "first")

    def rescaled(line: str) -> str:
        query, q0, doc, rank, score, tag = line.split()
        return f"{query} {q0} {doc} {rank} {7 * float(score) + 1!r} {tag}"

    rewrite(lambda lines: [rescaled(line) for line in lines])
    assert check(command, board)[1][1] == "note     dense: its lists are those of first, passage by passage"


def test_a_claim_that_the_lists_do_not_give(
    command: Command, board: Path, rewrite_card: Callable[[str, str], None]
) -> None:
    share = float(check(command, board)[1][0].rpartition(" ")[2].rstrip("%")) / 100
    rewrite_card("licence: ", f"claims: {{last_hop@5: {share:.3f}}}\nlicence: ")
    assert check(command, board)[0] == 0
    rewrite_card(f"{share:.3f}", f"{share + 0.05:.3f}")
    refused(command, board, f"card.yaml claims last_hop@5 {share + 0.05:.4f} on test, its lists give {share:.4f}")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cost: none", "cost: null", "no value for cost"),
        ("licence: CC0-1.0", "licence: ''", "licence = '', expected a text"),
        ("licence: CC0-1.0", "licence: [a]", "licence = \"['a']\", expected a text"),
        ("encoder: none", f"encoder: {'x' * 201}", "expected a text of at most 200 characters"),
        ("training data: []", "training data: [nq]", "expected a text"),
        ("training data: []", "training data: {name: nq}", "expected a list of {name: ..., split: ...}"),
        ("licence: CC0-1.0", "licence: MIT\nclaims: {last_hop@5: .nan}", "claims: last_hop@5 must be in [0, 1]"),
        ("licence: CC0-1.0", "licence: MIT\nclaims: {last_hopp@5: 0.1}", "metric last_hopp@5 is not known"),
        ("version: 1", f"version: 0x{'f' * 9000}", "card.yaml: Exceeds the limit"),
        ("licence: CC0-1.0", "licence: !!timestamp x", "no YAML (a value that is not of its tag"),
        ("licence: CC0-1.0", "licence: !!python/object/apply:os.system [ls]", "no YAML"),
        ("name: tiny", "name: huge", "hashes: has the benchmark tiny, card.yaml is of huge"),
    ],
)
def test_cards(
    command: Command, board: Path, rewrite_card: Callable[[str, str], None], old: str, new: str, message: str
) -> None:
    rewrite_card(old, new)
    status, lines = check(command, board)
    assert status == 2
    assert len(lines) == 1
    assert message in lines[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Claims: {last_hop@5: 0.99}", "card.yaml: Claims is read by nobody (did you mean claims?)"),
        ("version: 3", "card.yaml: no YAML ('version' stands twice in one object; keep one of its entries)"),
    ],
)
def test_a_card_with_a_key_misspelt_or_twice(
    command: Command, board: Path, rehash: Callable[[], None], line: str, message: str
) -> None:
    with (board / "submissions" / "dense" / "card.yaml").open("a") as stream:
        stream.write(f"{line}\n")
    rehash()
    refused(command, board, message)
