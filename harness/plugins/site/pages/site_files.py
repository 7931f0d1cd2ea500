"""The writer of the site: its pages, and the data of the sweeps of a report."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import starmap
from pathlib import Path

from omegaconf import DictConfig

from harness.benchmark import Benchmark
from harness.core.concepts import PLUGINS, package_folder
from harness.core.escape import file_name
from harness.core.files import whole
from harness.core.identity import code_version
from harness.plugins.site.pages.chunk import Chunks
from harness.plugins.site.pages.overview import SweepEntry, overview
from harness.plugins.site.pages.sweep import write_sweep
from harness.report.display import Display
from harness.sweep.folder.result import SweepResult
from harness.work.progress import over


def build(config: DictConfig, folder: Path, results: Sequence[SweepResult]) -> Path:
    """Write the site of some sweeps and return its first page.

    Args:
        config: the configuration of a report.
        folder: folder of the site. What it has of other sweeps is removed.
        results: the sweeps.
    """
    display = Display.read(config)
    chunks, known = Chunks(folder / "data"), dict[str, Benchmark]()
    listed: dict[str, SweepResult] = {}
    for result in results:
        key = file_name(result.folder.name)
        while key in listed:
            key = f"{key}-2"
        listed[key] = result
    entries = list(starmap(SweepEntry, listed.items()))
    for entry in over("site, sweeps", entries):
        write_sweep(entry, config, chunks, known, display.of([entry.result]))
    chunks.put("index", overview(entries, code_version(), display))
    chunks.remove_others()
    templates = sorted((PLUGINS / "site" / "templates").iterdir())
    for path in (*templates, package_folder("reports/templates") / "page.css"):
        with whole(folder / path.name) as partial:
            shutil.copyfile(path, partial)
    return folder / "index.html"
