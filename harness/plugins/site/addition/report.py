"""The site, paths.reports/site/index.html, opens from disk: sweeps, trials, and each question with its
passages, their ranks and the graph's paths (traces=null: of every question, not of 20). Questions
of test are shown only for held-out sweeps.
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.core.errors import whole_number
from harness.sweep.folder.result import SweepResult


def check(config: DictConfig) -> None:
    """Check the keys of the site before anything is written."""
    if config.traces is not None:
        whole_number("traces", config.traces, 0)


def build(config: DictConfig, results: list[SweepResult]) -> Path:
    """Write the site below ``paths.reports`` and return its first page."""
    from harness.plugins.site.pages.site_files import build as build_site

    return build_site(config, Path(config.paths.reports) / "site", results)
