"""The files that a sweep was given, kept as artifacts: run files by what is read from them, gold
and a split by their bytes.

A sweep can then be held out, applied and checked from any folder, and when the files are gone.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, open_dict

from harness.benchmark.source.judgements import judgement_files
from harness.core.identity import file_sha256
from harness.retriever.trec import Trec
from harness.run import io
from harness.sweep.trial import inputs
from harness.work.store import Store

STORE = "${paths.runs}/artifacts"
"""The beginning of the path of a kept file in the configuration of a sweep."""
KEYS = ("lists", "gold", "split")
"""The keys of a configuration that may name kept files."""
LIST = "list.parquet"


def keep_files(config: DictConfig) -> DictConfig:
    """Return the configuration of a sweep with each given file replaced by a kept copy."""
    store, local = inputs.store(config), config.copy()
    with open_dict(local):
        for name, retriever in inputs.retrievers(config).items():
            if isinstance(retriever, Trec):
                path = _keep_list(store, retriever)
                if isinstance(local.lists[name], str):
                    local.lists[name] = path
                else:
                    fields = {"path": path, "lenient": False, "columns": None}
                    local.lists[name] = {**local.lists[name], **fields}
        for key in KEYS[1:]:
            if isinstance(config.get(key), str) and Path(config[key]).exists():
                local[key] = _keep(store, key, Path(config[key]))
    return local


def _keep_list(store: Store, retriever: Trec) -> str:
    """Keep a run file in the form that loses nothing; a stored run stays where it is."""
    if Path(retriever.path).is_dir():
        return str(Path(retriever.path).resolve())
    hashes = {"content": retriever.content()}
    name = Path(retriever.path).name
    artifact = store.get(
        "list", {}, hashes, lambda folder: _write(retriever, folder / LIST), what=name
    )
    return f"{STORE}/list/{artifact.path.name}/{LIST}"


def _write(retriever: Trec, path: Path) -> None:
    io.form_of(path).save(retriever.read().ranked(), path)


def _keep(store: Store, key: str, place: Path) -> str:
    """Keep a file, or the judgements of a folder, under the same name; a folder of another kind
    stays where it is.
    """
    files = [place] if place.is_file() else judgement_files(place)
    if not files:
        return str(place.resolve())
    names = {str(Path(place.name) / file.relative_to(place)): file for file in files}

    def build(folder: Path) -> None:
        for name, file in names.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / name)

    hashes = {name: file_sha256(file) for name, file in names.items()}
    artifact = store.get(key, {}, hashes, build)
    return f"{STORE}/{key}/{artifact.path.name}/{place.name}"


def kept_file(runs: Path, node: Any) -> Path | None:
    """Return the kept file of a node of a stored configuration, or None.

    Args:
        runs: the runs folder of the sweep.
        node: a path, or a list with one.
    """
    path = node.get("path") if isinstance(node, Mapping) else node
    if not isinstance(path, str) or not path.startswith(STORE):
        return None
    return Path(path.replace("${paths.runs}", str(runs), 1))


def locate_files(config: Mapping[str, Any], runs: Path) -> dict[str, Any]:
    """Return a stored configuration whose kept files are those of a runs folder, if it has some."""

    def located(node: Any) -> Any:
        if isinstance(node, Mapping):
            return {key: located(value) for key, value in node.items()}
        if isinstance(node, str) and node.startswith(STORE):
            return node.replace("${paths.runs}", str(runs), 1)
        return node

    if not (runs / "artifacts").is_dir():
        return dict(config)
    return {key: located(node) if key in KEYS else node for key, node in config.items()}
