"""What holds for every fuser.

``ANCHORED`` ones leave out what their own list lacks, so that list is the one whose order they keep.
"""

import inspect

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import harness
from harness.configuration import names, strategy
from harness.errors import HarnessError
from harness.fuser import Calibrated, Fuser, check, fusion
from harness.normalizer.none import Raw
from harness.normalizer.pit import Pit
from harness.normalizer.zscore import ZScore
from harness.pool import Pool
from harness.run import Run
from harness.temperature.auto import Auto

NAMES = names("fuser")
ANCHORED = ("single", "rrf_anchored")
WEIGHTS = {"dense": 0.5, "graph": 0.3, "bm25": 0.2}
LISTS = st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(0, 16).map(lambda n: n / 16), max_size=10)


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def fuser(name: str, taught) -> Fuser:
    return taught("fuser", name)


@pytest.fixture(scope="module")
def all_fusers(taught) -> dict[str, Fuser]:
    return {name: taught("fuser", name) for name in NAMES}


def pair(runs: dict[str, Run]) -> dict[str, Run]:
    return {name: runs[name] for name in ("dense", "graph")}


def same(one: Run, other: Run) -> bool:
    arrays = ((one.indptr, other.indptr), (one.docs, other.docs), (one.scores, other.scores))
    return all(np.array_equal(a, b) for a, b in arrays) and one.doc_ids.equals(other.doc_ids)


def test_it_declares_what_it_reads(name, fuser) -> None:
    assert fuser.reads <= {"scores", "ranks", "values", "probabilities", "importance"}
    assert fuser.reads
    assert isinstance(fuser.unit, bool)
    assert fuser.unit or "probabilities" not in fuser.reads


def test_what_it_does_not_read_changes_nothing(name, fuser, random_runs) -> None:
    runs = pair(random_runs())
    if not fuser.reads & {"values", "probabilities"}:
        assert same(harness.fuse(runs, fuser, "pit"), harness.fuse(runs, fuser, "minmax"))
    if "probabilities" not in fuser.reads:
        one, other = (harness.fuse(runs, fuser, "pit", temperature=heat) for heat in ("auto", "fixed"))
        assert same(one, other)


def test_permuting_the_numbers_of_documents_permutes_the_scores(fuser, random_runs) -> None:
    runs = pair(random_runs(ties=False))
    new = dict(zip(sorted(f"d{n:03d}" for n in range(60)), np.random.default_rng(5).permutation(60), strict=True))
    renamed = {
        key: Run.from_dict(
            {q: {f"r{new[doc]:03d}": score for doc, score in found.items()} for q, found in run.to_dict().items()}
        )
        for key, run in runs.items()
    }
    before, after = harness.fuse(runs, fuser).to_dict(), harness.fuse(renamed, fuser).to_dict()
    assert {q: {f"r{new[doc]:03d}": score for doc, score in found.items()} for q, found in before.items()} == after


def test_permuting_queries_permutes_the_result(fuser, random_runs) -> None:
    runs = pair(random_runs())
    order = np.random.default_rng(6).permutation(40)
    shuffled = harness.fuse({key: run.take(order) for key, run in runs.items()}, fuser)
    assert same(shuffled, harness.fuse(runs, fuser).take(order))


def test_the_order_in_which_lists_are_given_does_not_matter(fuser, random_runs) -> None:
    runs = pair(random_runs())
    assert same(harness.fuse(runs, fuser), harness.fuse(dict(reversed(runs.items())), fuser))


def test_three_lists_where_the_formula_takes_them_in_any_order(name, fuser, random_runs) -> None:
    if "weights" in inspect.signature(type(fuser)).parameters:
        fuser = strategy("fuser", name, weights=WEIGHTS)
    runs = random_runs()
    one = harness.fuse(runs, fuser)
    assert same(one, harness.fuse(dict(reversed(runs.items())), fuser))


def test_alpha_alone_cannot_share_among_three(name, fuser, random_runs) -> None:
    if "alpha" not in inspect.signature(type(fuser)).parameters:
        pytest.skip("has no alpha")
    with pytest.raises(HarnessError, match=r"the pool has 3 \(dense, graph, bm25\); give fuser\.weights"):
        harness.fuse(random_runs(), fuser)
    with pytest.raises(HarnessError, match=r"fuser\.weights names dense; add a weight for graph, bm25"):
        harness.fuse(random_runs(), strategy("fuser", name, weights={"dense": 1.0}))


