import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.model.encoder import embed
from harness.model.encoder.hashed import Hashed
from harness.retriever import retrieve
from harness.retriever.dense import Dense, Recall
from harness.retriever.search.index import build
from harness.work.store import Store

PASSAGES = [
    "the red fox",
    "a blue whale",
    "the red fox",
    "red",
    "the red fox",
    "green tea",
    "fox hunting in spring",
]
QUESTIONS = ["where is the red fox", "what is green tea"]


def test_scores_are_cosines_and_equal_passages_tie(benchmark_of, tmp_path):
    store = Store(tmp_path)
    run = retrieve(Dense(Hashed(512), depth=4), benchmark_of(PASSAGES, QUESTIONS), store)
    lists = run.to_dict()
    assert list(lists["q0"])[:3] == ["d0", "d2", "d4"]
    assert lists["q0"]["d0"] == lists["q0"]["d2"] == lists["q0"]["d4"]
    assert next(iter(lists["q1"])) == "d5"
    assert run.lengths().tolist() == [4, 4]
    passages, questions = (
        embed(Hashed(512), texts, role, store).astype(float)
        for texts, role in ((PASSAGES, "passage"), (QUESTIONS, "question"))
    )
    assert lists["q1"]["d5"] == pytest.approx(questions[1] @ passages[5], abs=1e-14)


def test_a_trained_index_is_an_artifact(benchmark_of, tmp_path):
    passages = [f"passage {number} on {number % 7} foxes" for number in range(400)]
    benchmark = benchmark_of(passages, ["passage 5 on foxes"])
    run = retrieve(Dense(Hashed(64), depth=5, index="IVF4,Flat"), benchmark, Store(tmp_path))
    assert len(list((tmp_path / "artifacts" / "index").rglob("index.faiss"))) == 1
    assert len(run.docs) == 5
    exact = retrieve(Dense(Hashed(64), depth=400), benchmark, Store(tmp_path)).to_dict()["q0"]
    assert all(exact[doc] == score for doc, score in run.to_dict()["q0"].items())


def test_what_decides_its_identity():
    assert digest(Dense(Hashed())) == digest(Dense(Hashed(384)))
    assert (
        len({digest(Dense(Hashed(8))), digest(Dense(Hashed())), digest(Dense(Hashed(), depth=5))})
        == 3
    )


def test_bounds():
    with pytest.raises(HarnessError, match="got depth=0"):
        Dense(Hashed(), depth=0)


def vectors(count: int) -> np.ndarray:
    made = np.random.default_rng(count).standard_normal((count, 16)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_an_exact_index_finds_all_and_a_narrow_one_what_was_counted() -> None:
    passages, questions = vectors(3000), vectors(300)
    measured = Recall(passages, questions)
    assert len(measured.questions) == 100
    assert measured(build(passages, "Flat")) == 1
    narrow = build(passages, "IVF32,Flat")
    exact = [
        set(np.argsort(-(passages @ q), kind="stable")[:100].tolist()) for q in measured.questions
    ]
    found = [set(row.tolist()) for row in narrow.search(measured.questions, 116)[1][:, :100]]
    by_hand = np.mean([len(a & b) / 100 for a, b in zip(exact, found, strict=True)])
    assert measured(narrow) == pytest.approx(by_hand, abs=0.01)


@pytest.mark.parametrize(("factory", "key"), [("IVF16,Flat", "nprobe"), ("HNSW4", "efSearch")])
def test_keys_of_a_search_find_more(benchmark_of, tmp_path, factory: str, key: str) -> None:
    """FAISS's defaults are ours; all lists of an inverted file are exact search."""
    texts = [f"passage {n} on {n % 7} foxes and {n % 11} geese" for n in range(400)]
    world, store = benchmark_of(texts, ["3 foxes", "9 geese"]), Store(tmp_path)
    shares = []
    for given in ({}, {key: 400 if key == "efSearch" else 16}):
        made = Dense(Hashed(64), index=factory, **given)
        facts = made.retrieve(world, store)[1]["recall"]
        shares.append(facts["recall@100"])
        assert f"raise lists.NAME.{key} (now {getattr(made, key)})" in facts["mend"]
    assert shares[0] < shares[1]
    assert key == "efSearch" or shares[1] == 1
    index = build(vectors(100), "IVF4,Flat"), build(vectors(100), "HNSW4")
    assert (Dense.nprobe, Dense.efSearch) == (index[0].nprobe, index[1].hnsw.efSearch)
    with pytest.raises(HarnessError, match=f"{key}=9: index=Flat"):
        Dense(Hashed(64), **{key: 9})
