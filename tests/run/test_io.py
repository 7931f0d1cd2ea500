"""Lists by file ending: JSON, Parquet, several files at once, and the objects of other
libraries.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.command import fuse
from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold
from harness.evaluation.run_evaluation import evaluate
from harness.run import Run
from harness.run import io as lists
from harness.run.form import FORMS, Form

LISTS = {"q1": {"d2": 0.9, "d1": 0.5}, "q2": {"d1": 3.0}}
WORDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=5
)
DATES = st.sampled_from(
    ["2019-04-18", "2020-01-02 10:00:00", "007", "7", "1e5", "NaN", "null", "true", "-", "#", "{}"]
)
HOSTILE = st.text(
    st.sampled_from('ab",\t \u2028\u00e9e\u0301\u200b\ufeff\u0085\\'), min_size=1, max_size=6
)
BROKEN = st.text(st.sampled_from('a",\n\r\t\x0b\x00\x1c'), min_size=1, max_size=4)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TIED = st.sampled_from([0.1 + 0.2, 0.3, -0.0, 0.0, 5e-324, 1e300])
LETTERS = st.text(min_size=1, max_size=4)
IDS = WORDS | DATES | HOSTILE | BROKEN | LETTERS
PACKED = [".gz"]
WRITTEN = [(form, "") for form in FORMS if form.write] + [
    (form, ending) for form in FORMS if form.write and form.packed for ending in PACKED
]


@pytest.mark.parametrize(
    ("form", "packing"), WRITTEN, ids=lambda one: getattr(one, "name", one or "plain")
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(data=st.data())
def test_a_run_round_trips_to_the_bit(
    tmp_path: Path, form: Form, packing: str, data: st.DataObject
) -> None:
    """In each form that is written, for every id that it can carry; others are refused, and no file
    is made.
    """
    lists_of = st.dictionaries(IDS, NUMBERS | TIED, min_size=1, max_size=5)
    run = Run.from_dict(data.draw(st.dictionaries(IDS, lists_of, min_size=1, max_size=4)))
    path = tmp_path / f"run.{form.ending or 'trec'}{packing}"
    path = path.with_name(data.draw(st.sampled_from([path.name, path.name.upper()])))
    path.unlink(missing_ok=True)
    ids = [*run.query_ids.to_pylist(), *run.doc_ids.to_pylist()]
    if form.refused and any(re.search(form.refused[0], name) for name in ids):
        with pytest.raises(HarnessError, match=form.refused[1]):
            lists.write(run, path)
        assert not path.exists()
        return
    lists.write(run, path)
    again = lists.read(path)
    assert again.query_ids.equals(run.query_ids)
    assert again.doc_ids.equals(run.doc_ids)
    assert again.docs.tolist() == run.docs.tolist()
    assert again.scores.tobytes() == run.scores.tobytes()


def test_the_page_of_forms_and_the_help_name_each_form() -> None:
    page = (Path(__file__).parents[2] / "reports/docs/pages/own-runs.md").read_text()
    rows = [(form.name, form.holds) for form in (*FORMS, lists.FOLDER)]
    table = page[page.index("| form |") : page.index("| gold |")]
    assert not [text for row in rows for text in row if text not in table]
    assert all(
        f".{form.ending}" in str(fuse.__doc__) for form in FORMS if form.write and form.ending
    )


ROWS = [
    ("q0", "a", 1.0),
    ("q0", '"Weird Al 3', 0.5),
    ("q1", '"Heroes" (album)', 0.9),
    ("q1", 'Al" Yankovic', 0.25),
]


@pytest.mark.parametrize(("form", "gap"), [("tsv", "\t"), ("csv", ",")])
def test_a_double_quote_that_quotes_nothing_is_a_letter(
    tmp_path: Path, form: str, gap: str
) -> None:
    path = tmp_path / f"run.{form}"
    lines = [
        gap.join(map(str, row))
        for row in (("query_id", "doc_id", "score"), *ROWS, ("q1", '"b"', 0.1))
    ]
    path.write_text("\r\n".join(lines))
    found = lists.read(path).to_dict()
    assert found == {
        "q0": {"a": 1.0, '"Weird Al 3': 0.5},
        "q1": {'"Heroes" (album)': 0.9, 'Al" Yankovic': 0.25, "b": 0.1},
    }


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "r.csv",
            'qid,docno,score\nq1,"a,1\nq2,b",2\n',
            ":2: a double quote opens here and closes at line 3, but 2 of",
        ),
        (
            "r.csv",
            'qid,docno,score\nq1,"a,1\nq2,b,2,2\nq2,b,1\nq3,b",2\n',
            "5, but 3 of these 4 lines are rows",
        ),
        ("r.tsv", "qid\tdocno\tscore\nq1\ta\n", ":2: expected 3 fields, as the head has, found 2"),
        (
            "r.csv",
            "qid,docno,score\n\nq1,a,1\nq1,b,1,9\n",
            ":4: expected 3 fields, as the head has, found 4",
        ),
        (
            "r.csv",
            "qid,docno,score\nq1,a,high\n",
            ":2: column score: expected a number, got 'high'",
        ),
        ("r.csv", "qid,docno,score\nq1,a,\n", ":2: column score is empty"),
        ("r.csv", "qid,docno,score\nq1,,1\n", "row 1: the id of a document is empty"),
        ("r.csv", "qid,docno,score\n", "there are no rows"),
        (
            "r.jsonl",
            '{"qid": "q", "docno": "d", "score": 1}\n{"qid": "q", "docno": 1.5, "score": 1}',
            ":2: column docno",
        ),
        (
            "r.jsonl",
            '{"qid": "q", "docno": "d", "score": "0.9x"}',
            ":1: column score: expected a number, got '0.9x'",
        ),
        (
            "r.jsonl",
            '{"qid": "q", "docno": "d", "score": 1}\n{"qid": "q", "score": 1}',
            ":2: column docno is empty",
        ),
        ("r.jsonl", '{"qid": "q", "docno": "", "score": 1}', ":1: the id of a document is empty"),
        ("r.json", '{"q": {"": 1}}', "entry 1: the id of a document is empty"),
    ],
)
def test_a_row_that_is_refused_is_named(tmp_path: Path, name: str, text: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(HarnessError) as caught:
        lists.read(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def test_a_csv_may_have_texts_over_several_lines_beside_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('qid,docno,score,text\nq1,a,1,"first, line\nsecond ""line"""\nq1,b,2,x\n')
    assert lists.read(path).to_dict() == {"q1": {"b": 2.0, "a": 1.0}}


