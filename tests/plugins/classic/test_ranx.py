"""The fusers against ranx 0.3.21, if it is installed (the extra ``bench``)."""

import pytest

import harness
from harness.run import Run

ranx = pytest.importorskip("ranx")
pytestmark = pytest.mark.slow  # Numba compiles each of its fusers
Lists = dict[str, dict[str, float]]
RANKS = {
    "isr": {},
    "log_isr": {},
    "logn_isr": {"sigma": 0.01},
    "rbc": {"phi": 0.9},
    "bordafuse": {},
}
VALUES = {"anz": {}, "med": {}, "gmnz": {"gamma": 0.5}}
LISTS = ("dense", "graph", "bm25")


def of_ranx(runs: dict[str, Run], method: str, **params: float) -> dict[str, dict[str, float]]:
    """Fuse lists with equal scores put apart in our order, which ranx has by insertion."""
    systems = []
    for run in runs.values():
        found = run.to_dict()
        if method not in VALUES:
            found = {
                query: {doc: float(len(own) - place) for place, doc in enumerate(own)}
                for query, own in found.items()
            }
        systems.append(ranx.Run({query: dict(own) for query, own in found.items()}))
    fused = ranx.fuse(systems, norm=None, method=method, params=params)
    return {query: dict(own) for query, own in fused.to_dict().items()}


@pytest.fixture
def runs(questions: dict[str, Lists]) -> dict[str, Run]:
    return {
        name: Run.from_dict({query: lists[name] for query, lists in questions.items()})
        for name in LISTS
    }


@pytest.mark.parametrize(("method", "params"), [*RANKS.items(), *VALUES.items()])
def test_the_same_scores(method: str, params: dict[str, float], runs: dict[str, Run]) -> None:
    reads = {"normalizer": "none"} if method.startswith("comb") else {}
    ours = harness.fuse(runs, method, **reads, **params).to_dict()
    theirs = of_ranx(runs, method, **params)
    assert len(theirs) == 200
    for query, expected in theirs.items():
        assert ours[query] == pytest.approx(expected, rel=0, abs=1e-12)


def test_condorcet_has_the_same_order_where_majorities_decide_all() -> None:
    """Each list has all documents and two of three agree: no cycle, no tie."""
    lists = {"dense": "abcdef", "graph": "abdcfe", "bm25": "bacdfe"}
    runs = {
        name: Run.from_dict({"q": {doc: 6.0 - place for place, doc in enumerate(docs)}})
        for name, docs in lists.items()
    }
    ours = harness.fuse(runs, "condorcet").to_dict()["q"]
    assert list(ours) == list("abcdfe")
    theirs = of_ranx(runs, "condorcet")["q"]
    assert sorted(theirs, key=lambda doc: -theirs[doc]) == list(ours)
