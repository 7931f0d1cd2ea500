"""Relations of a small world by hand, a chain that is followed, and what tune teaches."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
import torch

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.evaluation.metric import gold_ranks
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.single import Single
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.graph.extractor.offline import Offline
from harness.model.encoder.hashed import Hashed
from harness.plugins.mentions.reranker.relational import FEATURES, Relational, State
from harness.plugins.mentions.retriever.mention_paths import MentionPaths
from harness.plugins.mentions.retriever.mentions.relations import PassageRelations
from harness.run import Run
from harness.sweep.heldout.locked_trials import heldout
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep
from harness.testing import RerankerConformance
from harness.work.store import Store

WORLD = {
    "Dune (film)": "Dune is long. It was filmed by David Lynch.",
    "David Lynch": "David Lynch grew up in Missoula. He paints.",
    "Missoula": "Missoula is a city with a river.",
    "Rome": "Rome is a city with a river, too.",
    "Alone": "Nothing is said here.",
}
DOCS = [f"d{number:03d}" for number in range(5)]
QUESTIONS = ["Where did the director of Dune grow up?", "Is Rome older than Missoula?"]
STEP = [[FEATURES.index("names"), 0.0, 1, 2, 0.0], [0, 0, -1, -1, -1.0], [0, 0, -1, -1, 1.0]]
"""A tree of one cut: 1 for a passage that a chosen one names, else -1."""


@pytest.fixture(scope="module")
def relations(titled, tmp_path_factory):
    retriever = MentionPaths(Offline(model=None, spans=False), Hashed())
    world = retriever.world(titled(WORLD, QUESTIONS), Store(tmp_path_factory.mktemp("runs")))
    return PassageRelations.of(world)


def pool(lists, relations):
    run = Run.from_dict(lists)
    run = run.aligned(run.query_ids, pa.array(DOCS))
    taken = None if relations is None else relations.take(np.arange(len(lists)))
    return Calibrated(Pool.align({"dense": run}, context=Context(relations=taken)), Pit(), Auto())


def test_relations_by_hand(relations):
    """Dune's text names David Lynch, whose text names Missoula; each title is named by one text
    besides its own page. Question 0 names Dune alone; of its words that any passage has, Lynch's
    has "grew" in no form but "up".
    """
    found = relations.among(np.array([[0, 1, 2, -1], [2, 3, 4, 0]], dtype=np.int32))
    assert found.named.tolist() == [[True, False, False, False], [True, True, False, False]]
    joined = np.argwhere(found.names > 0).tolist()
    assert joined == [[0, 0, 1], [0, 1, 2]]
    assert found.names[0, 0, 1] == pytest.approx(1 / np.log2(2 + 1))
    assert 0 < found.names_relation[0, 0, 1] <= 1
    assert found.cosine[0, 3].tolist() == found.cosine[0, :, 3].tolist() == [0] * 4
    vectors = relations.data.passages.astype(np.float64)
    assert found.cosine[1, 0, 1] == pytest.approx(vectors[2] @ vectors[3], abs=1e-6)
    assert (found.held[0, 3], found.held[0, 0] != 0) == (0, True)


def test_features_by_hand(relations):
    """Beside Dune, Lynch is named by one chosen passage; its new words are its own without
    Dune's.
    """
    docs = np.array([[0, 1, 2]], dtype=np.int32)
    related = relations.take(np.array([0])).among(docs)
    state = State(docs, docs >= 0, np.array([[3.0, 2.0, 0.5]]), related)
    rows = state.features(np.array([[True, False, False]]))[0]
    told = {name: rows[:, column].tolist() for column, name in enumerate(FEATURES)}
    assert told["score"] == [3.0, 2.0, 0.5]
    assert told["below"] == [0.0, -1.0, -2.5]
    assert told["named"] == [1, 0, 0]
    assert told["naming"] == [0, 1, 0]
    assert told["chosen"] == [1, 1, 1]
    assert told["covered"] == [told["words"][0]] * 3
    assert told["new"][0] == 0
    assert all(new <= words for new, words in zip(told["new"], told["words"], strict=True))
    assert told["first_names"][1:] == pytest.approx([1 / np.log2(3)] * 2)
    to_first = [1 / np.log2(3)] * 2 + [0]  # Dune to Lynch, Lynch to Missoula
    assert told["names_first"] == pytest.approx(to_first)
    assert told["names"] == pytest.approx([0, 1 / np.log2(3), 0])
    rows = state.features(np.array([[False, True, False]]))[0]
    assert rows[:, FEATURES.index("names_back")].tolist() == pytest.approx([1 / np.log2(3), 0, 0])


def test_a_chain_of_names_is_followed(relations):
    """Nothing is chosen yet: the best fused, Dune. It names Lynch, who is chosen; he names
    Missoula; the rest stay.
    """
    calibrated = pool({"q0": dict(zip(DOCS, [5.0, 1.0, 2.0, 4.0, 3.0], strict=True))}, relations)
    for picks, expected in ((1, "03421"), (2, "01342"), (3, "01234"), (5, "01234")):
        scores = Relational(picks=picks, forest=[STEP], m=5)(Single()(calibrated), calibrated)
        order = torch.argsort(scores[0], descending=True, stable=True)
        assert "".join(str(int(doc)) for doc in calibrated.pool.docs[0][order]) == expected


def test_it_is_taught_on_the_fused_order_then_also_on_what_it_chooses(relations, monkeypatch):
    """Five passages, five picks: 5 + 4 + 3 + 2 + 1 states a round; the second follows the first
    round's tree.
    """
    lists, taught = {"q0": dict(zip(DOCS, [5.0, 1.0, 2.0, 4.0, 3.0], strict=True))}, []

    def grow(features, wanted, **_):
        taught.append(features)
        return [STEP]

    monkeypatch.setattr("harness.plugins.mentions.reranker.relational.grow", grow)
    calibrated = pool(lists, relations)
    Relational(m=5).fit(Single()(calibrated), calibrated, np.array([[1, 2]], dtype=np.int32))
    assert [len(rows) for rows in taught] == [15, 30]
    first, second = taught[1][:15], taught[1][15:]
    assert np.array_equal(first, taught[0])
    assert not np.array_equal(first, second)


def test_what_it_cannot_do_is_said(relations):
    lists = {"q0": {"d000": 1.0, "d001": 0.5}}
    known, without = pool(lists, relations), pool(lists, None)
    with pytest.raises(HarnessError, match=r"reranker=relational.*`harness sweep`"):
        Relational()(Single()(known), known)
    with pytest.raises(HarnessError, match=r"asks what joins .*, and these lists come without"):
        Relational(forest=[STEP])(Single()(without), without)
    with pytest.raises(HarnessError, match="1 queries: 0 of"):
        Relational().fit(Single()(known), known, np.array([[3]], dtype=np.int32))
    with pytest.raises(HarnessError, match=r"reranker\.picks.*\[1.*picks=0"):
        Relational(picks=0)


class TestRelational(RerankerConformance):
    """With a tree that was not learned."""

    names = ("relational",)

    def make(self, name):
        return dataclasses.replace(super().make(name), forest=[STEP])

    @pytest.fixture(autouse=True)
    def known(self, titled, tmp_path):
        passages = {f"Title {n}": f"This names Title {n * 7 % 60}." for n in range(60)}
        retriever = MentionPaths(Offline(model=None, spans=False), Hashed())
        world = retriever.world(titled(passages, ["Which Title 3?"] * 40), Store(tmp_path))
        self.relations = PassageRelations.of(world)

    def context(self, runs):
        count = len(next(iter(runs.values())).query_ids)
        return Context(relations=self.relations.take(np.arange(count)))


SOME = "+grid.some={fuser:[learned],reranker:[relational],reranker.trees:[8],pool.cap:[8]}"


@pytest.fixture
def prepared(overrides):
    given = (*overrides, "grid=point", SOME)
    return Prepared.of(Plan(compose("config", given), given))


def judged(trial, aligned, gold):
    columns, wanted = aligned.columns(gold), torch.from_numpy(gold)
    return gold_ranks(trial.fused(aligned), aligned.docs, columns, wanted).numpy()


@pytest.mark.slow
def test_no_question_is_scored_by_what_it_taught(prepared):
    """A fold's ranks are those of what the other folds teach; the lock keeps what all of tune
    teaches, test has it.
    """
    (trial,) = [trial for trial in prepared.plan.trials() if trial.learns]
    assert trial.beside.keys() == {"relations"}
    data, tune = prepared.benchmark, prepared.benchmark.members("tune")
    fold = data.folds[tune]
    ranks = prepared.ranks([trial], "tune")[0]
    context = prepared._context([trial])

    def aligned(queries):
        runs = {name: prepared.runs[name].take(queries) for name in trial.pool.lists}
        return Pool.align(runs, 8, context=context.take(queries), capped=trial.pool.capped)

    for part in np.unique(fold)[:2]:
        known = trial.fit(aligned(tune[fold != part]), data.gold[tune[fold != part]])
        asked = tune[fold == part]
        assert np.array_equal(ranks[fold == part], judged(known, aligned(asked), data.gold[asked]))

    result = sweep(prepared, [*prepared.plan.trials()])
    (row,) = [row for row in result.lock["fusers"] if row["family"] == "learned"]
    assert len(row["learned"]["reranker.forest"]) == 8
    known = trial.fit(aligned(tune), data.gold[tune])
    assert row["learned"] == known.learned
    test = data.members("test")
    assert any(row["family"] == "learned" for row in heldout(result, prepared, again=False).heldout)
    scored = prepared.ranks([trial], "test")[0]
    assert np.array_equal(scored, judged(known, aligned(test), data.gold[test]))