@pytest.mark.parametrize(
    "ids", [("2019-04-18", "x"), ("2019-04-18", "2020-01-02"), ("007", "7"), (1, "x"), (10**30, 2)]
)
def test_ids_in_json_lines_are_texts(tmp_path: Path, ids: tuple[object, ...]) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(
        "".join(json.dumps({"query_id": "q", "doc_id": one, "score": 1}) + "\n" for one in ids)
    )
    assert sorted(lists.read(path).to_dict()["q"]) == sorted(map(str, ids))


def test_a_table_without_a_head_that_has_the_six_fields_of_trec_is_read_as_such(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r.tsv"
    path.write_text("q1\tQ0\td1\t1\t9\ts\nq1\tQ0\td3\t2\t8\ts\n")
    assert lists.read(path).to_dict() == {"q1": {"d1": 9.0, "d3": 8.0}}


def test_packed_lists_are_read_whatever_they_are_called(tmp_path: Path) -> None:
    text = b"q1 Q0 d1 1 9 s\nq1 Q0 d3 2 8 s\n"
    (tmp_path / "packed").write_bytes(gzip.compress(text))
    for name in ("run.trec.gz", "run.trec", "run"):
        (tmp_path / name).write_bytes((tmp_path / "packed").read_bytes())
        assert lists.read(tmp_path / name).to_dict() == {"q1": {"d1": 9.0, "d3": 8.0}}
    data = (tmp_path / "packed").read_bytes()
    (tmp_path / "cut.trec").write_bytes(data[: len(data) - 4])
    with pytest.raises(HarnessError, match=r"cut\.trec:.*"):
        lists.read(tmp_path / "cut.trec")


def test_a_pipe_is_one_line() -> None:
    """``run=<(command)`` of a shell: a file is read more than once."""
    out, into = os.pipe()
    os.write(into, b"q1 Q0 d1 1 9 s\n")
    os.close(into)
    with pytest.raises(HarnessError, match=rf"^/dev/fd/{out}"):
        lists.read(f"/dev/fd/{out}")
    os.close(out)


def test_input_without_end_is_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "nobody.trec")
    for endless in (tmp_path / "nobody.trec", Path("/dev/zero")):
        with pytest.raises(HarnessError, match="a pipe or a device, which may have no end"):
            lists.read(endless)
    with gzip.open(tmp_path / "blank.trec.gz", "wb") as stream:
        stream.write(b"\n" * ((1 << 26) + 1))
    with pytest.raises(HarnessError, match="200 times"):
        lists.read(tmp_path / "blank.trec.gz")


