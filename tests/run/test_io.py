"""Lists by file ending: JSON, Parquet, several files at once, and the objects of other libraries."""

from __future__ import annotations

import gzip
import json
import random
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

from harness.core.errors import HarnessError
from harness.evaluation.evaluate import evaluate
from harness.evaluation.gold import Gold
from harness.run import Run
from harness.run import io as lists
from harness.run.frame import from_frame, to_frame

LISTS = {"q1": {"d2": 0.9, "d1": 0.5}, "q2": {"d1": 3.0}}
IDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=5)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
ANY_LISTS = st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=5), min_size=1, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_LISTS, st.sampled_from(["run.json", "run.json.gz", "run.parquet", "run.trec", "RUN.JSON"]))
def test_a_run_round_trips_to_the_bit(tmp_path: Path, given_lists: dict[str, dict[str, float]], name: str) -> None:
    run = Run.from_dict(given_lists)
    lists.write(run, tmp_path / name)
    again = lists.read(tmp_path / name)
    assert again.query_ids.equals(run.query_ids)
    assert again.doc_ids.equals(run.doc_ids)
    assert again.docs.tolist() == run.docs.tolist()
    assert again.scores.tobytes() == run.scores.tobytes()


def test_several_files_share_queries_and_documents(tmp_path: Path) -> None:
    Run.from_dict(LISTS).to_trec(tmp_path / "a.trec")
    (tmp_path / "b.json").write_text('{"q0": {"a": 1}, "q1": {}, "q2": {"d2": 1, "z": 2}}')
    runs = lists.read_all({"a": tmp_path / "a.trec", "b": tmp_path / "b.json"})
    assert runs["a"].query_ids.to_pylist() == runs["b"].query_ids.to_pylist() == ["q1", "q2", "q0"]
    assert runs["a"].doc_ids.to_pylist() == runs["b"].doc_ids.to_pylist() == ["a", "d1", "d2", "z"]
    assert runs["a"].to_dict() == {**LISTS, "q0": {}}
    assert runs["b"].to_dict() == {"q1": {}, "q2": {"z": 2.0, "d2": 1.0}, "q0": {"a": 1.0}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "broken JSON"),
        ("[]", "found a list"),
        ("{}", "found an empty object"),
        ('{"q": 3}', "query q: expected an object"),
        ('{"q": {"d": "high"}}', "document d: expected a number, found 'high'"),
        ('{"q": {"d": true}}', "found True"),
        ('{"q": {"d": null}}', "found None"),
        ('{"q": {"d": NaN}}', "finite number, got nan"),
        ('{"q": {"d": 1e999}}', "finite number, got inf"),
        ('{"q": {"d": 1, "d": 2}}', "'d' stands twice"),
        ('{"q": {"d": 1}, "q": {}}', "'q' stands twice"),
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


@pytest.mark.parametrize("names", [("query_id", "doc_id"), ("qid", "docno"), ("q_id", "doc_id")])
def test_frames_of_other_tools(tmp_path: Path, names: tuple[str, str]) -> None:
    frame = pd.DataFrame(
        {names[0]: ["q1", "q1", "q2"], "extra": 1, names[1]: ["d1", "d2", "d1"], "score": [0.5, 0.9, 3]}
    )
    assert from_frame(frame).to_dict() == LISTS
    frame.to_parquet(tmp_path / "run.parquet")
    assert lists.read(tmp_path / "run.parquet").to_dict() == LISTS


def test_frames_may_have_integers_as_ids() -> None:
    frame = pd.DataFrame({"qid": [7, 7], "docno": [10, 9], "score": np.array([1, 2], dtype=np.float32)})
    assert from_frame(frame).to_dict() == {"7": {"9": 2.0, "10": 1.0}}


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"qid": ["q"], "score": [1.0]},
            "the columns query_id, doc_id, score; found qid, score; name yours: columns=",
        ),
        ({"qid": ["q"], "docno": ["d"], "score": ["x"]}, "column score: expected numbers"),
        ({"qid": ["q"], "docno": [None], "score": [1.0]}, "row 1: column docno is empty; expected texts"),
        ({"qid": ["q", "q"], "docno": ["d", "d"], "score": [1.0, 2.0]}, "row 2: query q holds document d twice"),
        ({"qid": ["q"], "docno": ["d"], "score": [float("inf")]}, "row 1: the score of document d"),
    ],
)
def test_parquet_that_is_refused(tmp_path: Path, columns: dict[str, list[object]], words: str) -> None:
    pd.DataFrame(columns).to_parquet(tmp_path / "run.parquet")
    with pytest.raises(HarnessError) as caught:
        lists.read(tmp_path / "run.parquet")
    assert words in str(caught.value)


def test_parquet_with_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    columns = [pa.array(["q"]), pa.array(["a"]), pa.array(["b"]), pa.array([1.0])]
    pq.write_table(pa.Table.from_arrays(columns, ["qid", "docno", "docno", "score"]), tmp_path / "run.parquet")
    with pytest.raises(HarnessError, match=r"run\.parquet: 2 columns are called docno; keep one"):
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
    scored = [ir_measures.ScoredDoc(query, doc, score) for query, docs in lists for doc, score in docs.items()]
    qrels = [ir_measures.Qrel("q1", "d1", 1), ir_measures.Qrel("q2", "d1", 1)]
    assert ir_measures.calc_aggregate([ir_measures.RR], qrels, scored)[ir_measures.RR] == 0.75


def test_pytrec_eval_scores_what_we_hand_over() -> None:
    found = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 1}}, {"recip_rank"}).evaluate(Run.from_dict(LISTS).to_dict())
    assert found["q1"]["recip_rank"] == 0.5


def test_pandas_there_and_back() -> None:
    frame = to_frame(Run.from_dict(LISTS))
    assert frame.columns.tolist() == ["query_id", "doc_id", "rank", "score"]
    assert frame["rank"].tolist() == [1, 2, 1]
    assert from_frame(frame).to_dict() == LISTS


def test_json_is_what_json_reads(tmp_path: Path) -> None:
    lists.write(Run.from_dict(LISTS), tmp_path / "run.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "run.json.gz").read_bytes())) == LISTS


def test_gold_is_the_qrels_of_other_tools_there_and_back() -> None:
    gold = Gold.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 0}})
    assert gold.to_dict() == {"q1": {"d1": 1}}
    found = pytrec_eval.RelevanceEvaluator(gold.to_dict(), {"recip_rank"}).evaluate(LISTS)
    ours = evaluate(Run.from_dict(LISTS), gold, "mrr")
    assert ours["per_query"]["q1"]["mrr"] == found["q1"]["recip_rank"]
