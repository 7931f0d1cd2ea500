"""Coefficients against scikit-learn's and statsmodels' logistic regressions; the score by hand."""

import numpy as np
import pyarrow as pa
import pytest

from harness.core.errors import HarnessError
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.minmax import MinMax
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.plugins.mentions.fuser.learned import Learned, logistic
from harness.run import Run


def data(seed: int, rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    columns = [random.random(rows), random.random(rows) < 0.4, random.normal(size=rows)]
    features = np.column_stack(columns).astype(float)
    chance = 1 / (1 + np.exp(-(-1.5 + features @ [2.0, 0.7, -0.4])))
    return features, random.random(rows) < chance


@pytest.mark.parametrize("penalty", [0.1, 1.0, 30.0])
def test_scikit_learn_finds_the_same(penalty: float) -> None:
    from sklearn.linear_model import LogisticRegression

    features, labels = data(1)
    theirs = LogisticRegression(C=1 / penalty, tol=1e-12, max_iter=10_000).fit(features, labels)
    expected = [*theirs.intercept_, *theirs.coef_[0]]
    assert logistic(list(features.T), labels, penalty) == pytest.approx(expected, abs=1e-6)


def test_statsmodels_finds_the_same_without_a_ridge() -> None:
    from statsmodels.api import Logit, add_constant

    features, labels = data(2)
    expected = Logit(labels.astype(float), add_constant(features)).fit(disp=False, tol=1e-14).params
    assert logistic(list(features.T), labels, 1e-12) == pytest.approx(expected, abs=1e-7)


def test_labels_that_a_line_parts_are_held_by_the_ridge() -> None:
    # One feature x in {0, 1} = y, n = 1 each: by symmetry z = +-w/2, and w = 2 sigma(-w/2) x 1/2 /
    # penalty.
    intercept, weight = logistic([np.array([0.0, 1.0])], np.array([False, True]), 0.01)
    assert intercept == pytest.approx(-weight / 2, abs=1e-9)
    assert 0.01 * weight == pytest.approx(1 / (1 + np.exp(weight / 2)), abs=1e-9)


def test_a_start_from_which_plain_newton_steps_too_far() -> None:
    features, labels = data(3, 60)
    labels = features[:, 2] > 1.9
    found = logistic([10 * features[:, 2], features[:, 0]], labels, 1e-3)
    slope = _slope([10 * features[:, 2], features[:, 0]], labels, 1e-3, found)
    assert np.abs(slope).max() < 1e-8


def _slope(columns, labels, penalty, found) -> np.ndarray:
    design = np.column_stack([np.ones(len(labels)), *columns])
    chance = 1 / (1 + np.exp(-design @ found))
    return design.T @ (chance - labels) + penalty * np.array([0, *found[1:]])


def test_the_score_by_hand(scores, two_lists) -> None:
    fuser = Learned(coefficients={"dense": [2.0, 0.25], "graph": [1.0, 0.5], "bm25": [9.0, 9.0]})
    expected = {"a": 2 * 1 + 0.25 + 0.5 + 0.5, "c": 1 + 0.5, "b": 2 * 0.5 + 0.25}
    assert scores(fuser, two_lists) == expected


RUNS = {
    "dense": Run.from_dict(
        {"q": {"a": 0.9, "b": 0.5, "c": 0.1}, "r": {"c": 0.9, "d": 0.2}, "s": {}}
    ),
    "graph": Run.from_dict(
        {"q": {"d": 0.03, "a": 0.01}, "r": {"a": 0.5, "d": 0.25}, "s": {"b": 0.5}}
    ),
}


def pool() -> Calibrated:
    ids, docs = RUNS["dense"].query_ids, pa.array(["a", "b", "c", "d"])
    runs = {name: run.aligned(ids, docs) for name, run in RUNS.items()}
    return Calibrated(Pool.align(runs), Pit(), Auto())


GOLD = np.array([[0, 3], [2, 3], [0, -1]], dtype=np.int32)  # a d; c d; a
# of q: a b c d; of r: a c d; of s: b (a, its gold, is not in its pool); p and presence in dense, in
# graph
ROWS = [
    ([1, 1, 1 / 2, 1], 1, 0),
    ([2 / 3, 1, 0, 0], 0, 0),
    ([1 / 3, 1, 0, 0], 0, 0),
    ([0, 0, 1, 1], 1, 1),
    ([0, 0, 1, 1], 0, 0),
    ([1, 1, 0, 0], 1, 0),
    ([1 / 2, 1, 1 / 2, 1], 1, 1),
    ([0, 0, 1, 1], 0, 0),
]


@pytest.mark.parametrize(("target", "place"), [("supporting", 1), ("last_hop", 2)])
def test_what_it_learns_from(target: str, place: int) -> None:
    from sklearn.linear_model import LogisticRegression

    fitted = Learned(penalty=0.5, target=target).fit(pool(), GOLD)
    theirs = LogisticRegression(C=2, tol=1e-12, max_iter=10_000).fit(
        [row[0] for row in ROWS], [row[place] for row in ROWS]
    )
    ours = [*fitted.coefficients["dense"], *fitted.coefficients["graph"]]
    assert ours == pytest.approx(theirs.coef_[0], abs=1e-6)
    assert fitted == Learned(penalty=0.5, target=target, coefficients=fitted.coefficients)


def test_scores_are_scaled_by_their_deviation_over_the_documents_that_the_list_holds() -> None:
    from sklearn.linear_model import LogisticRegression

    first, second = np.std([0.9, 0.5, 0.1, 0.9, 0.2]), np.std([0.03, 0.01, 0.5, 0.25, 0.5])
    dense, graph = [0.9, 0.5, 0.1, 0, 0, 0.9, 0.2, 0], [0.01, 0, 0, 0.03, 0.5, 0, 0.25, 0.5]
    held = [[row[0][place] for row in ROWS] for place in (1, 3)]
    columns = np.array([np.divide(dense, first), held[0], np.divide(graph, second), held[1]]).T
    line = LogisticRegression(C=1, tol=1e-12, max_iter=10_000)
    theirs = line.fit(columns, [row[1] for row in ROWS]).coef_[0] / [first, 1, second, 1]
    fitted = Learned(features=["score"]).fit(pool(), GOLD)
    ours = [*fitted.coefficients["dense"], *fitted.coefficients["graph"]]
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_what_is_learned_does_not_keep_a_fuser_from_being_a_key() -> None:
    known = {Learned(coefficients={"dense": [1.0, 0.5]}): 1}
    assert known[Learned(coefficients={"dense": [1.0, 0.5]})] == 1


def test_the_order_in_which_lists_are_given_changes_no_bit_of_what_is_learned(random_runs) -> None:
    runs = random_runs(ties=False)
    gold = np.arange(40, dtype=np.int32)[:, None]
    one, other = (
        Learned().fit(Calibrated(Pool.align(given), MinMax(), Auto()), gold)
        for given in (runs, dict(reversed(runs.items())))
    )
    assert one.coefficients == other.coefficients


def test_what_it_cannot_do_is_said(scores, two_lists, random_runs) -> None:
    with pytest.raises(HarnessError, match=r"fuser=learned.*`harness sweep`"):
        scores("learned", two_lists)
    with pytest.raises(HarnessError, match=r"fuser\.coefficients"):
        scores(Learned(coefficients={"dense": [1, 1]}), two_lists)
    nothing = np.full((40, 1), -1, dtype=np.int32)
    with pytest.raises(HarnessError, match="40 queries: 0 of"):
        Learned().fit(Calibrated(Pool.align(random_runs()), Pit(), Auto()), nothing)
    with pytest.raises(HarnessError, match=r"fuser\.coefficients\.dense.*\[w"):
        Learned(coefficients={"dense": [1.0]})
    with pytest.raises(HarnessError, match=r"fuser\.target=first"):
        Learned(target="first")


def test_features_of_a_list_by_hand(scores) -> None:
    """a: dense rank 1 of 2, score .875, min-max 1; b: rank 2, score .375, min-max 0; the graph's
    list holds b alone.
    """
    weights = {"dense": [8.0, 2.0, 1.0, 0.5], "graph": [0.0, 0.0, 0.0, 0.25]}
    fuser = Learned(features=["score", "minmax", "rank"], coefficients=weights)
    found = scores(fuser, {"dense": {"a": 0.875, "b": 0.375}, "graph": {"b": 3.0}})
    b = pytest.approx(8 * 0.375 + 1 / np.log2(3) + 0.5 + 0.25)
    assert found == {"a": 8 * 0.875 + 2 * 1 + 1 + 0.5, "b": b}
    assert fuser.reads == {"scores", "ranks"}


def test_the_ridge_sees_a_score_in_units_of_its_deviation(random_runs) -> None:
    gold = np.arange(40, dtype=np.int32)[:, None]
    runs = random_runs(ties=False)
    tiny = {
        name: Run(run.query_ids, run.doc_ids, run.indptr, run.docs, run.scores / 1024)
        for name, run in runs.items()
    }
    one, other = (
        Learned(features=["score"]).fit(Calibrated(Pool.align(given), MinMax(), Auto()), gold)
        for given in (runs, tiny)
    )
    for name, (weight, held) in one.coefficients.items():
        assert other.coefficients[name] == pytest.approx([1024 * weight, held], rel=1e-6)


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (["rang"], r"fuser\.features=rang is not known \(did you mean rank"),
        ([], "must be a list of different names"),
        (["rank", "rank"], "different names"),
        ("rank", "must be a list"),
    ],
)
def test_features_that_are_not_known_are_refused(features, words) -> None:
    with pytest.raises(HarnessError, match=words):
        Learned(features=features)