def test_what_is_packed_in_another_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"run\.trec\.zip"):
        lists.write(Run.from_dict(LISTS), tmp_path / "run.trec.zip")
    with pytest.raises(HarnessError, match=r"run\.parquet\.gz:.*run\.parquet$"):
        lists.write(Run.from_dict(LISTS), tmp_path / "run.parquet.gz")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.trec", "")
        archive.writestr("b.trec", "")
    for name in ("run.tar", "run.tar.gz"):
        with tarfile.open(tmp_path / name, "w:gz" if name.endswith("gz") else "w") as archive:
            archive.add(tmp_path / "two.zip", "a.trec")
        with pytest.raises(HarnessError, match=rf"{name}"):
            lists.read(tmp_path / name)
    with pytest.raises(HarnessError, match=r"two\.zip:"):
        lists.read(tmp_path / "two.zip")


def test_several_files_share_queries_and_documents(tmp_path: Path) -> None:
    Run.from_dict(LISTS).to_trec(tmp_path / "a.trec")
    (tmp_path / "b.json").write_text('{"q0": {"a": 1}, "q1": {}, "q2": {"d2": 1, "z": 2}}')
    runs = lists.read_all({"a": tmp_path / "a.trec", "b": tmp_path / "b.json"})
    assert runs["a"].query_ids.to_pylist() == runs["b"].query_ids.to_pylist() == ["q1", "q2", "q0"]
    assert runs["a"].doc_ids.to_pylist() == runs["b"].doc_ids.to_pylist() == ["a", "d1", "d2", "z"]
    assert runs["a"].to_dict() == {**LISTS, "q0": {}}
    assert runs["b"].to_dict() == {"q1": {}, "q2": {"z": 2.0, "d2": 1.0}, "q0": {"a": 1.0}}


def test_a_run_of_one_score_in_memory_has_no_ranks_to_contradict(
    caplog: pytest.LogCaptureFixture,
) -> None:
    constant = Run.from_dict({"q": {"a": 1.0, "b": 1.0}})
    assert lists.read_all({"one": constant})["one"].equals(constant)
    assert not caplog.text


