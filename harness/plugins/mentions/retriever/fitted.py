"""A retriever with the weights of `harness fit`: each question by weights not fitted on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NotRequired, TypeVar, cast

import numpy as np
from typing_extensions import TypedDict

from harness.benchmark import Benchmark
from harness.benchmark.split import are_tune_questions, share_gold
from harness.core.arrays import BoolArray, Int64Array, distinct
from harness.core.artifact import Facts
from harness.core.configuration.extensions import folders as places
from harness.core.errors import HarnessError, MissingFile, bounded, nearest, one_of
from harness.core.identity import NO_RESULT, file_sha256
from harness.core.input.read import read_settings
from harness.core.input.stored import misfit
from harness.retriever import Retriever
from harness.run import Run
from harness.work.store import Store

T = TypeVar("T")
FIELDS = "__dataclass_fields__"


class Crossed(TypedDict):
    """Weights of all questions and without each fold, their scores, and the questions of
    each fold.
    """

    weights: dict[str, float]
    folds: dict[int, dict[str, float]]
    objective: NotRequired[dict[str, dict[str, float]]]
    questions: dict[int, list[str]]


class Fit(Crossed):
    """The fields of a file of `harness fit` that are read."""

    target: str
    fitted_on: dict[str, str]
    splitting: str


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

    version = 2
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
        fit, fold = read_fit(self.path), self._folds(benchmark)
        columns, facts = [], list[Facts]()
        for part in distinct(np.append(fold, -1)).tolist():
            weights = fit["weights"] if part < 0 else fit["folds"][part]
            weighted = with_weights(self.retriever, weights)
            run, counts = weighted.retrieve(benchmark, store)
            query = np.repeat(np.arange(len(run)), run.lengths())
            of_part = fold[query] == part
            columns.append((query[of_part], run.docs[of_part], run.scores[of_part]))
            facts.append(counts)
        joined = map(np.concatenate, zip(*columns, strict=True))
        whole = Run.of(benchmark.query_ids, benchmark.doc_ids, *joined)
        return whole, {**facts[0], "out_of_fold": int((fold >= 0).sum())}

    def seen(self, benchmark: Benchmark) -> BoolArray:
        """Return bool[Q], whether the weights of a question learned from one that shares its gold.

        A question that the fit knows under another id, by its text, has the weights of the whole
        fit, which did.
        """
        fold, gold, fit = self._folds(benchmark), benchmark.gold, read_fit(self.path)
        renamed = (fold < 0) & (fit["splitting"] == "md5")
        renamed &= are_tune_questions(benchmark.questions, fit["fitted_on"])
        is_seen = np.zeros(len(fold), dtype=np.bool_)
        for part in distinct(fold).tolist():
            in_part = fold == part
            taught = (fold >= 0) & ~in_part | renamed
            is_seen[in_part] = share_gold(gold[in_part], gold[taught])
        return is_seen

    def _folds(self, benchmark: Benchmark) -> Int64Array:
        """Return int64[Q], the fold of the fit of each question, or -1."""
        known: dict[str, int] = {}
        for part, names in read_fit(self.path)["questions"].items():
            known |= dict.fromkeys(names, part)
        ids = benchmark.query_ids.to_pylist()
        return np.array([known.get(name, -1) for name in ids], dtype=np.int64)


@lru_cache(maxsize=16)
def _parse(path: str, changed: int) -> Fit:
    fit = read_settings(Path(path))
    if message := misfit(fit, Fit):
        raise HarnessError(f"{path}: {message}; fit again")
    for name, weights in {"weights": fit["weights"], **fit["folds"]}.items():
        for knob, value in weights.items():
            bounded(f"{path}: {name}.{knob}", value)
    if fit["folds"].keys() != fit["questions"].keys():
        raise HarnessError(
            f"{path}: it has folds {list(fit['folds'])}, but questions of folds "
            f"{list(fit['questions'])}; fit again"
        )
    return cast("Fit", dict(fit))


def read_fit(path: str) -> Fit:
    """Return a file of `harness fit`. Raise HarnessError with file and key if it is not one."""
    place = locate(path)
    return _parse(str(place), place.stat().st_mtime_ns)


def locate(path: str) -> Path:
    """Return the file, or one of conf/weights by name. Raise HarnessError if there is none."""
    known: dict[str, Path] = {}
    for folder in reversed(places()):
        known |= {file.stem: file for file in (folder / "weights").glob("*.yaml")}
    place = known.get(path, Path(path))
    if not place.is_file():
        raise MissingFile(
            f"lists.NAME.path={path}: there is no such file{nearest(path, known)}; give "
            "what `harness fit` wrote, "
            f"or one of conf/weights: {', '.join(sorted(known)) or '-'}",
            path,
        )
    return place


def with_weights(strategy: T, weights: Mapping[str, float]) -> T:
    """Return a frozen dataclass with some numbers set by dotted names: ``{"walk.title": 0.5}``."""
    changed: Any = strategy
    for name, value in sorted(weights.items()):
        changed = _set(changed, name, value, name)
    return changed  # type: ignore[no-any-return]


def _set(strategy: Any, path: str, value: float, name: str) -> Any:
    first, _, inner = path.partition(".")
    one_of(f"{type(strategy).__name__}: {name}", first, getattr(strategy, FIELDS, {}))
    new = _set(getattr(strategy, first), inner, value, name) if inner else value
    return dataclasses.replace(strategy, **{first: new})
