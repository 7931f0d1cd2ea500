"""Gold files: ours with hop order, qrels without, and what is refused."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import hydra
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.benchmark import UNORDERED, md5_split
from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold, short_source
from harness.evaluation.run_evaluation import evaluate
from harness.run import Run
from tests.world.folder import write_benchmark

OURS = b"""{"id": "q1", "supporting_ids": ["b", "a"], "hops": 2, "type": "bridge", "question": "?"}
{"id": "q2", "supporting_ids": ["z"]}
"""
QRELS = b"q1 0 b 1\nq1 0 x 0\nq1 0 a 2\nq3 0 c 0\nq2 0 z 1\n"


def read(folder: Path, data: bytes) -> Gold:
    path = folder / "gold"
    path.write_bytes(data)
    return Gold.read(path)


@pytest.mark.parametrize(
    "data", [OURS, gzip.compress(OURS, mtime=0), b"\xef\xbb\xbf" + OURS.replace(b"\n", b"\r\n\n")]
)
def test_ours(tmp_path: Path, data: bytes) -> None:
    gold = read(tmp_path, data)
    assert gold.query_ids == ["q1", "q2"]
    assert gold.supporting == [["b", "a"], ["z"]]
    assert (gold.hops, gold.types, gold.has_last_hop.tolist()) == (
        [2, None],
        ["bridge", None],
        [True, True],
    )


def test_a_disjoint_split_keeps_queries_that_share_gold_passages_together(tmp_path: Path) -> None:
    """q0, q7, q14, ... are linked through one passage each with the next: they go where the MD5 of
    q0 sends it.
    """
    lines = [
        b'{"id": "q%d", "supporting_ids": %s}\n'
        % (n, (b'["s%d", "s%d"]' % (n, n + 7)) if n % 7 == 0 else b'["d%d"]' % n)
        for n in range(50)
    ]
    gold = read(tmp_path, b"".join(lines))
    linked = [f"q{n}" for n in range(0, 50, 7)]
    assert {md5_split(query) for query in linked} == {"tune", "test"}
    parts = {name: gold.split(name, "disjoint") for name in ("tune", "test")}
    for name, part in parts.items():
        own = [
            query for query in gold.query_ids if query not in linked and md5_split(query) == name
        ]
        assert sorted(part.query_ids) == sorted(own + (linked if md5_split("q0") == name else []))
        assert part.part == f"{name} (disjoint)"
    assert gold.split("all", "disjoint").part == "all"
    with pytest.raises(HarnessError, match=r"splitting"):
        gold.split("tune", "random")


@pytest.mark.parametrize(
    "data",
    [QRELS, gzip.compress(QRELS, mtime=0), QRELS.replace(b" ", b"\t"), QRELS.replace(b" ", b"  ")],
)
def test_qrels_have_no_hop_order(tmp_path: Path, data: bytes) -> None:
    gold = read(tmp_path, data)
    assert gold.query_ids == ["q1", "q2"]
    assert gold.supporting == [["b", "a"], ["z"]]
    assert (gold.hops, gold.types, gold.ordered) == ([None, None], [None, None], False)


def test_numbers_keep_hop_order_and_tell_what_the_run_lacks(tmp_path: Path) -> None:
    gold = read(tmp_path, OURS)
    assert gold.numbers(pa.array(["a", "b", "c"])).tolist() == [[1, 0], [3, -1]]


def test_where_one_order_is_unknown_that_row_says_so(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    rows = [
        {"id": "q1", "supporting_ids": ["b", "a"], "type": "chain"},
        {"id": "q2", "supporting_ids": ["a"]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    gold = Gold.read(path, chain={"type": ["chain"]})
    assert gold.numbers(pa.array(["a", "b"])).tolist() == [[1, 0, -1], [0, -1, UNORDERED]]


def test_splits_are_those_of_the_md5_rule(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "q%d", "supporting_ids": ["d"]}\n' % number for number in range(50))
    gold = read(tmp_path, lines)
    assert gold.split("tune").query_ids == [
        query for query in gold.query_ids if md5_split(query) == "tune"
    ]
    assert len(gold.split("tune")) + len(gold.split("test")) == len(gold.split("all")) == 50


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"", "", "empty"),
        (OURS + b'{"id": "q1", "supporting_ids": ["c"]}', ":3", "query q1 is already in"),
        (OURS + b'{"id": "q3", "supporting_ids": [}', ":3", "broken JSON"),
        (OURS + b'{"id": 3, "supporting_ids": ["c"]}', ":3", "text as id"),
        (
            OURS + b'{"id": "q3", "supporting_ids": [1, 2]}',
            ":3",
            'write the ids as texts: ["1", "2"]',
        ),
        (
            OURS + b'{"id": "q3", "supporting_ids": [""]}',
            ":3",
            "a list of document ids, found ['']",
        ),
        (OURS + b'{"id": "q3", "supporting_ids": ["c", ["d"]]}', ":3", "found ['c', ['d']]"),
        (OURS + b'{"id": "", "supporting_ids": ["c"]}', ":3", "a text as id"),
        (b'{"id": "q", "supporting_ids": []}', "", "nothing to find"),
        (OURS + b'{"id": "q3"}', ":3", "supporting_ids is missing"),
        (OURS + b'{"id": "q3", "supporting_ids": ["c", "c"]}', ":3", "twice"),
        (OURS + b'{"id": "q3", "supporting_ids": ["c"], "hops": "two"}', ":3", "hops must be"),
        (OURS + b'{"id": "\\ud800", "supporting_ids": ["c"]}', ":3", "half of a surrogate pair"),
        (OURS + b"[" * 100_000, ":3", "broken JSON"),
        (OURS + b'{"id": "\xff"}', ":3", "UTF-8"),
        (QRELS + b"q1 0 b\n", ":6", "found 3"),
        (QRELS + b"q1 0 w high\n", ":6", "whole number, got 'high'"),
        (QRELS + b"q1 0 w 0x1\n", ":6", "whole number, got '0x1'"),
        (
            QRELS + b"q1 Q0 w 1 0.5 s\n",
            ":6",
            "this is a run; expected judgements, `qid 0 docid relevance`",
        ),
        (QRELS + b"q1 0 b 0\n", ":6", "q1 holds document b twice, first at"),
        (b"q1 0 b 0\n", "", "nothing to find"),
        (gzip.compress(OURS, mtime=0)[:-4], "", "damaged gzip"),
    ],
)
def test_what_is_refused(tmp_path: Path, data: bytes, place: str, words: str) -> None:
    with pytest.raises(HarnessError) as caught:
        read(tmp_path, data)
    assert str(caught.value).startswith(f"{tmp_path / 'gold'}{place}: ")
    assert words in str(caught.value)
    assert ("write the ids as texts" in str(caught.value)) == (b"[1, 2]" in data)


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    rng = random.Random(3)
    for _ in range(500):
        data = bytearray(rng.choice([OURS, QRELS, gzip.compress(OURS, mtime=0)]))
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
            del data[rng.randrange(len(data)) :][: rng.randint(0, 3)]
        try:
            gold = read(tmp_path, bytes(data))
        except HarnessError:
            continue
        assert len(gold) == len(set(gold.query_ids)) > 0
        assert all(gold.supporting)


def test_a_folder_of_a_benchmark_is_gold_within_a_command_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_RUNS", str(tmp_path / "runs"))
    query = {
        "id": "q",
        "question": "?",
        "answers": ["x"],
        "supporting_ids": ["p1", "p0"],
        "hops": 2,
        "type": "bridge",
    }
    write_benchmark(tmp_path, {"A": "t", "B": "u"}, [query])
    with hydra.initialize_config_dir(str(tmp_path), version_base="1.3"):
        gold = Gold.read(tmp_path)
        assert hydra.core.global_hydra.GlobalHydra.instance().is_initialized()
    assert (gold.query_ids, gold.supporting, gold.hops, gold.types) == (
        ["q"],
        [["p1", "p0"]],
        [2],
        ["bridge"],
    )


def test_qrels_as_ranx_writes_them(tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text(
        '{"q1": {"b": 1, "x": 0, "a": 2}, "q3": {"c": 0}, "q2": {"z": 1}}'
    )
    table = pa.table(
        {
            "q_id": ["q1", "q1", "q1", "q2"],
            "doc_id": ["b", "x", "a", "z"],
            "score": pa.array([1, 0, 2, 1], pa.int64()),
        }
    )
    pq.write_table(table, tmp_path / "qrels.parquet")
    for name in ("qrels.json", "qrels.parquet"):
        gold = Gold.read(tmp_path / name)
        assert (gold.query_ids, gold.supporting, gold.ordered) == (
            ["q1", "q2"],
            [["b", "a"], ["z"]],
            False,
        )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"q1": {"a": "high"}}', "query q1, document a: expected a number, got 'high'"),
        ('{"q1": [{"text": "t"}]}', "query q1: the id of a document: .* got {'text'"),
        ('{"q1": {"a": 0}}', "nothing to find"),
        (
            '{"q1": {"a": 1, "b": 0.7}}',
            "query q1, document b: relevance must be a whole number, got 0.7",
        ),
        ('{"q1": {"a": 2147483648}}', "relevance must be a whole number, got 2147483648"),
        ('{"q1": {"a": NaN}}', "relevance must be a whole number, got nan"),
        (
            '{"q1": {"a": 1%s}}' % ("0" * 400),
            "query q1, document a: a number that does not fit 64 bits",
        ),
    ],
)
def test_json_qrels_that_are_refused(tmp_path: Path, data: str, words: str) -> None:
    (tmp_path / "qrels.json").write_text(data)
    with pytest.raises(HarnessError, match=words) as caught:
        Gold.read(tmp_path / "qrels.json")
    assert str(caught.value).startswith(str(tmp_path / "qrels.json"))


def test_a_pair_twice_in_parquet_is_named_by_its_row(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"qid": ["q", "q"], "docno": ["a", "a"], "label": [1, 0]}), tmp_path / "g.parquet"
    )
    with pytest.raises(HarnessError, match=r"row 2.*row 1"):
        Gold.read(tmp_path / "g.parquet")


def test_comments_and_trailing_fields_are_passed_over_where_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"# a comment\nq1 0 b 1 extra\nq1 0 x 0\n # q1 0 c 1\nq1 0 a 2\nq2 0 z 1\n")
    with pytest.raises(HarnessError, match="lenient=true"):
        Gold.read(path)
    assert Gold.read(path, lenient=True).supporting == [["b", "a"], ["z"]]


def test_queries_that_nothing_supports_are_left_out_and_counted(tmp_path: Path) -> None:
    for data in (OURS + b'{"id": "q3", "supporting_ids": []}\n', QRELS):
        gold = read(tmp_path, data)
        assert (gold.query_ids, [*gold.nothing]) == (["q1", "q2"], ["q3"])
        assert (
            "1 query with nothing relevant left out (ties=trec: 0, as trec_eval)" in gold.describe()
        )
        kept = Gold.read(tmp_path / "gold", keep_empty=True)
        assert kept.query_ids == (["q1", "q3", "q2"] if data == QRELS else ["q1", "q2", "q3"])
        assert "1 query with nothing relevant: 0, as trec_eval" in kept.describe()


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [
        ("test.tsv", "query-id\tcorpus-id\tscore\n", "{}\t{}\t{}\n"),
        ("test.csv", "query-id,corpus-id,score\n", "{},{},{}\n"),
        ("test.jsonl", "", '{{"query-id": "{}", "corpus-id": "{}", "score": {}}}\n'),
        ("qrels.txt", "query-id 0 corpus-id score\n", "{} 0 {} {}\n"),
        ("qrels.tsv", "", "{}\t0\t{}\t{}\n"),
    ],
)
def test_judgements_are_read_from_tables_with_the_head_of_beir(
    tmp_path: Path, name: str, head: str, row: str
) -> None:
    judged = [("q1", "d1", 1), ("q1", "d2", 2), ("q2", "d3", 1), ("q2", "x", 0)]
    (tmp_path / name).write_text(head + "".join(row.format(*one) for one in judged))
    gold = Gold.read(tmp_path / name)
    assert (gold.query_ids, gold.supporting) == (["q1", "q2"], [["d1", "d2"], ["d3"]])
    assert gold.to_dict() == {"q1": {"d1": 1, "d2": 2}, "q2": {"d3": 1, "x": 0}}
    assert Gold.read(tmp_path / name, rel=2).supporting == [["d2"]]


def test_three_fields_without_a_head_are_not_guessed(tmp_path: Path) -> None:
    """MS MARCO writes runs so, too: query, document, rank."""
    (tmp_path / "q.tsv").write_text("q1\td1\t0\nq1\td2\t1\n")
    with pytest.raises(HarnessError, match=r"q\.tsv:.*q1.*d1.*0"):
        Gold.read(tmp_path / "q.tsv")


def test_a_query_without_judgements_is_counted_in_json_too(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('{"q1": {"a": 1}, "q2": {}}')
    gold = Gold.read(tmp_path / "q.json")
    assert (gold.query_ids, [*gold.nothing]) == (["q1"], ["q2"])


def test_a_relevance_is_of_judgements(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_bytes(OURS)
    with pytest.raises(HarnessError, match=r"rel=2.*"):
        Gold.read(tmp_path / "q.jsonl", rel=2)
    with pytest.raises(HarnessError, match=r"rel must be in"):
        Gold.read(tmp_path / "q.jsonl", rel=0)


@pytest.mark.parametrize(
    ("judged", "rel", "said"),
    [
        ({"q": {"a": 1, "b": 0}}, 1, ""),
        ({"q": {"a": 2, "b": 1}}, 1, "relevant from 1 on; ndcg with graded gains"),
        ({"q": {"a": 2**31 - 1, "b": 0}}, 2, "relevant from 2 on; ndcg with graded gains"),
        (
            {"q": {"a": 2}, "r": {"b": 1}},
            2,
            "relevant from 2 on; 1 query with nothing relevant: 0, as trec_eval",
        ),
    ],
)
def test_how_judgements_are_read_is_said(
    judged: dict[str, dict[str, int]], rel: int, said: str
) -> None:
    gold = Gold.from_dict(judged, rel, keep_empty=True)
    assert gold.take(range(len(gold))[-1:]).describe() == said


def test_all_judged_documents_by_number_with_their_relevance() -> None:
    gold = Gold.from_dict({"q": {"b": 2, "x": 1, "a": 0}, "r": {"c": -1, "d": 3}})
    numbers, grades = gold.judged(pa.array(["a", "b", "c", "d"])) or ((), ())
    assert [one.tolist() for one in (numbers, grades)] == [
        [[1, 4, 0], [2, 3, -1]],
        [[2, 1, 0], [-1, 3, 0]],
    ]
    assert Gold.from_dict({"q": ["a"]}, ordered=True).judged(pa.array(["a"])) is None


def test_what_it_is_called_and_as_qrels(tmp_path: Path) -> None:
    gold = read(tmp_path, OURS)
    assert gold.to_dict() == {"q1": {"b": 1, "a": 1}, "q2": {"z": 1}}
    assert (
        repr(gold)
        == f"Gold(2 queries, 3 supporting passages, hop order known of 2; {tmp_path / 'gold'})"
    )
    part = gold.split(md5_split("q1"))
    assert repr(part).startswith(f"Gold(1 query of {md5_split('q1')}, ")
    assert [short_source(name) for name in ("/data/mine/gold.jsonl", "sample")] == [
        "mine/gold.jsonl",
        "sample",
    ]


def test_a_file_that_is_called_like_a_benchmark_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sample").write_text("q1 0 d1 1\n")
    monkeypatch.chdir(tmp_path)
    assert Gold.read("sample").query_ids == ["q1"]
    with pytest.raises(HarnessError, match="nowhere"):
        Gold.read("nowhere")


def test_a_gold_is_judged_by_another_relevance() -> None:
    """As the file is: q2 has nothing of 2, and is left out, or counts 0 with ties=trec."""
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}
    for gold in (qrels, Gold.from_dict(qrels), Gold.from_dict(qrels, rel=2)):
        for ties, expected in (("house", 0.5), ("trec", 0.25)):
            found = evaluate(run, gold, "mrr", ties=ties, rel=2)
            assert (found.metrics["mrr"], found.n) == (expected, 1 + (ties == "trec"))
    assert evaluate(run, Gold.from_dict(qrels, rel=2), "mrr").n == 1
    ordered = Gold.from_dict({"q1": ["a"]}, ordered=True)
    with pytest.raises(HarnessError, match="rel=2"):
        evaluate(run, ordered, "mrr", rel=2)
    with pytest.raises(HarnessError, match="the run comes first"):
        evaluate(run, Run.from_dict(run), "mrr")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"query_ids": ["q", "q"]}, "query q is given twice"),
        ({"supporting": [["a"]]}, "supporting: expected 2, one for each query, got 1"),
        ({"supporting": [["a", "a"], ["b"]]}, "query q: expected a list of documents, each once"),
        ({"supporting": [{"a", "b"}, ["b"]]}, "query q: expected a list of documents"),
        ({"supporting": ["ab", ["b"]]}, "query q: expected a list of documents, .* got a str"),
        ({"supporting": [["a"], [2]]}, "query r: expected a text, got an int, 2"),
        ({"ordered": np.array([True] * 3)}, "ordered of each or of all"),
    ],
)
def test_what_is_no_gold_is_refused(changed: dict[str, Any], said: str) -> None:
    right = {"query_ids": ["q", "r"], "supporting": [["a"], ["b"]], "ordered": True}
    rest = {"hops": [1, 1], "types": [None, None], "source": "here"}
    with pytest.raises(HarnessError, match=said):
        Gold(**{**right, **rest, **changed})