@pytest.mark.parametrize(
    ("dumped", "expected"),
    [
        ({"q": ["a", "b"]}, {"q": {"a": 1.0, "b": 0.5}}),
        ({"q": [["a", 0.9], ["b", 0.1]]}, {"q": {"a": 0.9, "b": 0.1}}),
    ],
)
def test_lists_in_json(tmp_path: Path, dumped: object, expected: object) -> None:
    (tmp_path / "run.json").write_text(json.dumps(dumped))
    assert lists.read(tmp_path / "run.json").to_dict() == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "broken JSON"),
        ("[]", "found a list"),
        ("{}", "found an empty object"),
        ('{"q": 3}', "query q: expected {document id: number}, pairs or ids, got an int, 3"),
        ('{"q": [{"page_content": "x"}]}', "query q: the id of a document: expected a text or"),
        ('{"q": ["d", "d"]}', "query q: document d is repeated"),
        (
            '{"q": ["a", ["d", 1]]}',
            "query q: entry 2: some have a score and some have none; give all one",
        ),
        ('{"q": [["d", null]]}', "query q, document d: expected a number, got None"),
        ('{"q": {"d": "high"}}', "document d: expected a number, got 'high'"),
        ('{"q": {"d": true}}', "got True"),
        ('{"q": {"d": null}}', "got None"),
        ('{"q": {"d": NaN}}', "finite number, got nan"),
        ('{"q": {"d": 1e999}}', "finite number, got inf"),
        ('{"q": {"d": 1, "d": 2}}', "'d' is repeated"),
        ('{"q": {"d": 1}, "q": {}}', "'q' is repeated"),
        ('{"q":\n {"d": 1,}}', ":2: broken JSON"),
        ('{"\\ud800": {"d": 1}}', "half of a surrogate pair"),
        ('{"q": {"d": 1' + "0" * 400 + "}}", "does not fit"),
        ('{"q": {"d": 1' + "0" * 5000 + "}}", "broken JSON"),
        ("[" * 100_000, "broken JSON"),
    ],
)
def test_json_that_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(HarnessError) as caught:
        lists.read(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def table(tmp_path: Path, form: str, **columns: Sequence[object]) -> Path | pd.DataFrame:
    """The same rows in a file, or in a data frame."""
    frame = pd.DataFrame(columns)
    path = tmp_path / f"run.{form}"
    match form:
        case "csv" | "tsv":
            frame.to_csv(path, index=False, sep="," if form == "csv" else "\t")
        case "jsonl":
            frame.to_json(path, orient="records", lines=True)
        case "parquet":
            frame.to_parquet(path)
        case _:
            return frame
    return path


TABLES = pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet", "frame"])
COLUMNS: dict[str, Sequence[object]] = {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"]}


@TABLES
def test_ranks_in_tables(tmp_path: Path, form: str) -> None:
    """They order a list alone, may not contradict its scores, and are no scores themselves."""
    found = lists.read(table(tmp_path, form, **COLUMNS, rank=[3, 1, 2]))
    assert found.to_dict() == {"q": {"b": 1.0, "c": 1 / 2, "a": 1 / 3}}
    with pytest.raises(HarnessError, match=r"rank 2.*0.5.*negate"):
        lists.read(table(tmp_path, form, **COLUMNS, score=[0.1, 0.5, 0.9], rank=[1, 2, 3]))
    (note,) = lists.read(table(tmp_path, form, **COLUMNS, score=[0.1, 0.5, 0.9])).notes
    assert "scores of each list rise" in note
    assert "negated" in note
    counted = table(tmp_path, form, **COLUMNS, score=[1, 2, 3])
    with pytest.raises(HarnessError, match=r"columns=\{rank: NAME\}"):
        lists.read(counted)
    assert [*lists.read(counted, columns={"rank": "score"}).to_dict()["q"]] == ["a", "b", "c"]


@TABLES
def test_rising_scores_in_tables(tmp_path: Path, form: str) -> None:
    """7! = 5,040 orders are few, 8! = 40,320 are not."""
    for size in (7, 8):
        columns: dict[str, Sequence[object]] = {
            "query_id": ["q"] * size,
            "doc_id": [*"abcdefgh"[:size]],
            "score": [place / 10 for place in range(size)],
        }
        path = table(tmp_path, form, **columns)
        if size == 7:
            assert [*lists.read(path).to_dict()["q"]] == [*"gfedcba"]
            continue
        with pytest.raises(HarnessError, match=r"scores of each list rise.*negated"):
            lists.read(path)


@TABLES
def test_names_of_columns_have_no_case_and_no_outer_blanks(tmp_path: Path, form: str) -> None:
    """A rank under such a name is read, too, and so is a system."""
    columns = {"Query_ID": ["q"] * 3, " doc_id": ["a", "b", "c"], "Rank": [3, 1, 2]}
    found = lists.read(table(tmp_path, form, **columns, Model=["m", "n", "m"]))
    assert found.to_dict() == {"q": {"b": 1.0, "c": 1 / 2, "a": 1 / 3}}
    assert ["entries of 2 systems (m, n)" in note for note in found.notes] == [True]
    with pytest.raises(HarnessError, match=r"rank 2.*0.5.*negate"):
        lists.read(table(tmp_path, form, **COLUMNS, score=[0.1, 0.5, 0.9], Rank=[1, 2, 3]))
    with pytest.raises(HarnessError, match="2 columns are called score"):
        lists.read(table(tmp_path, form, **COLUMNS, score=[0.9] * 3, Score=[0.1] * 3))


def test_rising_scores_in_json(tmp_path: Path) -> None:
    """The keys of an object need not be best first: 3!^3 = 216 orders are few, 4!^3 are not."""
    few = {query: {"a": 0.5, "b": 1.0, "c": 2.0} for query in ("p", "q", "r")}
    assert [*Run.from_dict(few).to_dict()["q"]] == ["c", "b", "a"]
    assert Run.from_dict(few).notes == []
    path = tmp_path / "distances.json"
    path.write_text(json.dumps({query: {**found, "d": 2.5} for query, found in few.items()}))
    found = lists.read(path)
    assert [*found.to_dict()["q"]] == ["d", "c", "b", "a"]
    (note,) = found.notes
    assert "distances.json" in note
    assert "negated" in note


@TABLES
def test_what_faiss_fills_lists_with_is_passed_over(tmp_path: Path, form: str) -> None:
    given: dict[str, Sequence[object]] = {"query_id": ["q", "q", "r"], "doc_id": ["5", "-1", "-1"]}
    found = lists.read(table(tmp_path, form, **given, score=[0.5, -3.4028234663852886e38, 3.41e38]))
    assert found.to_dict() == {"q": {"5": 0.5}, "r": {}}
    assert ["left out 2 entries of FAISS's padding" in note for note in found.notes] == [True]
    run = Run.of(["q"], ["5"], [0, 0], [0, -1], [0.5, -3.4028234663852886e38])
    assert run.to_dict() == {"q": {"5": 0.5}}


def test_what_cannot_be_a_run_is_refused() -> None:
    with pytest.raises(HarnessError, match="query q: a set has no order"):
        Run.from_dict({"q": {"a", "b"}})
    with pytest.raises(HarnessError, match="query q: a set has no order"):
        Gold.from_dict({"q": {"a", "b"}}, ordered=True)
    assert len(Gold.from_dict({"q": {"a", "b"}})) == 1
    for docs in (["b", "a"], ["a", "a"]):
        with pytest.raises(HarnessError, match="doc_ids:"):
            Run.of(["q"], docs, [0], [0], [1.0])
    with pytest.raises(HarnessError, match="query_ids: q"):
        Run.of(["q", "q"], ["a"], [0], [0], [1.0])


@TABLES
def test_entries_of_several_systems_are_told(tmp_path: Path, form: str) -> None:
    """In one list, whatever the form; a file of one system says nothing."""
    for systems, told in ((["a", "b", "a"], "entries of 2 systems (a, b)"), (["a"] * 3, "")):
        found = lists.read(table(tmp_path, form, **COLUMNS, score=[3, 2, 1], tag=systems))
        assert [told in note for note in found.notes] == [True] * bool(told)


@pytest.mark.parametrize("head", ["", "sep=;\n"])
def test_values_between_semicolons(tmp_path: Path, head: str) -> None:
    """As a European Excel writes them."""
    (tmp_path / "run.csv").write_text(f'{head}query_id;doc_id;score\nq;"a;1";0.9\nq;b;0.8\n')
    assert lists.read(tmp_path / "run.csv").to_dict() == {"q": {"a;1": 0.9, "b": 0.8}}
    (tmp_path / "run.csv").write_text(f"{head}query_id;doc_id;score\nq;a;0,9\n")
    with pytest.raises(HarnessError, match=f"run.csv:{2 + bool(head)}"):
        lists.read(tmp_path / "run.csv")


@pytest.mark.parametrize("names", [("query_id", "doc_id"), ("qid", "docno"), ("q_id", "doc_id")])
def test_frames_of_other_tools(tmp_path: Path, names: tuple[str, str]) -> None:
    frame = pd.DataFrame(
        {
            names[0]: ["q1", "q1", "q2"],
            "extra": 1,
            names[1]: ["d1", "d2", "d1"],
            "score": [0.5, 0.9, 3],
        }
    )
    for same in (frame, frame.set_index(list(names)), pa.RecordBatch.from_pandas(frame)):
        assert Run.from_frame(same).to_dict() == LISTS
    frame.to_parquet(tmp_path / "run.parquet")
    assert lists.read(tmp_path / "run.parquet").to_dict() == LISTS


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"qid": ["q"], "score": [1.0]},
            "the columns query_id, doc_id, score; found qid, score; name yours: 'columns=",
        ),
        ({"qid": ["q"], "docno": ["d"], "score": ["x"]}, "column score: expected"),
        ({"qid": ["q"], "docno": [None], "score": [1.0]}, "row 1: column docno is empty; give it"),
        (
            {"qid": ["q", "q"], "docno": ["d", "d"], "score": [1.0, 2.0]},
            "row 2: query q holds document d twice",
        ),
        (
            {"qid": ["q"], "docno": ["d"], "score": [float("inf")]},
            "row 1: query q: the score of document d",
        ),
    ],
)
def test_parquet_that_is_refused(
    tmp_path: Path, columns: dict[str, list[object]], words: str
) -> None:
    pd.DataFrame(columns).to_parquet(tmp_path / "run.parquet")
    with pytest.raises(HarnessError) as caught:
        lists.read(tmp_path / "run.parquet")
    assert words in str(caught.value)


