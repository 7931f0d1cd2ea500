"""A policy is data: its files, its ranges, and one-line edits."""

from typing import Any

import pytest
import yaml

from harness.core.concepts import PACKAGE
from harness.core.configuration import compose, instantiate, names
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.plugins.policyrag.policy.policy import SECTIONS, Policy, read


@pytest.mark.parametrize("name", names("policy"))
def test_files_name_every_knob(name: str) -> None:
    written = yaml.safe_load(
        (PACKAGE / "plugins" / "policyrag" / "conf" / "policy" / f"{name}.yaml").read_text()
    )
    chosen = instantiate(
        compose("config", ["+retriever@lists.p=policyrag", f"policy@lists.p.policy={name}"]).lists.p
    )
    for section in SECTIONS:
        knobs = set(vars(getattr(chosen.policy, section))) - {"filter"}
        assert knobs == set(written[section]), section


EDITS = [
    "lists.p.policy.seed.by=names",
    "lists.p.policy.seed.by=question",
    "lists.p.policy.seed.passage_weight=0",
    "lists.p.policy.seed.specificity=0",
    "lists.p.policy.seed.alias_max=null",
    "lists.p.policy.gate.filter=null",
    "gate@lists.p.policy.gate.filter=none",
    "lists.p.policy.traverse.eta_s=0",
    "lists.p.policy.traverse.eta_r=0",
    "lists.p.policy.traverse.alpha=0.2",
    "lists.p.policy.traverse.synonym=0.9",
    "lists.p.policy.project={incidence:binary,beta:0,gamma:0}",
    "lists.p.policy.rerank={lambda_title:0,lambda_cov:0,lambda_path:0}",
]


@pytest.mark.parametrize("edit", EDITS)
def test_every_ablation_is_one_override(edit: str) -> None:
    plain = instantiate(compose("config", ["+retriever@lists.p=policyrag"]).lists.p)
    edited = instantiate(compose("config", ["+retriever@lists.p=policyrag", edit]).lists.p)
    assert digest(edited) != digest(plain)


def test_the_synonym_threshold_of_the_policy_is_that_of_its_graph() -> None:
    config = compose(
        "config", ["+retriever@lists.p=policyrag", "lists.p.policy.traverse.synonym=0.9"]
    )
    assert config.lists.p.graph.synonym == 0.9


@pytest.mark.parametrize(
    ("section", "knob", "bad", "told"),
    [
        (
            "seed",
            "by",
            "all",
            r"policy\.seed\.by=all is not known; known: facts, names, both, question",
        ),
        ("seed", "cap", 0, r"policy\.seed\.cap must be in \[1, inf\), got cap=0"),
        ("seed", "cap", 2.5, r"policy\.seed\.cap must be a whole number, got cap=2.5"),
        (
            "seed",
            "specificity",
            -1,
            r"policy\.seed\.specificity must be in \[0, inf\), got specificity=-1",
        ),
        ("gate", "facts", -1, r"policy\.gate\.facts must be in \[0, inf\), got facts=-1"),
        ("traverse", "eta_s", 1.5, r"policy\.traverse\.eta_s must be in \[0, 1\], got eta_s=1.5"),
        ("traverse", "alpha", 0, r"policy\.traverse\.alpha must be in \(0, 1\], got alpha=0"),
        (
            "traverse",
            "max_iter",
            2.5,
            r"policy\.traverse\.max_iter must be a whole number, got max_iter=2.5",
        ),
        ("gate", "filter", 3, r"policy\.gate\.filter must be a gate or null, got 3"),
        ("traverse", "synonym", "high", r"policy\.traverse\.synonym must be a number, got 'high'"),
        ("project", "beta", 2, r"policy\.project\.beta must be in \[0, 1\], got beta=2"),
        (
            "rerank",
            "lambda_cov",
            -0.1,
            r"policy\.rerank\.lambda_cov must be in \[0, inf\), got lambda_cov=-0.1",
        ),
        ("rerank", "path", 3, r"policy\.rerank\.path must be in \[0, 2\], got path=3"),
        (
            "traverse",
            "eta_t",
            1,
            r"policy\.traverse\.eta_t is no knob \(did you mean eta_s\?\)|did you mean eta_",
        ),
    ],
)
def test_an_invalid_policy_names_key_value_and_range(
    section: str, knob: str, bad: Any, told: str
) -> None:
    with pytest.raises(HarnessError, match=told):
        read(**{section: {knob: bad}})


def test_sections() -> None:
    assert read() == Policy()
    with pytest.raises(HarnessError, match=r"policy\.travers.*traverse\?\)"):
        read(travers={})
    with pytest.raises(HarnessError, match=r"policy\.seed.*seed=3"):
        read(seed=3)  # type: ignore[arg-type]
    with pytest.raises(HarnessError, match="must not all be 0"):
        read(traverse={"eta_r": 0, "eta_s": 0})
