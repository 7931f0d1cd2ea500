"""`harness report` on a sweep's folder made by hand."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from omegaconf import DictConfig, OmegaConf

from harness.command import report
from harness.core.errors import HarnessError
from harness.run import Run
from harness.sweep.folder.list_scores import scores_frame


def config(root: Path, sweep: Path | None = None) -> DictConfig:
    paths = {name: str(root / name) for name in ("runs", "reports", "ledger")}
    tracking = {"_target_": "harness.report.tracking.none.Untracked"}
    return OmegaConf.create(
        {
            "sweep": sweep and str(sweep),
            "paths": paths,
            "tracking": tracking,
            "device": "cpu",
            "traces": 2,
        }
    )


@pytest.mark.plugin("site")
@pytest.mark.usefixtures("undrawn")
def test_the_latest_sweep(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example.write(tmp_path / "runs" / "sweeps" / "s1")
    lists = {
        name: Run.from_dict({"q0": {"a": 2.0, "b": 1.0}, "q1": {"b": 1.0}})
        for name in ("dense", "graph")
    }
    scores_frame(lists).to_parquet(
        example.write(tmp_path / "runs" / "sweeps" / "s2").folder / "scores.parquet"
    )
    (tmp_path / "runs" / "sweeps" / "latest").write_text("s2\n")
    report.run(config(tmp_path))
    first, tables, *_, pdf, page = capsys.readouterr().out.splitlines()
    assert first.startswith("report of s2: only hashes were checked")
    assert tables == f"{tmp_path}/reports/tables: main.csv, main.tex"
    assert pdf.startswith("no PDF: none of latexmk")
    assert page == f"{tmp_path}/reports/site/index.html"
    assert (tmp_path / "reports/figures/sample-last_hop-5/scores_raw.pdf").is_file()


@pytest.mark.usefixtures("undrawn")
def test_a_named_sweep(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example.write(tmp_path / "somewhere")
    report.run(config(tmp_path, tmp_path / "somewhere"))
    assert "report of somewhere: " in capsys.readouterr().out


def test_no_sweep_yet(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="`harness sweep`"):
        report.run(config(tmp_path))
    with pytest.raises(HarnessError, match="sweep's"):
        report.run(config(tmp_path, tmp_path))
