"""The bonuses by hand over a small world, that terms add up, and that the retriever's phis are the
same.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.core.configuration.composition import compose
from harness.core.errors import HarnessError
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.single import Single
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.reranker import top
from harness.fusion.temperature.auto import Auto
from harness.model.encoder.hashed import Hashed
from harness.plugins.policyrag.policy.execution import PolicyStart, block_scorer
from harness.plugins.policyrag.reranker.policy import Policy
from harness.plugins.policyrag.retriever.policyrag import PolicyRAG
from harness.plugins.site.trace import trace
from harness.run import Run
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.testing.lists import under_default_types
from harness.work.store import Store
from tests.plugins.policyrag.world import GRAPH, QUESTIONS, WORLD, plain
from tests.world.generate import write

DOCS = [f"d{number:03d}" for number in range(5)]
RETRIEVER = PolicyRAG(GRAPH, Hashed(), plain())


@pytest.fixture(scope="module")
def started(titled: Any, tmp_path_factory: pytest.TempPathFactory) -> PolicyStart:
    return RETRIEVER.seeding(titled(WORLD, QUESTIONS), Store(tmp_path_factory.mktemp("runs")))


def over(found: Mapping[str, Mapping[str, float]]) -> Run:
    """A run whose documents are all five passages."""
    run = Run.from_dict({query: dict(docs) for query, docs in found.items()})
    return run.aligned(run.query_ids, pa.array(DOCS))


def pool(found: Mapping[str, Mapping[str, float]], started: PolicyStart | None) -> Calibrated:
    """The lists of the first questions, over all five passages."""
    run = over(found)
    seeding = None if started is None else started.take(np.arange(len(found)))
    return Calibrated(Pool.align({"dense": run}, context=Context(seeding=seeding)), Pit(), Auto())


def terms(
    reranker: Policy, calibrated: Calibrated
) -> tuple[dict[str, torch.Tensor], torch.Tensor, torch.Tensor]:
    fused = Single()(calibrated)
    columns, there = top(fused, calibrated, reranker.m)
    found = dict(reranker.terms(fused, calibrated, columns, there))
    scores = reranker(fused.clone(), calibrated).gather(-1, columns)
    return found, torch.where(there, scores, 0.0), there


def test_bonuses_by_hand(started: PolicyStart) -> None:
    """The question names Dune, its one seed. Dune - David Lynch - Missoula is a chain of relations;
    Dune's own passage holds the seed, and so does none besides. u of 5, 4, 3, 2, 1 is 1, 3/4, 1/2,
    1/4, 0.
    """
    calibrated = pool({"q0": dict(zip(DOCS, [1.0, 2.0, 5.0, 4.0, 3.0], strict=True))}, started)
    reranker = Policy(lambda_title=0.6, lambda_cov=0.2, lambda_path=0.3)
    found, scores, _ = terms(reranker, calibrated)
    assert found["fused"][0].tolist() == [1.0, 0.75, 0.5, 0.25, 0.0]
    assert found["lambda_title"][0].tolist() == [0, 0, 0, 0, 0.6]
    assert found["lambda_cov"][0].tolist() == [0, 0, 0, 0, 0.2]
    assert found["lambda_path"][0].tolist() == pytest.approx([0.1, 0, 0, 0.15, 0.3])
    assert scores[0].tolist() == pytest.approx([1.1, 0.75, 0.5, 0.4, 1.1])


def test_bits_do_not_depend_on_the_default_type(started: PolicyStart) -> None:
    lists = {"q0": dict(zip(DOCS, [0.1, 0.7, 0.3, 0.9, 0.2], strict=True))}
    reranker = Policy(lambda_title=0.6, lambda_cov=0.2, lambda_path=0.3, hub=0.7)

    def compute() -> torch.Tensor:
        calibrated = pool(lists, started)
        return reranker(Single()(calibrated), calibrated)

    assert torch.equal(*under_default_types(compute))


def test_shorter_chains_and_tolls(started: PolicyStart) -> None:
    """David Lynch has two relations, so a chain through it is worth 1/3 2^-hub; Dune has one."""
    everything = {"q0": dict(zip(DOCS, [5.0, 4.0, 3.0, 2.0, 1.0], strict=True))}
    one, _, _ = terms(Policy(lambda_path=1, path=1), pool(everything, started))
    assert one["lambda_path"][0].tolist() == [1, 0.5, 0, 0, 0]
    none, _, _ = terms(Policy(lambda_path=1, path=0), pool(everything, started))
    assert none["lambda_path"][0].tolist() == [1, 0, 0, 0, 0]
    toll, _, _ = terms(Policy(lambda_path=1, hub=1.0), pool(everything, started))
    assert toll["lambda_path"][0].tolist() == pytest.approx([1, 0.5, 1 / 6, 0, 0])


def test_the_phis_are_those_of_the_retriever(started: PolicyStart) -> None:
    """Over all passages, weight by weight, as the retriever adds them to its walk."""
    policy = plain(rerank={"lambda_path": 2, "hub": 0.5, "path": 1})
    (part,) = block_scorer(policy, started)(slice(None))
    found = started.bonuses(np.tile(np.arange(5, dtype=np.int32), (3, 1)), path=1, hub=0.5)
    for name, phi in found.items():
        assert np.array_equal(getattr(policy.rerank, name) * phi, part.terms[name])


SCORES = st.dictionaries(st.sampled_from(DOCS), st.floats(-5, 5, width=32), max_size=5)
LISTS, WEIGHTS = st.lists(SCORES, min_size=1, max_size=3), st.floats(0, 3)


@settings(max_examples=60)
@given(LISTS, WEIGHTS, WEIGHTS, WEIGHTS, st.integers(1, 6), st.integers(0, 2))
def test_terms_add_up_and_are_bounded(started, lists, title, cov, path, m, steps) -> None:
    calibrated = pool({f"q{n}": found for n, found in enumerate(lists)}, started)
    weights = {"lambda_title": title, "lambda_cov": cov, "lambda_path": path}
    found, scores, there = terms(Policy(**weights, m=m, path=steps), calibrated)
    assert list(found) == ["fused", *weights]
    total = torch.where(there, sum(found.values()), 0.0)
    assert total.numpy() == pytest.approx(scores.numpy(), abs=1e-9)
    for name, values in found.items():
        assert bool(((values >= 0) & (values <= weights.get(name, 1))).all())
    after = Policy(**weights, m=m, path=steps)(Single()(calibrated), calibrated)
    assert torch.equal(torch.isinf(after), torch.isinf(Single()(calibrated)))


def test_without_weights_the_order_stays_and_what_is_below_the_best_m_stays_below(
    started: PolicyStart,
) -> None:
    first = dict(zip(DOCS, [1.0, 2.0, 5.0, 4.0, 3.0], strict=True))
    calibrated = pool({"q0": first, "q1": {}, "q2": {"d004": 1.0, "d001": 1.0}}, started)
    before = Single()(calibrated)
    after = Policy(lambda_title=0, lambda_cov=0, lambda_path=0)(before.clone(), calibrated)
    lifted = Policy(lambda_title=3, m=2)(before.clone(), calibrated)
    one, other, third = (
        torch.sort(each, descending=True, stable=True).indices for each in (before, after, lifted)
    )
    assert torch.equal(one, other)
    assert calibrated.pool.docs[0][third[0]].tolist() == [2, 3, 4, 1, 0]


def test_questions_in_another_order_and_alone_have_the_same_bits(started: PolicyStart) -> None:
    rows = [np.roll([1.0, 2.0, 5.0, 4.0, 3.5], n).tolist() for n in range(3)]
    lists = {f"q{n}": dict(zip(DOCS, row, strict=True)) for n, row in enumerate(rows)}
    whole = Policy()(Single()(pool(lists, started)), pool(lists, started))
    for n, (query, found) in enumerate(lists.items()):
        context = Context(seeding=started).take(np.array([n]))
        aligned = Pool.align({"dense": over({query: found})}, context=context)
        alone = Calibrated(aligned, Pit(), Auto())
        assert torch.equal(Policy()(Single()(alone), alone)[0], whole[n])


def test_lists_without_a_benchmark_say_what_is_missing() -> None:
    calibrated = pool({"q0": {"d000": 1.0}}, None)
    with pytest.raises(HarnessError, match="reranker=policy"):
        Policy()(Single()(calibrated), calibrated)


def test_bounds() -> None:
    with pytest.raises(HarnessError, match=r"reranker\.path.*\[0.*2\].*path=3"):
        Policy(path=3)


SAMPLE = (
    "encoder=hashed",
    "extractor.model=null",
    "reranker=policy",
    "grid=point",
    "tracking=none",
)


def test_a_trial_is_known_by_its_seeds(tmp_path: Path) -> None:
    def hashes(*edits: str) -> list[str]:
        overrides = (*SAMPLE, f"paths.runs={tmp_path}", *edits)
        plan = Plan(compose(overrides=overrides), overrides)
        names = dict.fromkeys(("dense", "graph", "bm25"))
        return [trial.sha256("data", names) for trial in plan.trials()]

    plain, edited = hashes(), hashes("seeds.policy.seed.cap=3")
    assert plain[:-1] == edited[:-1]
    assert plain[-1] != edited[-1]
    with pytest.raises(HarnessError, match=r"policy\.seed\.cap.*\[1.*cap=0"):
        hashes("seeds.policy.seed.cap=0")


def test_a_sweep_and_a_trace_rerank_a_benchmark(tmp_path: Path) -> None:
    """With no more than reranker=policy; what other trials share its pool changes nothing."""
    world = ("dataset=folder", f"dataset.path={write(tmp_path / 'world', 200)}")
    overrides = (*SAMPLE, *world, f"paths.runs={tmp_path}")
    prepared = Prepared.of(Plan(compose(overrides=overrides), overrides))
    trials = prepared.plan.trials()
    said = "policy lambda_title=0 lambda_cov=0.1 lambda_path=0.5 path=2 hub=0 m=50"
    assert trials[-1].name.endswith(said)
    ranks = prepared.ranks(trials, "tune")
    assert np.array_equal(prepared.ranks(trials[-1:], "tune")[0], ranks[-1])
    member = int(prepared.benchmark.members("tune")[0])
    query = prepared.benchmark.query_ids[member].as_py()
    without = [each for each in overrides if not each.startswith("grid")]
    found = trace(compose("trace", [*without, f"query={query}"]))
    assert found.fused == "fused by boltzmann, policy"
    told = [found.rank(found.fused, doc) for doc in found.gold]
    assert told == [int(rank) for rank in ranks[-1][0][: len(told)]]
