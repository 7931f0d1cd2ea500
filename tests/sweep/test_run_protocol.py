"""The protocol from Python gives the files that the command line gives, and keeps its rules."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import harness
from harness.sweep import tune
from tests import process


@pytest.mark.slow
def test_sweep_lock_and_heldout_as_the_command_line_does(overrides, tmp_path):
    result = harness.run_sweep(*overrides, "grid=point", "fuser=linear")
    assert [row["family"] for row in result.lock["fusers"]] == ["linear", "rrf"]
    assert result.heldout is None
    held_out = harness.run_heldout(result)
    assert {row["split"] for row in held_out.heldout} == {"test"}
    assert {row["evaluation"] for row in held_out.heldout} == {1}
    with pytest.raises(harness.HarnessError, match="1 time"):
        harness.run_heldout(str(result.folder))
    again = harness.run_heldout(result.folder, again=True)
    assert again.heldout[0]["evaluation"] == 2

    other = [text.replace(f"{tmp_path}/runs", f"{tmp_path}/cli") for text in overrides]
    for command in (
        ["sweep", *other, "grid=point", "fuser=linear"],
        ["heldout", "tracking=none", other[-2]],
    ):
        done = process.harness(*command, cwd=tmp_path, check=True)
    assert "evaluation 1" in done.stderr  # said before it scored
    folder = tmp_path / "cli" / "sweeps" / result.folder.name
    for name in ("ranks.npy", "trials.parquet", "heldout_ranks.npy"):
        assert (folder / name).read_bytes() == (result.folder / name).read_bytes(), name


def test_a_mistyped_key_is_named(overrides):
    with pytest.raises(harness.HarnessError, match=r"fusr.*\(did you mean fuser"):
        harness.run_sweep(*overrides, "fusr=rrf")


@pytest.mark.parametrize(
    ("reference", "facts", "more"),
    [
        ("dense", {"splitting": "md5"}, []),
        ("graph", {"splitting": "md5"}, [{"reference": "graph"}]),
        ("dense", {"splitting": "given", "split_sha256": "x"}, ["given", "x"]),
    ],
)
def test_what_a_sweep_is_named_by_as_folders_of_older_versions_are(
    monkeypatch: pytest.MonkeyPatch, reference: str, facts: dict[str, str], more: list[object]
) -> None:
    """The default reference and splitting are left out."""
    named: list[Any] = []
    monkeypatch.setattr(tune, "digest", lambda what: named.append(what) or "5ca1ab1e" * 8)
    plan = SimpleNamespace(
        config=SimpleNamespace(objective="mrr"),
        margin=0.02,
        experiment=None,
        reference=reference,
        metrics=[],
    )
    prepared: Any = SimpleNamespace(
        plan=plan,
        benchmark=SimpleNamespace(split_facts=facts),
        identities={},
        versions=lambda trials: {},
    )
    found = tune.Findings(prepared, {}, [], [], np.empty((0, 0, 0), np.int32), [], 0.0)
    assert found.identity == "5ca1ab1e5ca1"
    assert named == [[[], "mrr", 0.02, None, *more, tune.code_version(), tune.library_versions()]]
