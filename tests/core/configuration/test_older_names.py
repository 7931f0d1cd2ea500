"""Classes in folders that were stored before strategies had names: found whatever room they stood in."""

from pathlib import Path

import pytest

from harness.core.configuration import StoredReader

PLUGIN = pytest.mark.plugin


@pytest.mark.parametrize(
    ("older", "now"),
    [
        ("harness.fuser.rrf.Rrf", "harness.fusion.fuser.rrf.Rrf"),
        ("harness.retriever.ppr.PPR", "harness.retriever.ppr.PPR"),
        pytest.param("harness.papers.dice.fuser.dice.Dice", "harness.plugins.dice.fuser.dice.Dice",
                     marks=PLUGIN("dice")),
        pytest.param("harness.retriever.policy.policy.read", "harness.plugins.policyrag.policy.policy.read",
                     marks=PLUGIN("policyrag")),
        pytest.param("harness.retriever.policyrag.PolicyRAG", "harness.plugins.policyrag.retriever.policyrag.PolicyRAG",
                     marks=PLUGIN("policyrag")),
        pytest.param("harness.fusion.fuser.quantum.Quantum", "harness.plugins.phasegraph.fuser.quantum.Quantum",
                     marks=PLUGIN("phasegraph")),
        pytest.param("harness.graph.triplestore.memory.Memory", "harness.plugins.dice.triplestore.memory.Memory",
                     marks=PLUGIN("dice")),
        pytest.param("harness.benchmark.dataset.webqsp_rog.WebQSP",
                     "harness.plugins.dice.dataset.webqsp_rog.WebQSP", marks=PLUGIN("dice")),
    ],
)  # fmt: skip
def test_an_older_class_is_the_one_of_today(older: str, now: str) -> None:
    assert StoredReader(Path("config.yaml")).read({"_target_": older}) == {"_target_": now}