def test_blocks_of_queries_change_no_bit(fuser, random_runs, monkeypatch) -> None:
    runs = pair(random_runs())
    whole = harness.fuse(runs, fuser)
    for cells in (1, 200):
        monkeypatch.setattr(fusion, "CELLS", cells)
        assert same(whole, harness.fuse(runs, fuser))


def test_a_list_with_nothing_leaves_the_order_of_the_other(name, fuser, scores) -> None:
    found = {"b": 0.875, "d": 0.5, "a": 0.25, "c": 0.25, "e": 0.0}
    own = getattr(fuser, "list", "dense")
    other = "graph" if own == "dense" else "dense"
    assert list(scores(fuser, {own: found, other: {}})) == list(found)
    assert list(scores(fuser, {own: {}, other: found})) == ([] if name in ANCHORED else list(found))


def test_every_list_may_be_empty_and_so_may_all(fuser, scores) -> None:
    assert scores(fuser, {"dense": {}, "graph": {}}) == {}


def test_ties_obey_the_one_order(fuser, scores) -> None:
    tied = {"d": 1.0, "a": 1.0, "c": 1.0, "b": 1.0}
    assert list(scores(fuser, {"dense": tied, "graph": tied})) == ["a", "b", "c", "d"]


@settings(max_examples=40, deadline=None)
@given(dense=LISTS, graph=LISTS)
def test_the_fused_list_is_a_subset_of_the_pool_in_the_one_order(all_fusers, dense, graph) -> None:
    runs = {"dense": Run.from_dict({"q": dense}), "graph": Run.from_dict({"q": graph})}
    for name, fuser in all_fusers.items():
        fused = harness.fuse(runs, fuser).to_dict()["q"]
        union = set(dense) | set(graph)
        assert set(fused) <= union if name in ANCHORED else set(fused) == union
        assert list(fused) == sorted(fused, key=lambda doc: (-fused[doc], doc))
        assert all(np.isfinite(list(fused.values())))


def test_what_the_pool_remembers_is_not_written_over(fuser, random_runs) -> None:
    calibrated = Calibrated(Pool.align(pair(random_runs())), Pit(), Auto())
    first = fuser(calibrated)
    kept = first.clone()
    first.fill_(7)
    assert torch.equal(fuser(calibrated), kept)


@pytest.mark.parametrize("normalizer", [ZScore(), Raw()])
def test_values_outside_the_unit_interval_are_a_mistake_where_they_cannot_be(
    name, fuser, normalizer, two_lists
) -> None:
    if fuser.unit:
        with pytest.raises(HarnessError, match=rf"^fuser={name} needs values in \[0, 1\], normalizer=\w+ gives others"):
            check(fuser, normalizer)
    else:
        check(fuser, normalizer)
    check(fuser, Pit())


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA GPU here")
def test_the_gpu_agrees(fuser, random_runs) -> None:
    runs = pair(random_runs(ties=False))
    cpu, gpu = (harness.fuse(runs, fuser, device=device).to_dict() for device in ("cpu", "cuda"))
    for query, found in cpu.items():
        assert gpu[query] == pytest.approx(found, rel=1e-9, abs=1e-15)


def test_three_legs_of_which_two_are_empty_give_exactly_the_order_of_the_third(name, fuser) -> None:
    """The lexical list alone, where the others hold nothing for a query or do not know it; and all three beside it."""
    lexical = {"b": 7.5, "d": 7.5, "a": 2.25, "e": 0.5, "c": 0.5, "f": 0.0}
    runs = {
        "bm25": Run.from_dict({"q1": lexical, "q2": lexical, "q3": lexical}),
        "dense": Run.from_dict({"q1": {}, "q3": {"a": 0.9, "g": 0.1}}),
        "graph": Run.from_dict({"q1": {}, "q3": {"h": 0.25}}),
    }
    if "weights" in inspect.signature(type(fuser)).parameters:
        fuser = strategy("fuser", name, weights=WEIGHTS)
    if "list" in inspect.signature(type(fuser)).parameters:
        fuser = strategy("fuser", name, list="bm25")
    fused = harness.fuse(runs, fuser).to_dict()
    assert list(fused["q1"]) == list(fused["q2"]) == ["b", "d", "a", "c", "e", "f"]
    assert set(fused["q3"]) == set("abcdef") if name in ANCHORED else set("abcdefgh")
