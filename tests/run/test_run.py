"""Runs: the one order, and every way in and out."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.errors import HarnessError
from harness.evaluation.gold import Gold
from harness.run import Run

NAMES = st.text(alphabet="abcxyz0189é", min_size=1, max_size=3)
SCORES = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.0])
LISTS = st.dictionaries(NAMES, st.dictionaries(NAMES, SCORES, max_size=6), min_size=1, max_size=5)


def test_score_descends_and_ties_go_to_the_smaller_id():
    run = Run.from_dict({"q": {"b": 1.0, "c": 2.0, "a": 1.0}})
    assert list(run.to_dict()["q"].items()) == [("c", 2.0), ("a", 1.0), ("b", 1.0)]
    assert run.docs.tolist() == [2, 0, 1]
    assert run.indptr.tolist() == [0, 3]


def test_minus_zero_is_zero():
    assert list(Run.from_dict({"q": {"a": -0.0, "b": 0.0}}).to_dict()["q"]) == ["a", "b"]


@given(LISTS)
def test_a_dictionary_comes_back(lists):
    assert Run.from_dict(lists).to_dict() == lists


@given(LISTS)
def test_every_list_is_in_the_one_order(lists):
    run = Run.from_dict(lists)
    for start, stop in zip(run.indptr, run.indptr[1:], strict=False):
        pairs = list(zip(-run.scores[start:stop], run.docs[start:stop], strict=True))
        assert pairs == sorted(pairs)


@given(LISTS, st.integers(0, 4))
def test_top_keeps_the_best(lists, depth):
    run = Run.from_dict(lists)
    cut = run.top(depth).to_dict()
    for name, whole in run.to_dict().items():
        assert list(cut[name].items()) == list(whole.items())[:depth]
    assert run.top(None) is run


@given(LISTS, st.data())
def test_take_takes_those_queries(lists, data):
    run = Run.from_dict(lists)
    chosen = data.draw(st.lists(st.integers(0, len(run) - 1), unique=True))
    names = run.query_ids.to_pylist()
    assert run.take(np.array(chosen, dtype=int)).to_dict() == {
        names[q]: lists[names[q]] for q in chosen
    }
    mask = np.isin(np.arange(len(run)), chosen)
    assert run.take(mask).to_dict() == {names[q]: lists[names[q]] for q in sorted(chosen)}


@given(LISTS)
def test_aligned_renumbers_and_nothing_else(lists):
    run = Run.from_dict(lists)
    docs = pa.array(sorted({"", "zzzz", *run.doc_ids.to_pylist()}))
    queries = pa.array(
        ["new", *reversed(run.query_ids.to_pylist())] if "new" not in lists else list(lists)
    )
    aligned = run.aligned(queries, docs)
    assert aligned.to_dict() == {name: lists.get(name, {}) for name in queries.to_pylist()}
    assert aligned.doc_ids.equals(docs)


def test_a_document_outside_the_corpus_is_named():
    run = Run.from_dict({"q": {"a": 1.0, "b": 2.0}})
    with pytest.raises(HarnessError, match="document b and 0 others are not in the corpus"):
        run.aligned(pa.array(["q"]), pa.array(["a", "c"]))


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
def test_scores_are_finite(score):
    with pytest.raises(
        HarnessError, match="query q: the score of document b must be a finite number"
    ):
        Run.from_dict({"q": {"a": 1.0, "b": score}})


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ({"q": "ba"}, r"query q: expected \{document id: number\}, pairs or ids, got a str, 'ba'"),
        ({"q": {"a": "0.5"}}, r"query q, document a: expected a number, got '0\.5'"),
        (
            {"q": {0.5: 1}},
            r"query q: the id of a document: expected a text or a whole number, got 0\.5",
        ),
        ({"q": [("a", 2), ("b", 1), ("a", 1)]}, r"query q: document a is repeated in its list"),
        ({7: ["a"], "7": ["b"]}, r"query 7 is repeated, as a number and as a text"),
        (
            [("q", {"a": 0.5})],
            r"expected \{query id: \{document id: number\}\}, pairs .*, got a list",
        ),
    ],
)
def test_what_is_no_mapping_of_scores_is_named(lists, told):
    with pytest.raises(HarnessError, match=f"^Run.from_dict: {told}"):
        Run.from_dict(lists)


def test_mappings_pairs_and_ids_alone_are_lists():
    ranked = {"7": {"3": 1.0, "2": 0.5}}
    for lists in (
        {7: {2: 0.5, 3: 1}},
        {7: [("3", 1), (2, 0.5)]},
        {"7": ["3", "2"]},
        {np.int64(7): (3, 2)},
    ):
        assert Run.from_dict(lists).to_dict() == ranked, lists
    gold = Gold.from_dict({7: (doc for doc in (3, 2))}, ordered=True)
    assert gold.supporting == [["3", "2"]]


def test_a_document_stands_once_in_a_list():
    with pytest.raises(HarnessError, match=r"entry 3.*document b"):
        Run.of(["q"], ["a", "b"], [0, 0, 0], [1, 0, 1], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("query", "doc", "said"),
    [(0, -1, "document -1; expected numbers from 0 to 1"), (0, 2, "document 2"), (1, 0, "query 1")],
)
def test_numbers_of_no_query_or_document_are_refused(query: int, doc: int, said: str) -> None:
    with pytest.raises(HarnessError, match=rf"^Run\.of.*{said}"):
        Run.of(["q"], ["a", "b"], [query], [doc], [1.0])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"query_ids": {"q", "r"}}, "query_ids: expected texts in their order, got a set"),
        ({"query_ids": ["q", "q"]}, "query_ids: q is repeated"),
        ({"query_ids": [b"q", b"r"]}, "query_ids: expected texts"),
        ({"query_ids": "qr"}, "query_ids: expected texts in their order, got a str"),
        ({"doc_ids": ["b", "a"]}, "doc_ids: b is before a; expected ids in ascending order"),
        ({"doc_ids": ["a", 2]}, "doc_ids: expected texts in their order, got an int, 2"),
        ({"indptr": [0, 2]}, "indptr: expected 3 numbers that rise from 0 to 3"),
        ({"indptr": [0, 2, 4]}, "indptr: expected 3 numbers"),
        ({"indptr": [0, 4, 3]}, "indptr: expected 3 numbers"),
        ({"scores": [2.0, 1.0]}, "indptr: .* as many scores"),
        ({"docs": [0, 2, 0]}, "docs: there is no document 2"),
        ({"docs": [0, -1, 1]}, "docs: there is no document -1"),
        (
            {"docs": [0, 2**40, 0]},
            f"docs: expected a one-dimensional list of whole numbers.*, got {2**40}, which is too",
        ),
        (
            {"docs": [0.5, 1, 0]},
            "docs: expected a one-dimensional list of whole numbers.*, got a list",
        ),
        ({"docs": [0, 0, 0]}, "query q holds document a twice"),
        ({"scores": [1.0, 2.0, 0.0]}, "query q: document a is before a better one"),
        ({"docs": [1, 0, 0], "scores": [1, 1, 0]}, "query q: document b is before a better"),
        ({"scores": [2.0, float("nan"), 0.0]}, "document b must be a finite number, got nan"),
        (
            {"scores": [True, False, True]},
            "scores: expected a one-dimensional list of numbers.*, got a list",
        ),
        ({"scores": ["2", "1", "0"]}, "scores: expected a one-dimensional list of numbers"),
        ({"scores": 1.0}, r"scores: expected a one-dimensional list of numbers.*, got a float"),
    ],
)
def test_what_is_no_run_is_refused(changed, said):
    right = {
        "query_ids": ["q", "r"],
        "doc_ids": ["a", "b"],
        "indptr": [0, 2, 3],
        "docs": [0, 1, 0],
        "scores": [2.0, 1.0, 0.0],
    }
    assert Run(**right).to_dict() == {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 0.0}}
    with pytest.raises(HarnessError, match=said):
        Run(**{**right, **changed})


@pytest.mark.parametrize(
    ("query", "doc", "score", "said"),
    [
        ([0.9], [0], [1.0], "Run.of: query: expected a one-dimensional list of whole numbers"),
        ([0], [True], [1.0], "Run.of: doc: expected a one-dimensional list of whole numbers"),
        ([0], [0], [True], "Run.of: score: expected a one-dimensional list of numbers"),
        ([0, 0], [0], [1.0], "expected as many queries as documents and scores, got 2, 1 and 1"),
    ],
)
def test_entries_of_other_kinds_are_refused(query, doc, score, said):
    with pytest.raises(HarnessError, match=said):
        Run.of(["q"], ["a"], query, doc, score)


@given(LISTS)
def test_arrays_come_back_from_disk(tmp_path_factory, lists):
    folder = tmp_path_factory.mktemp("run")
    run = Run.from_dict(lists)
    run.save(folder)
    assert Run.load(folder, run.query_ids, run.doc_ids).to_dict() == lists


def test_runs_are_equal_if_all_of_them_is() -> None:
    lists = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    run = Run.from_dict(lists)
    assert run.equals(Run.from_dict(lists))
    for changed in ({"q": {"a": 3.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}):
        assert not run.equals(Run.from_dict(lists | changed))
    assert not run.equals(Run.from_dict({"q": {"a": 2.0}, "r": {"b": 1.0, "a": 1.0}}))
