"""The site, paths.reports/site/index.html, opens from disk: each sweep of the report in a line, with links
to its trials, to the questions that one strategy won or lost against another, and to a
question with its passages, their ranks in every strategy, and the graph's paths. Test questions
are shown only for held-out sweeps.

  harness report traces=null     the graph's paths of every question on the site; otherwise 20 per sweep
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.core.errors import whole_number
from harness.sweep.folder import SweepResult


def check(config: DictConfig) -> None:
    """Check the keys of the site before anything is written."""
    if config.traces is not None:
        whole_number("traces", config.traces, 0)


def build(config: DictConfig, results: list[SweepResult]) -> Path:
    """Write the site below ``paths.reports`` and return its first page."""
    from harness.plugins.site.pages import build as build_site

    return build_site(config, Path(config.paths.reports) / "site", results)
