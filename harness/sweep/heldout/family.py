"""Families of experiments: several looks at one test split that were registered before the first, and are corrected.

``experiment.family`` of conf/experiment/*.yaml names the family; its members are all experiments that name it. They are
written into the lock, so that a member that is added after the first look makes another family.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.configuration import folders
from harness.core.errors import HarnessError

NAMED = re.compile(r"(?m)^  family: *([\w-]+)")


def experiment_family(experiment: Mapping[str, Any] | None, given: Sequence[str]) -> dict[str, Any] | None:
    """``name``, ``member`` (the experiment that the typed overrides ``given`` chose) and ``members``; None for none."""
    name = (experiment or {}).get("family")
    if name is None:
        return None
    typed = (text.lstrip("+").partition("=") for text in given)
    member = next((value for key, _, value in typed if key == "experiment"), None)
    members = sorted(
        path.stem
        for folder in folders()
        for path in (folder / "experiment").glob("*.yaml")
        if name in NAMED.findall(path.read_text(encoding="utf-8"))
    )
    if member not in members:
        raise HarnessError(f"experiment.family={name}: its members are {', '.join(members)}; got experiment={member}")
    return {"name": name, "member": member, "members": members}


def permits(own: Mapping[str, Any] | None, seen: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a member may look though others did: they all are of the same family, and it is none of them."""
    others = [entry.get("family") for entry in seen]
    return own is not None and all(
        other is not None and other["name"] == own["name"] and other["members"] == own["members"]
        and other["member"] != own["member"]
        for other in others
    )  # fmt: skip


def charged(own: Mapping[str, Any] | None, seen: Sequence[Mapping[str, Any]], looks: int | None) -> int:
    """The looks that a test split has had with this one; those of the same family are one, as ``correct`` counts them.

    seen: the evaluations before it.    looks: known ones of any kind before it, theirs among them.
    """
    same = [entry for entry in seen if own is not None and (entry.get("family") or {}).get("name") == own["name"]]
    return 1 + max(looks or 0, len(seen)) - len(same)


def correct(p: float | None, own: Mapping[str, Any] | None, looks: int) -> dict[str, float | None]:
    """A p that was corrected within its experiment, corrected for what else looked at this test (Bonferroni).

    ``p_family``: over the members of its family.    ``p_looks``: that times the ``looks``, each of which may spend as
    much of the level; a later look makes it greater.
    """
    within = {} if own is None else {"p_family": None if p is None else min(1.0, p * len(own["members"]))}
    spent = within.get("p_family", p)
    return {**within, "p_looks": None if spent is None else min(1.0, spent * looks)}
