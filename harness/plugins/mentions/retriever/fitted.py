"""A retriever with the weights of `harness fit`: each question by weights not fitted on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NotRequired, TypeVar, cast

import numpy as np
from typing_extensions import TypedDict

from harness.benchmark import Benchmark
from harness.benchmark.split import are_tune_questions, share_gold
from harness.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from harness.core.artifact import Facts
from harness.core.configuration import folders as places
from harness.core.errors import HarnessError, MissingFile, bounded, nearest
from harness.core.identity import NO_RESULT, file_sha256
from harness.core.input import misfit, read_settings
from harness.retriever import Retriever
from harness.run import Run
from harness.work.store import Store

T = TypeVar("T")


class Crossed(TypedDict):
    """Weights of all questions and without each fold, their scores, and the questions of
    each fold.
    """

    weights: dict[str, float]
    folds: dict[int, dict[str, float]]
    objective: NotRequired[dict[str, dict[str, float]]]
    questions: dict[int, list[str]]


class Read(Crossed):
    """The fields of a file of `harness fit` that are read."""

    target: str
    fitted_on: dict[str, str]
    splitting: str


class Fit(Read):
    """All fields of a file of `harness fit`."""

    version: int
    left_out: dict[str, str]
    metrics: list[str]
    search: dict[str, float]
    stages: list[dict[str, list[float]]]
    strategy: object
    code: str
    libraries: dict[str, str]


@dataclass(frozen=True)
class Fitted:
    """The lists of ``retriever`` under the weights of `harness fit`, or of conf/weights by name.

    A question that the fit learned from has the weights of the four folds without it, any other
    those of the whole fit. The file names the questions of each fold, so a list depends on the file
    alone, whatever the splitting is, and no list has weights that learned from its question.

    Args:
        retriever: the retriever.
        path: the file, or a name of conf/weights.
    """

    version: ClassVar[int] = 2
    retriever: Retriever
    path: str = field(metadata=NO_RESULT)

    def __post_init__(self) -> None:
        read_fit(self.path)

    def content(self) -> str:
        """Return the hash of the file."""
        return file_sha256(locate(self.path))

    @property
    def fitted_on(self) -> tuple[str, ...]:
        """The benchmarks whose tune questions the weights were fitted on."""
        return tuple(read_fit(self.path)["fitted_on"])

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the run of the whole fit, with the lists of each fold in their places."""
        found, fold = read_fit(self.path), self._folds(benchmark)
        whole, facts = with_weights(self.retriever, found["weights"]).retrieve(benchmark, store)
        ids, columns = (benchmark.query_ids, benchmark.doc_ids), [_entries(whole, fold < 0)]
        for part in np.unique(fold[fold >= 0]).tolist():
            own = with_weights(self.retriever, found["folds"][part])
            columns.append(_entries(own.retrieve(benchmark, store)[0], fold == part))
        joined = Run.of(*ids, *map(np.concatenate, zip(*columns, strict=True)))
        return joined, {**facts, "out_of_fold": int((fold >= 0).sum())}

    def seen(self, benchmark: Benchmark) -> BoolArray:
        """Return bool[Q], whether the weights of a question learned from one that shares its gold.

        A question that the fit knows under another id, by its text, has the weights of the whole
        fit, which did.
        """
        fold, gold, fit = self._folds(benchmark), benchmark.gold, read_fit(self.path)
        renamed = (fold < 0) & (fit["splitting"] == "md5")
        renamed &= are_tune_questions(benchmark.questions, fit["fitted_on"])
        found = share_gold(gold, gold[(fold >= 0) | renamed])
        for part in np.unique(fold[fold >= 0]):
            own = fold == part
            found[own] = share_gold(gold[own], gold[(fold >= 0) & ~own | renamed])
        return found

    def _folds(self, benchmark: Benchmark) -> Int64Array:
        """Return int64[Q], the fold of the fit of each question, or -1."""
        known = {
            name: part for part, names in read_fit(self.path)["questions"].items() for name in names
        }
        return np.array(
            [known.get(name, -1) for name in benchmark.query_ids.to_pylist()], dtype=np.int64
        )


def _entries(run: Run, chosen: BoolArray) -> tuple[Int64Array, Int32Array, Float64Array]:
    """Return query, document and score of each entry of the chosen queries, bool[Q]."""
    query = np.repeat(np.arange(len(run)), run.lengths())
    kept = chosen[query]
    return query[kept], run.docs[kept], run.scores[kept]


@lru_cache(maxsize=16)
def _parse(path: str, size: int, changed: int) -> Fit:
    place = Path(path)
    found = read_settings(place)
    if message := misfit(found, Read):
        raise HarnessError(f"{place}: {message}; fit again")
    for name, weights in {"weights": found["weights"], **found["folds"]}.items():
        for knob, value in weights.items():
            bounded(f"{place}: {name}.{knob}", value)
    if found["folds"].keys() != found["questions"].keys():
        raise HarnessError(
            f"{place}: folds are {list(found['folds'])}, questions of "
            f"{list(found['questions'])}; fit again"
        )
    return cast("Fit", dict(found))


def read_fit(path: str | Path) -> Fit:
    """Return a file of `harness fit`. Raise HarnessError with file and key if it is not one."""
    place = locate(path)
    facts = place.stat()
    return _parse(str(place), facts.st_size, facts.st_mtime_ns)


def locate(path: str | Path) -> Path:
    """Return the file, or one of conf/weights by name. Raise HarnessError if there is none."""
    known = {
        file.stem: file
        for folder in reversed(places())
        for file in (folder / "weights").glob("*.yaml")
    }
    place = known.get(str(path), Path(path))
    if not place.is_file():
        raise MissingFile(
            f"lists.NAME.path={path}: there is no such file{nearest(str(path), known)}; give "
            "what `harness fit` wrote, "
            f"or one of conf/weights: {', '.join(sorted(known)) or '-'}",
            path,
        )
    return place


def with_weights(strategy: T, weights: Mapping[str, float]) -> T:
    """Return a frozen dataclass with some numbers set by dotted names: ``{"walk.title": 0.5}``."""
    made: Any = strategy
    for name, value in sorted(weights.items()):
        made = _set(made, name.split("."), value, name)
    return made  # type: ignore[no-any-return]


def _set(strategy: Any, path: list[str], value: float, name: str) -> Any:
    known = (
        [one.name for one in dataclasses.fields(strategy)]
        if dataclasses.is_dataclass(strategy)
        else []
    )
    if path[0] not in known:
        raise HarnessError(
            f"{type(strategy).__name__} has no {path[0]} ({name}){nearest(path[0], known)}"
        )
    inner = _set(getattr(strategy, path[0]), path[1:], value, name) if path[1:] else value
    return dataclasses.replace(strategy, **{path[0]: inner})
