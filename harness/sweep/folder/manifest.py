"""The manifest of a sweep, ``manifest.json``, as far as it is read."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from harness.core.input import Number
from harness.sweep.folder.lock import Power
from harness.sweep.folder.rows import Covered, Forecast


class Ceiling(TypedDict):
    """The highest score that a fusion of these lists can reach."""

    lists: list[str]
    candidates: NotRequired[Number | None]
    cap: int | None
    share: Number | None


class FittedOn(TypedDict):
    """The questions on which a list was fitted."""

    on: list[str]
    seen: NotRequired[dict[str, int] | None]


class Seconds(TypedDict, total=False):
    """The seconds of each stage."""

    lists: dict[str, Number] | None


class ListCost(TypedDict):
    """The cost of a list."""

    query_ms: Number
    index_seconds: NotRequired[Number | None]
    index_mb: NotRequired[Number | None]
    alone_mean_ms: NotRequired[Number]
    alone_p50_ms: NotRequired[Number]
    alone_p95_ms: NotRequired[Number]


class Asked(TypedDict):
    """The requests to models."""

    answers: int
    tokens: dict[str, int]


class Cost(TypedDict, total=False):
    """The cost of the lists, and of the process that scored them."""

    lists: dict[str, ListCost] | None
    seconds: Seconds | None
    peak_memory_mb: Number
    model: Asked


Recall = TypedDict(
    "Recall", {"index": str, "recall@100": Number, "questions": int, "mend": NotRequired[str]}
)
"""The share of an exact index's best 100 that a list's approximate index finds, and on how many
questions.
"""


class Counts(TypedDict):
    """The size of the benchmark."""

    passages: int
    queries: int


class Needed(TypedDict):
    """The required fields of a manifest."""

    dataset: str
    data_sha256: str
    objective: str
    n: int
    code: str
    libraries: dict[str, str]
    ceiling: list[Ceiling]


class SweepManifest(Needed, total=False):
    """The manifest of a sweep, as far as it is read."""

    coverage: dict[str, Covered] | None
    fitted: dict[str, FittedOn] | None
    recalls: dict[str, Recall] | None
    counts: Counts | None
    cost: Cost | None
    machine: dict[str, dict[str, Any]]
    expected: Forecast | None
    power: Power | None
    shared_gold: Number | None
    seconds: Number | None
    single: list[str] | None
    split: str | None
    split_sha256: str | None
    splitting: str | None
    versions: dict[str, str] | None
    made_by: dict[str, dict[str, dict[str, str]]]
    reads: dict[str, object] | None
    lists: dict[str, dict[str, object]] | None
    graphs: dict[str, dict[str, Any]]
    left_out: dict[str, int] | None
