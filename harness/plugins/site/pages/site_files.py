"""The writer of the site: its pages, and the data of every readable sweep."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from omegaconf import DictConfig

from harness.benchmark import Benchmark
from harness.core.concepts import PLUGINS, package_folder
from harness.core.errors import HarnessError
from harness.core.escape import file_name
from harness.core.files import whole
from harness.core.identity import code_version
from harness.plugins.site.pages.chunk import Chunks
from harness.plugins.site.pages.overview import SweepEntry, overview
from harness.plugins.site.pages.sweep import write_sweep
from harness.report.display import Display
from harness.sweep.folder import LOCK, SweepResult
from harness.work.progress import over


def build(config: DictConfig, folder: Path, given: Iterable[Path] = ()) -> Path:
    """Write the site and return its first page.

    A sweep that cannot be read is listed with the reason.

    Args:
        config: the configuration. All sweeps below ``paths.runs`` are shown unless ``config.sweep``
            names some.
        folder: folder of the site.
        given: further folders of sweeps.
    """
    listed, unread = find(None if config.get("sweep") else Path(config.paths.runs), given)
    display = Display.read(config)
    chunks, known = Chunks(folder / "data"), dict[str, Benchmark]()
    shown = []
    for one in over("site, sweeps", listed):
        try:
            write_sweep(one, config, chunks, known, display.of([one.result]))
            shown.append(one)
        except HarnessError as error:
            unread[one.result.folder.name] = str(error)
            chunks.drop(one.key)
    chunks.put("index", overview(shown, unread, code_version(), display))
    chunks.remove_others()
    templates = sorted((PLUGINS / "site" / "templates").iterdir())
    for path in (*templates, package_folder("reports/templates") / "page.css"):
        with whole(folder / path.name) as partial:
            shutil.copyfile(path, partial)
    return folder / "index.html"


def find(runs: Path | None, given: Iterable[Path] = ()) -> tuple[list[SweepEntry], dict[str, str]]:
    """Return the readable sweeps, last locked first, and for the others the reason by
    folder name.
    """
    found_there = (runs / "sweeps").glob("*") if runs else ()
    folders = {path.resolve(): path for path in found_there if path.is_dir()}
    folders |= {path.resolve(): path for path in given}
    found: list[tuple[int, SweepResult]] = []
    unread: dict[str, str] = {}
    for folder in sorted(folders.values(), key=lambda path: path.name):
        try:
            result = SweepResult(folder)
            result.check()
            _ = result.title, result.tune.winner_place, result.locked.winner_place
            found.append((-(folder / LOCK).stat().st_mtime_ns, result))
        except HarnessError as error:
            unread[folder.name] = str(error)
    listed: list[SweepEntry] = []
    for _, result in sorted(found, key=lambda pair: (pair[0], pair[1].folder.name)):
        name, taken = file_name(result.folder.name), {one.key for one in listed}
        keys = [name, *(f"{name}-{number}" for number in range(2, len(found) + 1))]
        key = next(key for key in keys if key not in taken)
        listed.append(
            SweepEntry(key, result.title, result, result.title in {one.title for one in listed})
        )
    return listed, unread
