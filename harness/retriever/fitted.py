"""A retriever with the weights that `harness fit` found: each tune question by weights that had not seen it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import yaml

from harness.benchmark import Benchmark
from harness.benchmark.fold import folds
from harness.core.configuration.extensions import folders as places
from harness.core.errors import HarnessError, bounded, nearest
from harness.core.identity import NO_RESULT, file_sha256
from harness.retriever import Retriever
from harness.run import Run
from harness.work.store import Store

T = TypeVar("T")
KEYS = {"target": str, "fitted_on": dict, "weights": dict, "folds": dict}
"""What a file of `harness fit` must hold, with its type."""


@dataclass(frozen=True)
class Fitted:
    """The lists of ``retriever`` under the weights of a file that `harness fit` wrote, or one of conf/weights by name.

    Questions of test, and of benchmarks that the fit did not see, have the weights of the whole fit. A tune question of
    a benchmark of the fit has those of the four folds that it is not in, so no list has seen its own gold.
    """

    version: ClassVar[int] = 1
    out_of_fold: ClassVar[bool] = True
    retriever: Retriever
    path: str = field(metadata=NO_RESULT)

    def __post_init__(self) -> None:
        read_fit(self.path)

    def content(self) -> str:
        """The hash of the file."""
        return file_sha256(locate(self.path))

    @property
    def fitted_on(self) -> tuple[str, ...]:
        """The benchmarks whose tune questions the weights were fitted on."""
        return tuple(read_fit(self.path)["fitted_on"])

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """The run of the whole fit, with the lists of each fold in their places."""
        found = read_fit(self.path)
        whole, facts = with_weights(self.retriever, found["weights"]).retrieve(benchmark, store)
        seen = benchmark.sha256 in found["fitted_on"].values()
        if not seen:
            return whole, {**facts, "out_of_fold": 0}
        member = np.where(benchmark.split == "tune", folds(benchmark.query_ids.to_pylist()), -1)
        runs = {-1: whole}
        for name, weights in found["folds"].items():
            runs[int(name)] = with_weights(self.retriever, weights).retrieve(benchmark, store)[0]
        parts = [runs[fold].take(np.array([query])) for query, fold in enumerate(member.tolist())]
        joined = Run(
            benchmark.query_ids,
            benchmark.doc_ids,
            np.concatenate([[0], np.cumsum([len(part.docs) for part in parts])]).astype(np.int64),
            np.concatenate([part.docs for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )
        return joined, {**facts, "out_of_fold": int((member >= 0).sum())}


@lru_cache(maxsize=16)
def _parse(path: str, size: int, changed: int) -> dict[str, Any]:
    place = Path(path)
    try:
        found = yaml.safe_load(place.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise HarnessError(f"{place}: no file of `harness fit` ({' '.join(str(error).split())[:80]})") from error
    for key, kind in KEYS.items():
        value = found.get(key) if isinstance(found, dict) else None
        if not isinstance(value, kind):
            raise HarnessError(f"{place}: {key} = {str(value)[:40]!r}, expected a {kind.__name__}; fit again")
    for where, weights in (
        ("weights", found["weights"]),
        *((f"folds.{name}", w) for name, w in found["folds"].items()),
    ):
        for name, value in weights.items():
            bounded(f"{place}: {where}.{name}", value)
    return dict(found)


def read_fit(path: str | Path) -> dict[str, Any]:
    """What `harness fit` wrote. Raises HarnessError that names the file and the key."""
    place = locate(path)
    facts = place.stat()
    return _parse(str(place), facts.st_size, facts.st_mtime_ns)


def locate(path: str | Path) -> Path:
    """The file: one of conf/weights where a name is given. Raises HarnessError where there is none."""
    known = {file.stem: file for folder in reversed(places()) for file in (folder / "weights").glob("*.yaml")}
    place = known.get(str(path), Path(path))
    if not place.is_file():
        raise HarnessError(
            f"lists.NAME.path={path}: there is no such file{nearest(str(path), known)}; give what `harness fit` wrote, "
            f"or one of conf/weights: {', '.join(sorted(known)) or '-'}"
        )
    return place


def with_weights(strategy: T, weights: Mapping[str, float]) -> T:
    """A frozen dataclass with some numbers set, by dotted names: ``{"walk.title": 0.5, "restart": 0.4}``."""
    made: Any = strategy
    for name, value in sorted(weights.items()):
        made = _set(made, name.split("."), value, name)
    return made  # type: ignore[no-any-return]


def _set(strategy: Any, path: list[str], value: float, name: str) -> Any:
    known = [one.name for one in dataclasses.fields(strategy)] if dataclasses.is_dataclass(strategy) else []
    if path[0] not in known:
        raise HarnessError(f"{type(strategy).__name__} has no {path[0]} ({name}){nearest(path[0], known)}")
    inner = _set(getattr(strategy, path[0]), path[1:], value, name) if path[1:] else value
    return dataclasses.replace(strategy, **{path[0]: inner})