def test_parquet_with_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    columns = [pa.array(["q"]), pa.array(["a"]), pa.array(["b"]), pa.array([1.0])]
    pq.write_table(
        pa.Table.from_arrays(columns, ["qid", "docno", "docno", "score"]), tmp_path / "run.parquet"
    )
    with pytest.raises(HarnessError, match=r"run\.parquet: 2"):
        lists.read(tmp_path / "run.parquet")


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run.parquet"])
def test_damaged_files_are_read_or_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    lists.write(Run.from_dict(LISTS), path)
    whole, rng = path.read_bytes(), random.Random(5)
    for _ in range(700):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.2 else data)
        try:
            run = lists.read(path)
        except HarnessError as error:
            message = str(error)
        else:
            assert np.isfinite(run.scores).all()
            continue
        assert message.startswith(str(path))
        assert "\n" not in message


def test_missing_files(tmp_path: Path) -> None:
    for name in ("run.json", "run.parquet", "run.trec"):
        with pytest.raises(HarnessError, match="no such file"):
            lists.read(tmp_path / name)


def test_ir_measures_scores_what_we_hand_over() -> None:
    run = Run.from_dict(LISTS)
    lists = run.to_dict().items()
    scored = [
        ir_measures.ScoredDoc(query, doc, score)
        for query, docs in lists
        for doc, score in docs.items()
    ]
    qrels = [ir_measures.Qrel("q1", "d1", 1), ir_measures.Qrel("q2", "d1", 1)]
    assert ir_measures.calc_aggregate([ir_measures.RR], qrels, scored)[ir_measures.RR] == 0.75


