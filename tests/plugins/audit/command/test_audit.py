"""`harness audit`: what it says of the references, each line found by hand in them."""

import json

import pytest

from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.plugins.audit.command.audit import run


def test_the_papers(tmp_path, capsys):
    run(compose("audit", [f"out={tmp_path / 'audit.json'}"]))
    said = capsys.readouterr().out
    found = json.loads((tmp_path / "audit.json").read_text())
    assert set(found) == {"phasegraph", "policyrag", "dice_hybrid"}
    wrong = {(row["where"], row["what"], row["figure"]) for row in found["phasegraph"] if not row["agrees"]}
    assert ("Table 1", "2Wiki PhaseGraph", "p of 11/2") in wrong  # .0225 is printed .023 there, .022 in Figure 1
    assert ("Table 3", "true RRF uncapped", "difference") in wrong
    assert ("Table 1", "PhaseGraph (.4 dk20) on 2Wiki test", "the same") in wrong
    right = {(row["where"], row["what"], row["figure"]) for row in found["phasegraph"] if row["agrees"]}
    assert ("Table 4", "true RRF", "odds ratio") in right
    assert ("Table 1", "MuSiQue PhaseGraph", "p of 8/1") in right
    assert "phasegraph: " in said.splitlines()[1]


def test_one_paper(capsys):
    run(compose("audit", ["papers=policyrag"]))
    assert capsys.readouterr().out.startswith("policyrag: 7 figures recomputed, 6 consistent, 1 not")
    with pytest.raises(HarnessError, match=r"papers=phasegraf is not known \(did you mean phasegraph\?\)"):
        run(compose("audit", ["papers=[phasegraf]"]))
