import math
import os
import subprocess
import sys

import pytest

from harness.core.errors import HarnessError
from harness.retriever import bm25, retrieve
from harness.retriever.bm25 import BM25, Tokenizer
from harness.work.store import Store

PASSAGES = ["Red red fox", "blue fox", "green bird sings loud", "blue fox", "of the"]


def lists(retriever, benchmark, folder):
    return retrieve(retriever, benchmark, Store(folder)).to_dict()


def test_lucene_scores_worked_by_hand(benchmark_of, tmp_path):
    # Without stop words the lengths are 3, 2, 4, 2, 0: mean 2.2. df: red 1, fox 3, of 5 documents.
    red, fox = math.log(1 + 4.5 / 1.5), math.log(1 + 2.5 / 3.5)

    def weight(frequency, length):
        return frequency / (frequency + 1.2 * (0.25 + 0.75 * length / 2.2))

    found = lists(BM25(), benchmark_of(PASSAGES, ["the red fox", "Fox, fox!", "whale"]), tmp_path)
    assert found["q0"] == pytest.approx(
        {
            "d0": red * weight(2, 3) + fox * weight(1, 3),
            "d1": fox * weight(1, 2),
            "d3": fox * weight(1, 2),
        },
        abs=1e-15,
    )
    assert list(found["q0"]) == ["d0", "d1", "d3"]
    assert found["q1"]["d1"] == pytest.approx(2 * fox * weight(1, 2), abs=1e-15)
    assert found["q2"] == {}


def test_ties_at_the_cut_go_to_the_lower_number(benchmark_of, tmp_path):
    passages = ["red stone"] + ["blue fox"] * 30
    found = lists(BM25(depth=4), benchmark_of(passages, ["fox"]), tmp_path)
    assert list(found["q0"]) == ["d01", "d02", "d03", "d04"]
    assert len(set(found["q0"].values())) == 1


def test_all_words_count_without_stop_words(benchmark_of, tmp_path):
    assert list(lists(BM25(stopwords=None), benchmark_of(PASSAGES, ["of"]), tmp_path)["q0"]) == [
        "d4"
    ]


def test_a_corpus_of_stop_words_finds_nothing(benchmark_of, tmp_path):
    assert lists(BM25(), benchmark_of(["the of", "and"], ["the fox"]), tmp_path) == {"q0": {}}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k1": -1}, "got k1=-1"),
        ({"b": 1.5}, r"in \[0, 1\], got b=1.5"),
        ({"depth": 0}, "got depth=0"),
    ],
)
def test_bounds(wrong, message):
    with pytest.raises(HarnessError, match=message):
        BM25(**wrong)


def test_unknown_stop_words_are_named(benchmark_of, tmp_path):
    with pytest.raises(HarnessError, match=r"lists.NAME.stopwords=klingon"):
        lists(BM25(stopwords="klingon"), benchmark_of(PASSAGES, ["fox"]), tmp_path)


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (0, 1)])
def test_the_scores_are_those_of_bm25s(benchmark_of, tmp_path, k1, b, monkeypatch):
    """To the bit, passages read in slices that cut the corpus."""
    import bm25s

    monkeypatch.setattr("harness.retriever.bm25.BLOCK", 7)
    words = [f"w{number}" for number in range(40)]
    texts = [
        " ".join(words[(place * step) % 40] for step in range(1, 4 + place % 13))
        for place in range(60)
    ]
    tokens = bm25s.tokenize(texts, stopwords=[], return_ids=False, show_progress=False)
    index = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64")
    index.index(tokens, show_progress=False)
    found = lists(BM25(k1=k1, b=b, depth=60, stopwords=None), benchmark_of(texts, words), tmp_path)
    for number, word in enumerate(words):
        theirs = index.get_scores([word]) if word in index.vocab_dict else [0.0] * 60
        assert found[f"q{number}"] == {
            f"d{place:02d}": score for place, score in enumerate(theirs) if score > 0
        }


def test_the_index_is_an_artifact_that_another_depth_reads(benchmark_of, tmp_path):
    benchmark = benchmark_of(PASSAGES, ["the red fox", "whale"])
    shallow = lists(BM25(depth=1), benchmark, tmp_path)
    (index,) = (tmp_path / "artifacts" / "index").glob("*/words.txt")
    assert index.read_text().split("\n") == ["bird", "blue", "fox", "green", "loud", "red", "sings"]
    before = index.stat().st_mtime_ns
    deep = lists(BM25(depth=5), benchmark, tmp_path)
    assert index.stat().st_mtime_ns == before
    assert len(list(index.parent.parent.glob("*/words.txt"))) == 1
    assert shallow["q0"].items() <= deep["q0"].items()
    lists(BM25(k1=2.0), benchmark, tmp_path)
    assert len(list(index.parent.parent.glob("*/words.txt"))) == 2


def test_many_processes_and_any_blocks_count_the_same_words(monkeypatch):
    alone, names = Tokenizer("english", None).counts(PASSAGES)
    assert names == ["bird", "blue", "fox", "green", "loud", "red", "sings"]
    assert alone.toarray()[0].tolist() == [0, 0, 1, 0, 0, 2, 0]
    monkeypatch.setattr(bm25, "ALONE", 0)
    monkeypatch.setattr(bm25, "BLOCK", 2)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    shared, same = Tokenizer("english", None).counts(PASSAGES)
    assert same == names
    for name in ("data", "indices", "indptr"):
        assert (getattr(shared, name) == getattr(alone, name)).all()


def test_jax_is_not_imported_where_it_is_installed(tmp_path):
    """It would take seconds and most of a GPU's memory; whoever imports it afterwards still can."""
    (tmp_path / "jax.py").write_text("print('imported')")
    line = (
        "from harness.retriever.bm25 import Tokenizer; print(Tokenizer(None, None).of(['A fox'])); "
        "import jax"
    )
    done = subprocess.run(
        [sys.executable, "-c", line],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == ["[['fox']]", "imported"], done.stderr