def test_pytrec_eval_scores_what_we_hand_over() -> None:
    found = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 1}}, {"recip_rank"}).evaluate(
        Run.from_dict(LISTS).to_dict()
    )
    assert found["q1"]["recip_rank"] == 0.5


def test_pandas_there_and_back() -> None:
    frame = Run.from_dict(LISTS).to_frame()
    assert frame.columns.tolist() == ["query_id", "doc_id", "rank", "score"]
    assert frame["rank"].tolist() == [1, 2, 1]
    assert Run.from_frame(frame).to_dict() == LISTS


def test_json_is_what_json_reads(tmp_path: Path) -> None:
    lists.write(Run.from_dict(LISTS), tmp_path / "run.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "run.json.gz").read_bytes())) == LISTS


def test_gold_is_the_qrels_of_other_tools_there_and_back() -> None:
    gold = Gold.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 0}})
    assert (gold.to_dict(), gold.supporting, [*gold.nothing]) == (
        {"q1": {"d1": 2, "d2": 0}},
        [["d1"]],
        ["q2"],
    )
    found = pytrec_eval.RelevanceEvaluator(gold.to_dict(), {"recip_rank"}).evaluate(LISTS)
    ours = evaluate(Run.from_dict(LISTS), gold, "mrr")
    assert ours["per_query"]["q1"]["mrr"] == found["q1"]["recip_rank"]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"query": {"qid": "0"}, "candidates": [{"docid": "a", "score": 1.5}]}, "candidates"),
        ({"qid": "0", "docs": ["a", "b"], "scores": [2.0, 1.0]}, "docs, scores"),
    ],
)
def test_a_line_with_a_whole_list_needs_no_other_names(
    tmp_path: Path, row: dict[str, object], named: str
) -> None:
    """Requests of RankLLM, and lists of a query; a line for each entry is read."""
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(HarnessError, match=rf"run\.jsonl:1: .*\({named}\).*each entry") as caught:
        lists.read(path)
    assert "columns=" not in str(caught.value)
    path.write_text('{"query_id": "0", "doc_id": "a", "score": 1.5, "words": ["x"]}\n')
    assert lists.read(path).to_dict() == {"0": {"a": 1.5}}


