"""The rows of a table over several benchmarks: what was locked in each sweep, by its role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.evaluation.comparison import corrected
from harness.evaluation.metric import Metric
from harness.report.display import Display, normalizer_of
from harness.sweep.folder import SweepResult, View

ROLES = ("list", "untuned", "tuned")
"""Single lists; fusions with their default knobs; the best trial of each fuser on tune."""
SIGNS = {
    "better than the baseline": "*",
    "worse than the baseline": "∘",
    "better than the best list": "†",
    "worse than the best list": "‡",
}


@dataclass
class Entry:
    """A row: its role, its name in the sweeps, and its place in the locked view of each sweep that
    has it.
    """

    role: str
    name: str
    places: dict[int, int] = field(default_factory=dict)
    normalizers: set[str | None] = field(default_factory=set)

    def label(self, display: Display) -> str:
        """Its name in a paper; the normalizer is named where all benchmarks chose the same one."""
        if self.role == "list":
            return display.list.get(self.name, self.name)
        alike = next(iter(self.normalizers)) if len(self.normalizers) == 1 else None
        return display.strategy(self.name, alike) + (" (default)" if self.role == "untuned" else "")


def entries(results: Sequence[SweepResult]) -> list[Entry]:
    """All rows, single lists first, in the order in which they appear."""
    found: dict[tuple[str, str], Entry] = {}
    for number, result in enumerate(results):
        lock, view = result.lock, result.locked
        locked = [
            ("list" if row["family"] == "single" else "untuned", row) for row in lock["baselines"]
        ]
        for role, row in [*locked, *(("tuned", row) for row in lock["fusers"])]:
            name = str(row["name"] if role == "list" else row["family"])
            entry = found.setdefault((role, name), Entry(role, name))
            if (place := view.place(row["trial"])) is not None:
                entry.places[number] = place
                entry.normalizers.add(normalizer_of(row))
    return sorted(
        (entry for entry in found.values() if entry.places),
        key=lambda entry: ROLES.index(entry.role),
    )


def signs(
    view: View, metric: str, places: Mapping[int, int], baseline: str
) -> dict[int, list[str]]:
    """The keys of ``SIGNS`` that hold for each row, by the p that decides, corrected by Holm over
    the rows.

    places: the place in the view of each row of the table. A trial with two rows, as RRF's default
    where it is also the best RRF, is one comparison.
    """
    found: dict[int, list[str]] = {row: [] for row in places}
    for name, what in ((baseline, "the baseline"), (view.best_single, "the best list")):
        base = view.singles.get(name or "")
        if base is None or (what == "the best list" and name == baseline):
            continue
        measure = Metric.parse(metric)
        others = list(dict.fromkeys(place for place in places.values() if place != base))
        compared = [view.compare(place, base, metric=measure) for place in others]
        judged = corrected(compared, view.evaluation)
        findings = {place: one.finding for place, one in zip(others, judged, strict=True)}
        for row, place in places.items():
            if findings.get(place, "even") != "even":
                found[row].append(f"{findings[place]} than {what}")
    return found
