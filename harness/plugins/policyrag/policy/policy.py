"""A policy: five sections of settings that turn a question into a list of passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.core.errors import keys_of
from harness.plugins.policyrag.policy.gate import Gate
from harness.plugins.policyrag.policy.project import Project
from harness.plugins.policyrag.policy.rerank import Rerank
from harness.plugins.policyrag.policy.seed import Seed
from harness.plugins.policyrag.policy.traverse import Traverse


@dataclass(frozen=True)
class Policy:
    """seed (eq. 2), gate (eq. 3), traverse (eqs. 4, 5), project (eq. 6) and rerank (eq. 7) of
    PolicyRAG.
    """

    seed: Seed = field(default_factory=Seed)
    gate: Gate = field(default_factory=Gate)
    traverse: Traverse = field(default_factory=Traverse)
    project: Project = field(default_factory=Project)
    rerank: Rerank = field(default_factory=Rerank)


SECTIONS: dict[str, Any] = {
    "seed": Seed,
    "gate": Gate,
    "traverse": Traverse,
    "project": Project,
    "rerank": Rerank,
}


def read(**sections: Mapping[str, object] | None) -> Policy:
    """Return the policy of a mapping per section, as in ``conf/policy/<name>.yaml``.

    A missing section or setting has its default.

    Raises:
        HarnessError: a section or setting does not exist, or a value is out of range; the error
            names the key, such as ``policy.traverse.eta_s``.
    """
    keys_of("policy", sections, SECTIONS)
    for name, section in sections.items():
        keys_of(f"policy.{name}", section, SECTIONS[name].__dataclass_fields__)
    return Policy(**{name: kind(**(sections.get(name) or {})) for name, kind in SECTIONS.items()})
