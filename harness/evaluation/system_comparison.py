"""The comparison of two systems that `harness compare` prints."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np

from harness.core.table import Column, Field, Source, Table
from harness.evaluation.column import judged
from harness.evaluation.id_coverage import Coverage
from harness.evaluation.metric import Metric
from harness.evaluation.metric.gold_ranks import Range
from harness.evaluation.paired_comparison import Comparison, Outcome
from harness.evaluation.result_mapping import Result

S = TypeVar("S", bound="SystemComparison")
RESULTS = {1: "won", 0: "tied", -1: "lost"}
ODDS = "Odds ratio: the run's odds of a hit to the baseline's."
SystemField: TypeAlias = "Field[SystemComparison]"
Side: TypeAlias = Literal["name", "baseline"]
"""The attribute with the name of one of the two systems of a comparison."""


Answer = Literal["passes", "fails", "cannot be told"]
STATUS: dict[Answer, int] = {"passes": 0, "fails": 1, "cannot be told": 3}
"""The exit status of each answer. 2 is that of a mistake in the command."""


@dataclass(frozen=True)
class GateResult:
    """The answer of a gate to one comparison.

    Attributes:
        kind: that of the gate.
        margin: in points or, for scores that are not shares, in their unit.
        bound: the bound of the interval of the difference, in shares or in the unit of the scores.
        verdict: whether the interval is above it.
    """

    kind: str
    margin: float
    bound: float
    verdict: Answer

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUS[self.verdict]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemComparison(Result, Comparison):
    """A comparison of two systems by a metric.

    Attributes:
        metric: the metric.
        run: the file of the system; ``name`` is its name.
        baseline: the name of the other system.
        coverages: for ranked lists, the coverage of both, by name.
        tie_ranges: for ranked lists, each metric's range over the orders of equal scores, by
            system.
        gate: the answer of a gate; None without one.
        fusable: whether the systems are ranked lists, which could be fused.
    """

    metric: Metric | str
    run: str
    name: str
    baseline: str
    coverages: Mapping[str, Coverage] = field(default_factory=dict)
    tie_ranges: Mapping[str, Mapping[str, Range]] = field(default_factory=dict)
    gate: GateResult | None = None
    fusable: ClassVar[bool] = True

    @property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """The ids of the n scored items."""

    @abstractmethod
    def extent(self, n: int) -> str:
        """Return what was scored: ``147 queries, split tune``."""

    @property
    def differs(self) -> bool:
        """Whether any item is won or lost."""
        return bool(self.wins + self.losses)

    @property
    def identical(self) -> bool:
        """Whether both systems gave the same output. Equal scores of 0 and 1 do not show it."""
        return not self.binary and not self.differs

    def with_fields(self, **fields: Any) -> Self:
        """Return the comparison with other fields, see ``Comparison``."""
        comparison = super().with_fields(**fields)
        vars(comparison).pop("json", None)
        return comparison

    def _json(self) -> dict[str, object]:
        return {
            "run": self.run,
            "name": self.name,
            "baseline": self.baseline,
            "metric": str(self.metric),
            "n": self.n,
            "score": self.score,
            "baseline_score": self.baseline_score,
            "difference": self.difference,
            "difference_interval": list(self.interval_query),
            "wins": self.wins,
            "losses": self.losses,
            "p": self.p,
            "decides": self.decides,
            "p_cluster": self.p_cluster,
            "difference_interval_cluster": _listed(self.interval),
            "wilson": _listed(self.wilson),
            "odds_ratio": self.odds_ratio,
            "detectable": self.detectable,
            "design_effect": self.design_effect,
            "wins_ids": [self.ids[place] for place in self.won],
            "losses_ids": [self.ids[place] for place in self.lost],
            "p_holm": self.p_holm,
            "notes": self.notes,
            **({"gate": asdict(self.gate)} if self.gate else {}),
        }

    @property
    @abstractmethod
    def id_name(self) -> str:
        """The name of the column of ``ids`` in a data frame."""

    def records(self) -> list[dict[str, object]]:
        """Return one row: both systems, the metric, scores, difference, counts and p."""
        return [
            {
                "run": self.name,
                "baseline": self.baseline,
                "metric": str(self.metric),
                "n": self.n,
                "score": self.score,
                "baseline_score": self.baseline_score,
                **asdict(Outcome.of(self)),
                "decides": self.decides,
                **({"gate": self.gate.verdict} if self.gate else {}),
            }
        ]

    def query_records(self) -> list[dict[str, object]]:
        """Return a row for each item: its id, both scores, and won, lost or tied."""
        signs = np.sign(self.gains).astype(int).tolist()
        rows = zip(self.ids, self.ours.tolist(), self.theirs.tolist(), signs, strict=True)
        return [
            {
                self.id_name: item,
                "run": self.name,
                "baseline": self.baseline,
                "metric": str(self.metric),
                "score": ours,
                "baseline_score": theirs,
                "result": RESULTS[sign],
            }
            for item, ours, theirs, sign in rows
        ]

    @staticmethod
    def more_fields(comparisons: Sequence[Any]) -> list[SystemField]:
        """Return the further columns of a table of comparisons of this class."""
        return []

    def table(self) -> Table:
        """Return the table of this comparison."""
        return comparison_table([self])


def pairs_of(runs: Iterable[str], baselines: Iterable[str]) -> list[tuple[str, str]]:
    """Return each run with each baseline, no pair twice; a run with itself only if alone."""
    pairs: list[tuple[str, str]] = []
    for base in baselines:
        pairs += [(name, base) for name in runs if name != base and (base, name) not in pairs]
    return pairs or [(name, name) for name in runs]


def comparison_table(comparisons: Sequence[SystemComparison]) -> Table:
    """Return a table with a row for each comparison."""
    titles = ("score", "95% of score", "baseline", "difference", "95% of difference", "W", "L")
    tests = ("p by question", "Holm p", "odds ratio", "detectable")
    numbers: list[SystemField] = judged(_itself, *titles, *tests, scale=comparisons[0].scale)
    gate: SystemField = Field(
        Column("gate", "text"),
        lambda comparison: comparison.gate and comparison.gate.verdict,
        any(comparison.gate for comparison in comparisons),
    )
    fields = [*_systems(comparisons), *comparisons[0].more_fields(comparisons), *numbers, gate]
    baselines = ", ".join(dict.fromkeys(comparison.baseline for comparison in comparisons))
    unit = "in percent" if comparisons[0].scale.share else "more is better"
    title, notes = f"Against {baselines}, {unit}", _notes(comparisons)
    return Table.of("comparison", title, fields, comparisons, source_of(comparisons), notes)


def _systems(comparisons: Sequence[SystemComparison]) -> list[SystemField]:
    """Return the columns of the systems, their questions and missing lists."""
    several = len({comparison.baseline for comparison in comparisons}) > 1
    sizes = {comparison.n for comparison in comparisons}
    return [
        Field(Column("run", "text"), lambda comparison: comparison.name),
        Field(Column("baseline", "text"), lambda comparison: comparison.baseline, several),
        Field(Column("metric", "text"), lambda comparison: str(comparison.metric)),
        Field(Column("n", "count"), lambda comparison: comparison.n, len(sizes) > 1),
        _missing(comparisons, "", "name"),
        _missing(comparisons, "baseline ", "baseline"),
    ]


def _missing(comparisons: Sequence[SystemComparison], title: str, side: Side) -> SystemField:
    """Return the column with the number of questions that the system of a side lacks."""

    def read(comparison: SystemComparison) -> int:
        coverage = comparison.coverages.get(getattr(comparison, side))
        return coverage.missing if coverage else 0

    return Field(Column(f"{title}missing", "count"), read, any(map(read, comparisons)))


def _itself(comparison: SystemComparison) -> SystemComparison:
    """Return the argument: a row of a table of comparisons is a comparison."""
    return comparison


def _notes(comparisons: Sequence[SystemComparison]) -> list[str]:
    """Return notes on the method of Holm p and intervals, unless it is by question."""
    rulings = dict.fromkeys(comparison.ruling.how for comparison in comparisons)
    notes = [f"Holm p and intervals {how}." for how in rulings if how]
    if any(comparison.p_deciding is None for comparison in comparisons):
        notes.append("Too few clusters for a p.")
    if comparisons[0].fusable or any(comparison.binary for comparison in comparisons):
        notes.append(ODDS)
    return notes


def source_of(comparisons: Sequence[SystemComparison]) -> Source:
    """Return how many questions each metric counts, and which ones runs lack."""
    counts = {str(comparison.metric): comparison.n for comparison in comparisons}
    most = max(counts.values())
    fewer = "".join(f" ({metric}: {count})" for metric, count in counts.items() if count < most)
    coverages: dict[str, Coverage] = {}
    for comparison in comparisons:
        coverages |= comparison.coverages
    lacking = [line for name, coverage in coverages.items() for line in coverage.lacking(name)]
    return Source(f"{comparisons[0].extent(most)}{fewer}", lacking)


def _listed(bounds: tuple[float, float] | None) -> list[float] | None:
    return None if bounds is None else list(bounds)


def short_table(comparisons: Sequence[SystemComparison], notes: bool = True) -> Table:
    """Return the main columns of comparisons, with or without the notes below them."""
    table = comparison_table(comparisons)
    alone = ("gate",) if len(comparisons) == 1 else ()
    short = table.without(("p by question", "95% of score", "odds ratio", "detectable", *alone))
    if not notes:
        return replace(short, notes=(), source=Source(short.source.extent))
    return replace(short, notes=[note for note in table.notes if note != ODDS])
