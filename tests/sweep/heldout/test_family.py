"""Families of experiments: registered before the first look, each member once, corrected over the
members.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from harness.core.configuration import compose, extensions
from harness.core.errors import HarnessError
from harness.core.identity import digest
from harness.evaluation.statistic import charge
from harness.sweep.folder.result import LOCK, SweepResult
from harness.sweep.heldout import heldout
from harness.sweep.heldout.ledger import charged, correct, permits
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.prepared import Prepared
from harness.sweep.tune import sweep

OURS = {"name": "papers", "members": ["one", "three", "two"]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "conf" / "experiment"
    place.mkdir(parents=True)
    for name in ("one", "two", "three"):
        (place / f"{name}.yaml").write_text("# @package _global_\nexperiment:\n  family: papers\n")
    (place / "alone.yaml").write_text("# @package _global_\nexperiment:\n  source: none\n")
    monkeypatch.setattr(extensions, "SEARCHED", [tmp_path / "conf"])
    return place


def test_the_members_are_all_experiments_that_name_the_family(folder):
    def family(*given):
        return Plan(compose("config", given), given).family

    assert family("experiment=two") == {**OURS, "member": "two"}
    assert family("experiment=alone") is None
    with pytest.raises(
        HarnessError, match=r"its members are one, three, two; got experiment=alone"
    ):
        family("experiment=alone", "+experiment.family=papers")


def entry(member, **changes):
    return {"family": {**OURS, "member": member, **changes}}


def test_a_member_may_look_once_after_others_of_the_same_family():
    own = entry("one")["family"]
    assert permits(own, [entry("two"), entry("three")])
    assert not permits(own, [entry("two"), entry("one")]), "it looked already"
    assert not permits(own, [entry("two"), {}]), "somebody outside looked"
    assert not permits(own, [entry("two", members=["one", "two"])]), (
        "three was added after the first look"
    )
    assert not permits(None, [entry("two")])


def test_p_is_corrected_over_the_members():
    assert correct(0.01, OURS, 1) == {
        "p_family": pytest.approx(0.03),
        "p_looks": pytest.approx(0.03 * math.pi**2 / 6),
    }
    assert correct(0.5, OURS, 2) == {"p_family": 1.0, "p_looks": 1.0}
    assert correct(None, OURS, 2) == {"p_family": None, "p_looks": None}
    assert correct(0.003, None, 4) == {"p_looks": pytest.approx(0.003 * 16 * math.pi**2 / 6)}


def test_twenty_looks_spend_what_one_may():
    """20,000 tests where nothing helps, each looked at 20 times: at most 5% have a finding; by p
    times k it is 16%.
    """
    ps = np.random.default_rng(0).random((20_000, 20))
    spent = [
        [correct(float(p), None, look)["p_looks"] <= 0.05 for look, p in enumerate(row, 1)]
        for row in ps[:2000]
    ]
    assert np.any(spent, axis=1).mean() <= 0.06
    look = np.arange(1, 21)
    found = (ps * charge(look) <= 0.05).any(axis=1).mean()
    assert found == pytest.approx(1 - np.prod(1 - 0.05 * 6 / (np.pi * look) ** 2), abs=0.004)
    assert found <= 0.05
    assert (ps * look <= 0.05).any(axis=1).mean() > 0.15


def test_a_family_is_charged_as_one_look():
    """Four looks: two of the family, one of another, one by `evaluate`; a member that comes then is
    the third.
    """
    own, other = {"name": "papers"}, {"name": "other"}
    seen = [{"family": own}, {"family": other}, {"family": own}]
    assert charged(own, seen, 4) == 3
    assert charged(None, seen, 4) == 5
    assert charged(None, [], None) == 1
    assert charged(None, [{}], None) == 2  # the looks' file is gone, the ledger is there


def test_two_experiments_of_a_family_are_held_out_on_one_benchmark(folder, overrides):
    results = []
    for name, fuser in (("one", "rrf"), ("two", "linear")):
        given = (*overrides, f"experiment={name}", "grid=point", f"fuser={fuser}")
        prepared = Prepared.of(Plan(compose("config", given), given))
        results.append(
            (heldout(sweep(prepared, prepared.plan.trials()), prepared, again=False), prepared)
        )
    assert [{row["evaluation"] for row in result.heldout} for result, _ in results] == [{1}, {2}]
    (result, prepared), _ = results
    assert result.test.look.startswith(", of the family papers (3 experiments)")
    for row in result.heldout:
        assert row["p_family"] == (
            None if row["p_holm_cluster"] is None else min(1.0, 3 * row["p_holm_cluster"])
        )
    with pytest.raises(HarnessError, match="evaluated already, 2 times"):
        heldout(SweepResult(result.folder), prepared, again=False)
    assert (
        json.loads((Path(result.folder) / LOCK).read_text())["family"]["members"] == OURS["members"]
    )
    assert (
        digest({key: value for key, value in result.lock.items() if key != "sha256"})
        == result.lock["sha256"]
    )
