"""Conformance tests of fusers."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import harness
from harness.core.configuration.conf_files import strategy
from harness.core.errors import HarnessError
from harness.fusion import fuse as fusion
from harness.fusion.fuse import check
from harness.fusion.fuser import Calibrated, Fuser
from harness.fusion.fuser import fused_scores as fuser_scores
from harness.fusion.learning import must_learn
from harness.fusion.normalizer import Pit, Raw, ZScore
from harness.fusion.pool import Pool
from harness.fusion.temperature import Auto
from harness.run import Run
from harness.testing.conformance import PureConformance
from harness.testing.lists import assert_equal, fused_scores, random_runs, trained
from harness.testing.process import digests, digests_elsewhere

WEIGHTS = {"dense": 0.5, "graph": 0.3, "bm25": 0.2}
LISTS = st.dictionaries(
    st.sampled_from("abcdefghijkl"), st.integers(0, 16).map(lambda n: n / 16), max_size=10
)


@functools.cache
def _trained(name: str, conf: str | Path | None) -> Fuser:
    """Return the strategy, made once with ``conf`` on the path."""
    fuser: Fuser = trained("fuser", name)
    return fuser


def _fuse(runs: Mapping[str, Run], fuser: Fuser, device: str = "auto") -> Run:
    """Return the fused lists, without reading configurations or comparing ids each time."""
    calibration: dict[str, Any] = {"normalizer": Pit(), "temperature": Auto(), "disjoint": None}
    return harness.fuse(runs, fuser, device=device, **calibration)


class FuserConformance(PureConformance):
    """Tests of ``names``, configurations of ``conf/fuser``.

    Attributes:
        anchored: fusers that leave out documents that their own list lacks, so that they keep this
            list's order.
    """

    concept: ClassVar[str] = "fuser"
    anchored: ClassVar[tuple[str, ...]] = ()

    @pytest.fixture
    def fuser(self, name: str) -> Fuser:
        """Return the tested strategy."""
        return _trained(name, self.conf)

    @pytest.fixture
    def pair(self) -> dict[str, Run]:
        """Return two lists with ties."""
        return random_runs(names=("dense", "graph"))

    def test_it_declares_what_it_reads(self, fuser: Fuser) -> None:
        """``reads`` and ``unit`` are declared."""
        assert fuser.reads <= {"scores", "ranks", "values", "probabilities", "importance", "types"}
        assert fuser.reads
        assert isinstance(fuser.unit, bool)
        assert fuser.unit or "probabilities" not in fuser.reads

    def test_what_it_does_not_read_changes_nothing(
        self, fuser: Fuser, pair: dict[str, Run]
    ) -> None:
        """Without ``values`` the normalizer has no effect, without ``probabilities`` the
        temperature.
        """
        first = next(iter(pair.values()))
        documents = sorted({doc for run in pair.values() for doc in run.doc_ids.to_pylist()})
        runs = {
            name: run.aligned(first.query_ids, pa.array(documents)) for name, run in pair.items()
        }
        pool = Pool.align(runs)

        def scores(normalizer: str, temperature: str) -> torch.Tensor:
            chosen = strategy("normalizer", normalizer), strategy("temperature", temperature)
            return fuser_scores(fuser, Calibrated(pool, *chosen))

        if not fuser.reads & {"values", "probabilities"}:
            base, *others = (scores(name, "auto") for name in ("pit", "minmax", "zscore"))
            for other in others:
                assert torch.equal(base, other), "another normalizer, though `reads` has no values"
        if "probabilities" not in fuser.reads:
            base, other = (scores("pit", name) for name in ("auto", "fixed"))
            assert torch.equal(base, other), "another temperature, though `reads` has none"

    def test_permuting_the_numbers_of_documents_permutes_the_scores(self, fuser: Fuser) -> None:
        """Scores follow the documents, for lists without ties."""
        runs = random_runs(ties=False, names=("dense", "graph"))
        new = np.random.default_rng(5).permutation(60)

        def rename(run: Run) -> Run:
            named = {}
            for query, scores in run.to_dict().items():
                named[query] = {f"r{new[int(doc[1:])]:03d}": at for doc, at in scores.items()}
            return Run.from_dict(named)

        renamed = {key: rename(run) for key, run in runs.items()}
        after = _fuse(renamed, fuser).to_dict()
        assert rename(_fuse(runs, fuser)).to_dict() == after

    def test_permuting_queries_permutes_the_result(
        self, fuser: Fuser, pair: dict[str, Run]
    ) -> None:
        """Bits do not change."""
        order = np.random.default_rng(6).permutation(40)
        shuffled = _fuse({key: run.take(order) for key, run in pair.items()}, fuser)
        assert_equal(_fuse(pair, fuser).take(order), shuffled, "with the queries in another order")

    def test_the_order_in_which_lists_are_given_does_not_matter(
        self, name: str, fuser: Fuser, pair: dict[str, Run]
    ) -> None:
        """Two lists, and three, by ``weights`` if the fuser has them."""
        for runs, chosen in ((pair, fuser), (random_runs(), self._of_three(name, fuser))):
            turned = _fuse(dict(reversed(runs.items())), chosen)
            assert_equal(_fuse(runs, chosen), turned, f"with {len(runs)} lists turned")

    def test_blocks_of_queries_change_no_bit(
        self, fuser: Fuser, pair: dict[str, Run], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Questions are fused in blocks, to bound memory."""
        few = {name: run.take(np.arange(12)) for name, run in pair.items()}
        whole = _fuse(few, fuser)
        for cells in (1, 200):
            monkeypatch.setattr(fusion, "CELLS", cells)
            assert_equal(whole, _fuse(few, fuser), f"in blocks of {cells} cells")

    def test_a_list_with_nothing_leaves_the_order_of_the_other(
        self, name: str, fuser: Fuser
    ) -> None:
        """Either of the two may be empty."""
        scores = {"b": 0.875, "d": 0.5, "a": 0.25, "c": 0.25, "e": 0.0}
        anchor = getattr(fuser, "list", "dense")
        other = "graph" if anchor == "dense" else "dense"
        assert list(fused_scores(fuser, {anchor: scores, other: {}})) == list(scores)
        assert list(fused_scores(fuser, {anchor: {}, other: scores})) == (
            [] if name in self.anchored else list(scores)
        )

    def test_what_all_lists_rank_first_is_first(self, name: str, fuser: Fuser) -> None:
        """Unanimity holds for a question with few documents next to one with many; not for learned
        fusers.
        """
        if must_learn(strategy("fuser", name)):
            pytest.skip("its weights come from judged queries")
        many = {f"m{place:02d}": 0.9 - place / 32 for place in range(16)}
        runs = {
            "dense": Run.from_dict(
                {"few": {"x": 0.9, "b": 0.5, "a": 0.25}, "many": {"x": 0.95, **many}}
            ),
            "graph": Run.from_dict(
                {"few": {"x": 0.4, "c": 0.2}, "many": {"x": 0.96, **dict(reversed(many.items()))}}
            ),
        }
        fused = _fuse(runs, fuser).to_dict()
        assert all(next(iter(scores)) == "x" for scores in fused.values()), (
            "x is first in every list and not in the fused one. A list that lacks a document of "
            "the pool has "
            "present = False, ranks = inf and its absent value there; a query with fewer "
            "documents than another is "
            "padded with columns of docs = -1 that no list holds. Neither may gain by it: sum "
            "over `present` alone"
        )

    def test_ties_obey_the_one_order(self, fuser: Fuser) -> None:
        """Equal scores ascend by document id."""
        tied = {"d": 1.0, "a": 1.0, "c": 1.0, "b": 1.0}
        assert list(fused_scores(fuser, {"dense": tied, "graph": tied})) == ["a", "b", "c", "d"]

    def test_the_fused_list_is_a_subset_of_the_pool_in_the_one_order(self) -> None:
        """Random pairs of short lists, several questions at a time."""
        fusers = {name: trained("fuser", name) for name in self.names}

        @settings(max_examples=6, deadline=None, database=None)
        @given(pairs=st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=12))
        def check_lists(pairs: list[tuple[dict[str, float], dict[str, float]]]) -> None:
            assume(any(dense and graph for dense, graph in pairs))  # `fuse` refuses others
            named = {f"q{number}": pair for number, pair in enumerate(pairs)}
            dense = Run.from_dict({query: dense for query, (dense, _) in named.items()})
            graph = Run.from_dict({query: graph for query, (_, graph) in named.items()})
            for name, fuser in fusers.items():
                rankings = _fuse({"dense": dense, "graph": graph}, fuser).to_dict()
                assert rankings.keys() == named.keys()
                for query, fused in rankings.items():
                    union = {*named[query][0], *named[query][1]}
                    assert set(fused) <= union if name in self.anchored else set(fused) == union
                    assert list(fused) == sorted(fused, key=lambda doc: (-fused[doc], doc))
                    assert all(np.isfinite(list(fused.values())))

        check_lists()

    def test_the_result_is_a_new_tensor_of_float64(
        self, fuser: Fuser, pair: dict[str, Run]
    ) -> None:
        """Overwriting it does not change cached results of the pool."""
        calibrated = Calibrated(Pool.align(pair), Pit(), Auto())
        first = fuser(calibrated)
        assert first.dtype == torch.float64
        before = first.clone()
        first.fill_(7)
        assert torch.equal(fuser(calibrated), before)

    def test_values_outside_the_unit_interval_are_refused_where_unit_says_so(
        self, fuser: Fuser
    ) -> None:
        """Z-scores and raw scores are such values."""
        for normalizer in (ZScore(), Raw()):
            if fuser.unit:
                with pytest.raises(
                    HarnessError, match=r"needs values in \[0, 1\], normalizer=\w+ gives others"
                ):
                    check(fuser, normalizer)
            else:
                check(fuser, normalizer)
        check(fuser, Pit())

    def test_two_empty_lists_of_three_leave_the_order_of_the_third(
        self, name: str, fuser: Fuser
    ) -> None:
        """Questions: other lists empty, other lists without it, all three lists, all empty."""
        lexical = {"b": 7.5, "d": 7.5, "a": 2.25, "e": 0.5, "c": 0.5, "f": 0.0}
        runs = {
            "bm25": Run.from_dict({"q1": lexical, "q2": lexical, "q3": lexical, "q4": {}}),
            "dense": Run.from_dict({"q1": {}, "q3": {"a": 0.9, "g": 0.1}, "q4": {}}),
            "graph": Run.from_dict({"q1": {}, "q3": {"h": 0.25}, "q4": {}}),
        }
        fused = _fuse(runs, self._of_three(name, fuser)).to_dict()
        assert list(fused["q1"]) == list(fused["q2"]) == ["b", "d", "a", "c", "e", "f"]
        assert set(fused["q3"]) == set("abcdef") if name in self.anchored else set("abcdefgh")
        assert fused["q4"] == {}

    @staticmethod
    def _of_three(name: str, fuser: Fuser) -> Fuser:
        """Return the fuser with shares of three lists, or for ``bm25``, where it has them."""
        fields = {"weights": WEIGHTS, "list": "bm25"}
        known = inspect.signature(type(fuser)).parameters
        shares = {key: value for key, value in fields.items() if key in known}
        of_three: Fuser = strategy("fuser", name, **shares) if shares else fuser
        return of_three

    def test_other_processes_and_thread_counts_give_the_same_bytes(self) -> None:
        """Another string hash; some of the fusers with every normalizer and temperature."""
        mine = digests(self.names)
        seed = 1 if os.environ.get("PYTHONHASHSEED") != "1" else 2
        threads = 1 if torch.get_num_threads() > 1 else 2
        other = digests_elsewhere(self.names, self.conf, threads=threads, seed=seed)
        assert other["hash"] != hash("dense")
        assert {key.split()[0] for key in mine} == set(self.names)
        assert mine == other["digests"]

    @pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA GPU here")
    def test_the_gpu_agrees(self, fuser: Fuser) -> None:
        """Scores agree within 1e-9, for lists without ties."""
        runs = random_runs(ties=False, names=("dense", "graph"))
        cpu, gpu = (_fuse(runs, fuser, device=device).to_dict() for device in ("cpu", "cuda"))
        for query, scores in cpu.items():
            assert gpu[query] == pytest.approx(scores, rel=1e-9, abs=1e-15)
