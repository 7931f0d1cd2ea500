"""The additional files in the archive of a sweep: lists, tables, figures, environment, licence,
README.

The README says how each claim was made.
"""

from __future__ import annotations

import importlib.metadata
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.benchmark.source.card import find_card
from harness.core.artifact import read_manifest
from harness.core.escape import markdown
from harness.core.identity import record
from harness.core.table import percent
from harness.report.output import check_ending
from harness.report.pdf.document import OWNER
from harness.run.io import write
from harness.sweep.folder.archive import pack
from harness.sweep.folder.result import SweepResult
from harness.sweep.heldout.ledger import Ledger
from harness.sweep.trial.kept_files import kept_file

README = """# {dataset}: sweep {name}

A sweep of the multihop harness, {code}. Every number below is in this archive, and can be
computed again.

- `sweep/{name}/`: configuration, trials, comparisons, gold ranks, lock{heldout}
- `ledger.jsonl`: the lines of the ledger of test splits that are of this sweep
- `runs/`: the lists that were fused, as TREC runs with ir_metadata, and given files{runs}
- `tables/`, `figures/`: those of its report
- `environment.txt`: what was installed where this archive was written
- `archive.json`: the SHA-256 of every other file

## Check, and compare your own sweep

    harness verify sweep=ARCHIVE.zip
    harness verify sweep=MY_SWEEP against=ARCHIVE.zip

The first checks every hash without the data. The second says whether your own sweep has the same
bits or the same verdict. Only `harness verify --rescore` of a folder computes numbers again.

## Claims

The sweep took {minutes} minutes without making its lists{machine}.

| claim | command | minutes | file |
|---|---|---|---|
{claims}

## The benchmark

{benchmark}
"""


def write_archive(path: Path, result: SweepResult, ledger: Path, reports: Path) -> None:
    """Write the archive of a sweep.

    Args:
        path: path of the zip archive.
        result: the sweep, from a folder ``<runs>/sweeps/NAME``.
        ledger: the ledger of its held-out evaluations.
        reports: the folder of its report.
    """
    check_ending(str(path), "archive", [".zip"])
    result.check()
    files = {**_lists(result), **given_files(result)}
    owner = OWNER.format(result.folder.name)
    detail_files = sorted(reports.glob("tables/*/details.tex"))
    (section,) = (
        details.parent.name
        for details in detail_files
        if details.read_text("utf-8").startswith(owner)
    )
    for kind in ("tables", "figures"):
        folder = reports / kind / section
        for file in folder.glob("**/*.*"):
            files[f"{kind}/{file.relative_to(folder).as_posix()}"] = file.read_bytes()
    lines = Ledger(ledger).of_lock(result.lock["sha256"])
    files["ledger.jsonl"] = "".join(
        f"{json.dumps(line, sort_keys=True)}\n" for line in lines
    ).encode()
    distributions = importlib.metadata.distributions()
    installed = {
        f"{package.name}=={package.version}\n" for package in distributions if package.name
    }
    files["environment.txt"] = "".join(sorted(installed)).encode()
    files["README.md"] = _readme(result, any(name.startswith("runs/") for name in files)).encode()
    pack(path, result.folder, files)


def _lists(result: SweepResult) -> dict[str, bytes]:
    """Return the stored lists of the sweep as TREC runs, if their artifacts are in
    its runs folder.
    """
    stored = result.folder.parents[1] / "artifacts" / "retrieve"
    manifest, files = result.manifest, {}
    sweep_facts = {
        "platform": _platform(manifest.get("machine") or {}, manifest["libraries"]),
        "resources": {"runtime": {}},
        "benchmark": manifest["dataset"],
        "data_sha256": manifest["data_sha256"],
        "lock": result.lock["sha256"],
    }
    wanted = manifest.get("lists") or {}
    spent = ((manifest.get("cost") or {}).get("seconds") or {}).get("lists") or {}
    inputs = {"benchmark": manifest["data_sha256"]}
    for place in sorted(stored.glob("*/manifest.json")):
        stored_list = read_manifest(place)
        if stored_list is None or stored_list.get("inputs") != inputs:
            continue
        strategy = record(stored_list["config"])
        for name in [name for name, node in wanted.items() if node == strategy]:
            seconds = {"resources": {"runtime": {"wallclock": f"{spent.get(name)} s"}}}
            list_facts = {"system": name, "strategy": wanted[name], **(seconds if spent else {})}
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"{name}.trec"
                write(place.parent, path, {**sweep_facts, **list_facts})
                files[f"runs/{path.name}"] = path.read_bytes()
    return files


def given_files(result: SweepResult) -> dict[str, bytes]:
    """Return the files that the sweep was given, lists and gold, if they are in its runs folder."""
    config, runs = result.config, result.folder.resolve().parents[1]
    places = {name: kept_file(runs, node) for name, node in (config.get("lists") or {}).items()}
    places["gold"] = kept_file(runs, config.get("gold"))
    files = {}
    for name, place in places.items():
        for path in sorted(place.rglob("*")) if place and place.is_dir() else [place]:
            if path and path.is_file():
                files[f"runs/{name}/{path.name}"] = path.read_bytes()
    return files


def _platform(machine: Mapping[str, Any], libraries: Mapping[str, str]) -> dict[str, object]:
    versions = [f"{name} {version}" for name, version in sorted(libraries.items())]
    return {**machine, "software": {"libraries": {"python": versions}}}


def _readme(result: SweepResult, has_runs: bool) -> str:
    manifest, name = result.manifest, result.folder.name
    about = f"{manifest['dataset']}, SHA-256 of its content `{manifest['data_sha256']}`."
    if known := find_card(manifest["dataset"]):
        about += f" Licence: {known.licence}. Cite: {known.citation}"
    hardware = (manifest.get("machine") or {}).get("hardware", {})
    model = hardware.get("cpu", {}).get("model")
    heldout = " and the held-out evaluation" if result.heldout else "; nothing was held out"
    runs = "" if has_runs else " (none: they were not stored where this archive was written)"
    machine = f", on {model} with {hardware.get('ram')}" if model else ""
    return README.format(
        dataset=markdown(manifest["dataset"]),
        name=name,
        code=manifest["code"],
        heldout=heldout,
        runs=runs,
        minutes=_minutes(manifest.get("seconds")),
        machine=machine,
        claims="\n".join(_claims(result)),
        benchmark=about,
    )


def _claims(result: SweepResult) -> Iterator[str]:
    """Yield a row of the table for each locked trial, on the split that reports show."""
    view, name = result.locked, result.folder.name
    file = "heldout.json" if view.split == "test" else "trials.parquet"
    minutes = _minutes(result.manifest.get("seconds"))
    for row in view.rows:
        claim = f"{row.name}: {percent(view.score(row))}% {view.objective} on {view.split}"
        yield (f"| {markdown(claim)} | `{row.rerun}` | at most {minutes} | `sweep/{name}/{file}` |")


def _minutes(seconds: float | None) -> str:
    return "?" if seconds is None else f"{seconds / 60:.1f}"
