"""A policy is data: its files, its ranges, and one-line edits."""

from typing import Any

import pytest
import yaml

from harness.core.concepts import PACKAGE
from harness.core.configuration.composition import compose
from harness.core.configuration.conf_files import names
from harness.core.configuration.instantiation import instantiate
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.plugins.policyrag.policy.policy import SECTIONS, Policy, read


def made(*edits: str) -> Any:
    return instantiate(compose("config", ["+retriever@lists.p=policyrag", *edits]).lists.p)


@pytest.mark.parametrize("name", names("policy"))
def test_files_name_every_knob(name: str) -> None:
    path = PACKAGE / "plugins" / "policyrag" / "conf" / "policy" / f"{name}.yaml"
    written, chosen = yaml.safe_load(path.read_text()), made(f"policy@lists.p.policy={name}")
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


def test_every_ablation_is_one_override() -> None:
    plain = digest(made())
    assert not [edit for edit in EDITS if digest(made(edit)) == plain]


def test_the_synonym_threshold_of_the_policy_is_that_of_its_graph() -> None:
    assert made("lists.p.policy.traverse.synonym=0.9").graph.synonym == 0.9


@pytest.mark.parametrize(
    ("section", "knob", "bad", "told"),
    [
        ("seed", "by", "all", r"=all is not known; known: facts, names, both, question"),
        ("seed", "cap", 0, r" must be in \[1, inf\), got cap=0"),
        ("seed", "cap", 2.5, r" must be a whole number, got cap=2.5"),
        ("seed", "specificity", -1, r" must be in \[0, inf\), got specificity=-1"),
        ("gate", "facts", -1, r" must be in \[0, inf\), got facts=-1"),
        ("gate", "filter", 3, " must be a gate or null, got 3"),
        ("traverse", "eta_s", 1.5, r" must be in \[0, 1\], got eta_s=1.5"),
        ("traverse", "alpha", 0, r" must be in \(0, 1\], got alpha=0"),
        ("traverse", "max_iter", 2.5, " must be a whole number, got max_iter=2.5"),
        ("traverse", "synonym", "high", " must be a number, got 'high'"),
        ("project", "beta", 2, r" must be in \[0, 1\], got beta=2"),
        ("rerank", "lambda_cov", -0.1, r" must be in \[0, inf\), got lambda_cov=-0.1"),
        ("rerank", "path", 3, r" must be in \[0, 2\], got path=3"),
    ],
)
def test_an_invalid_policy_names_key_value_and_range(
    section: str, knob: str, bad: Any, told: str
) -> None:
    with pytest.raises(HarnessError, match=rf"^policy\.{section}\.{knob}{told}"):
        read(**{section: {knob: bad}})


def test_sections() -> None:
    assert read() == Policy()
    with pytest.raises(HarnessError, match=r"policy=travers .*traverse\?\)"):
        read(travers={})
    with pytest.raises(HarnessError, match=r"policy\.traverse=eta_t is not known .*did you mean"):
        read(traverse={"eta_t": 1})
    with pytest.raises(HarnessError, match=r"policy\.seed=3"):
        read(seed=3)  # type: ignore[arg-type]
    with pytest.raises(HarnessError, match="must not all be 0"):
        read(traverse={"eta_r": 0, "eta_s": 0})
