"""Classes in folders that were stored before strategies had names: found whatever room they stood in."""

from pathlib import Path

import pytest

from harness.core.configuration import StoredReader

PAPER = pytest.mark.paper


@pytest.mark.parametrize(
    ("older", "now"),
    [
        ("harness.fuser.rrf.Rrf", "harness.fusion.fuser.rrf.Rrf"),
        ("harness.retriever.ppr.PPR", "harness.retriever.ppr.PPR"),
        pytest.param("harness.retriever.policy.policy.read", "harness.papers.policyrag.policy.policy.read",
                     marks=PAPER("policyrag")),
        pytest.param("harness.retriever.policyrag.PolicyRAG", "harness.papers.policyrag.retriever.policyrag.PolicyRAG",
                     marks=PAPER("policyrag")),
        pytest.param("harness.fusion.fuser.quantum.Quantum", "harness.papers.phasegraph.fuser.quantum.Quantum",
                     marks=PAPER("phasegraph")),
        pytest.param("harness.graph.triplestore.memory.Memory", "harness.papers.dice.triplestore.memory.Memory",
                     marks=PAPER("dice")),
        pytest.param("harness.benchmark.dataset.webqsp_rog.WebQSP",
                     "harness.papers.dice.dataset.webqsp_rog.WebQSP", marks=PAPER("dice")),
    ],
)  # fmt: skip
def test_an_older_class_is_the_one_of_today(older: str, now: str) -> None:
    assert StoredReader(Path("config.yaml")).read({"_target_": older}) == {"_target_": now}
