"""PhaseGraph's "Thermo + CE" with a cross-encoder that the test makes."""

from pathlib import Path

import pytest

from harness.sweep.folder.result import SweepResult
from tests.fusion.reranker.conftest import small_classifier
from tests.process import harness


@pytest.mark.plugin("llm")
def test_any_folder_of_a_cross_encoder_has_its_row(tmp_path: Path, overrides: list[str]) -> None:
    model = small_classifier(tmp_path / "tiny")
    chosen = ["experiment=phasegraph_cross_encoder", f"cross_encoder={model}"]
    done = harness("sweep", *overrides, *chosen, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = SweepResult(Path(done.stdout.splitlines()[-1])).whole.rows
    reranked = [row.parameters for row in rows if row.parameters.get("reranker") == "cross_encoder"]
    assert {one["reranker.blend"] for one in reranked} == {0.5, 1.0}
    assert {one["reranker.model"] for one in reranked} == {model}


def test_a_model_that_is_not_here_is_one_line_before_anything_is_built(
    tmp_path: Path, overrides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    done = harness("sweep", *overrides, "experiment=phasegraph_cross_encoder", cwd=tmp_path)
    assert done.returncode == 2
    assert "ms-marco-MiniLM-L6-v2" in done.stderr
    assert not [*tmp_path.rglob("artifacts/*")]