def test_a_list_of_records_in_json_says_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "intermediate.json"
    path.write_text(json.dumps([{"id": "0", "output": {}}]))
    with pytest.raises(HarnessError, match=r"a list of records with id, output; .*\.jsonl"):
        lists.read(path)


def test_judgements_of_a_whole_data_set(tmp_path: Path) -> None:
    """LlamaIndex's form; what the message tells to write is read."""
    path = tmp_path / "qa.json"
    whole = {
        "queries": {"u": "?"},
        "corpus": {"n": "text"},
        "relevant_docs": {"u": ["n"]},
        "mode": "x",
    }
    path.write_text(json.dumps(whole))
    with pytest.raises(HarnessError, match="what is under relevant_docs to a file of its own"):
        Gold.read(path)
    path.write_text(json.dumps(whole["relevant_docs"]))
    assert Gold.read(path).query_ids == ["u"]


def test_a_relevance_of_trec_may_have_a_decimal_point(tmp_path: Path) -> None:
    """trec_eval reads 1.0 as 1; 0.5 is no relevance."""
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 a 1.0\nq 0 b 0.0\nq 0 c 2.\nr 0 a 1\n")
    gold = Gold.read(path)
    assert gold.supporting == [["a", "c"], ["a"]]
    path.write_text("q 0 a 0.5\n")
    with pytest.raises(HarnessError, match=r"qrels\.txt:1: the relevance must be a whole number"):
        Gold.read(path)
