"""What a call of `harness compare` says: each sentence with what it is about, and the table that
stands above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from harness.core import escape
from harness.core.table import TWO_COLUMNS, Table, typeset
from harness.evaluation.conclusion import Headroom, Sentence, conclude, select_texts
from harness.evaluation.gate import STATUS as STATUS
from harness.evaluation.gate import Gate as Gate
from harness.evaluation.system_comparison import ODDS, S, SystemComparison, comparison_table
from harness.evaluation.system_table import Matrix, system_table

if TYPE_CHECKING:
    import pandas as pd

NAMED = 3
"""Comparisons that a sentence names; of more it says how many."""


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Each path by so many of its last parts that no two are alike; a name without a slash stays as
    it is.
    """
    parts = {path: PurePath(path).parts or (path,) for path in paths}
    for length in range(1, max(map(len, parts.values()), default=0) + 1):
        found = {path: str(PurePath(*own[-length:])) for path, own in parts.items()}
        if len(set(found.values())) == len(found):
            return found
    return {path: path for path in paths}


def renamed(found: Sequence[S]) -> list[S]:
    """The comparisons with short names of runs and baselines, for a terminal; nothing is computed
    again.
    """
    names = short_names(
        list(dict.fromkeys(name for one in found for name in (one.baseline, one.name)))
    )
    return [
        one.with_fields(
            name=names[one.name],
            baseline=names[one.baseline],
            coverages={names.get(name, name): coverage for name, coverage in one.coverages.items()},
            repeats={names[name]: repeats for name, repeats in one.repeats.items()},
            tie_ranges={names[name]: ranges for name, ranges in one.tie_ranges.items()},
        )
        for one in found
    ]


def short_table(found: Sequence[SystemComparison]) -> Table:
    """A row a comparison, without what only explains; of several baselines their matrix."""
    if len({one.baseline for one in found}) > 1:
        return Matrix(found).table()
    table = comparison_table(found)
    short = table.without(("p by question", "95% of score", "odds ratio", "detectable"))
    return replace(short, notes=[note for note in table.notes if note != ODDS])


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Sequence[SystemComparison]):
    """Comparisons that were made together; their p are corrected over all of them.    found: at
    least one.
    """

    found: Sequence[SystemComparison]

    def __getitem__(self, place: Any) -> Any:
        """A comparison by its place."""
        return self.found[place]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.found)

    def table(self) -> Table:
        """A row a comparison; of several baselines their matrix."""
        return short_table(renamed(self.found))

    def to_frame(self, per_query: bool = False) -> pd.DataFrame:
        """A data frame of pandas, scores in shares.

        Args:
            per_query: a row a query and comparison in place of a row a comparison.

        Returns:
            The rows.
        """
        import pandas as pd

        return pd.concat([one.to_frame(per_query) for one in self.found], ignore_index=True)

    def __repr__(self) -> str:
        """The table as text, and what is better."""
        return "\n".join(
            [self.table().text(), "", *select_texts(sentences(self.found, {}), "verdict")]
        )

    def _repr_html_(self) -> str:
        said = "".join(
            f"<p>{escape.html(text)}</p>"
            for text in select_texts(sentences(self.found, {}), "verdict")
        )
        return f"{self.table()._repr_html_()}{said}"

    def latex(self) -> str:
        """A paper's table in LaTeX: systems by metrics."""
        table = system_table(self.found)
        return typeset(table, TWO_COLUMNS, table.name)


def sentences(found: Sequence[SystemComparison], rooms: Mapping[str, Headroom]) -> list[Sentence]:
    """The verdict, what a fusion of the runs could add, what may not hold; and each pair by itself.

    rooms: what fusion could win, by metric.
    """
    said: list[Sentence] = []
    for one in found:
        judged = one if len(found) > 1 else one.with_fields(p_holm=None)
        pair = conclude(judged, f"{one.name} by {one.metric}", one.baseline)
        said += [replace(each, topic=str(one.metric)) for each in pair]
    if len(found) > 1:
        said = [replace(one, kind="explanation") for one in said if one.kind != "caveat"]
        said = [Sentence("verdict", _summary(found)), *_ruling(found), *said]
    said += _once(found)
    said += [Sentence("caveat", text) for one in found for text in one.cautions()]
    for metric, room in rooms.items():
        text = " ".join(each.text for each in room.sentences(found[0].scale, found[0].fusable))
        said.append(Sentence("explanation", f"By {metric}: {text}", metric))
    return [*said, *_gain(rooms, found[0])]


def _once(found: Sequence[SystemComparison]) -> list[Sentence]:
    """A caveat for systems with one run beside others with several."""
    names = dict.fromkeys(
        name
        for one in found
        if one.repeats
        for name in (one.name, one.baseline)
        if name not in one.repeats
    )
    told = (
        f"{', '.join(names)} has one run: by how much its runs would vary is not known, and not "
        "in p."
    )
    return [Sentence("caveat", told)] if names else []


def _summary(found: Sequence[SystemComparison]) -> str:
    """Which runs are better or worse than a baseline after Holm's correction, and of how many
    nothing is shown.
    """
    several = len({one.baseline for one in found}) > 1
    groups = {word: [one for one in found if one.finding == word] for word in ("better", "worse")}
    told = [f"{_named(members, several)} {word}" for word, members in groups.items() if members]
    rest = len(found) - sum(map(len, groups.values()))
    if not told:
        return f"No difference is shown in any of {len(found)} comparisons (Holm p)."
    unshown = [f"in {rest} no difference is shown"] if rest else []
    return f"Of {len(found)} comparisons (Holm p) {'; '.join([*told, *unshown])}."


def _named(members: Sequence[SystemComparison], several: bool) -> str:
    """several: whether there are several baselines, which then are named."""
    if len(members) > NAMED:
        return f"{len(members)} are"
    over = [f" over {one.baseline}" if several else "" for one in members]
    gains = [
        f"({one.scale.gain(one.difference)}{than})" for one, than in zip(members, over, strict=True)
    ]
    each = [f"{one.name} by {one.metric} {gain}" for one, gain in zip(members, gains, strict=True)]
    return f"{' and '.join(each)} {'is' if len(each) == 1 else 'are'}"


def _ruling(found: Sequence[SystemComparison]) -> list[Sentence]:
    """One caveat for all pairs whose interval says otherwise than Holm's p."""
    pairs = [
        f"{one.name} against {one.baseline} by {one.metric}" for one in found if one.contradicted
    ]
    named = ", ".join(pairs)
    rule = (
        "Holm p decides, which is corrected for all; the interval, which is not, says "
        f"otherwise: {named}."
    )
    return [Sentence("caveat", rule)] if pairs else []


def _gain(rooms: Mapping[str, Headroom], first: SystemComparison) -> list[Sentence]:
    """On how many questions choosing the right list could win, by metric, and for which these are
    too few.
    """
    if not any(room.questions for room in rooms.values()):
        return []
    item, system = first.scale.item, "list" if first.fusable else "system"
    each = [
        f"{room.questions} of {room.n} {item}s over {{}} by {metric}"
        for metric, room in rooms.items()
    ]
    if len({room.n for room in rooms.values()}) == 1:
        each[1:] = [f"{room.questions} by {metric}" for metric, room in list(rooms.items())[1:]]
    told = f"Choosing the right {system} for each {item} could win at most {', '.join(each)}"
    return [Sentence("addition", f"{told.replace('{}', _best(rooms))}{_too_few(rooms)}.")]


def _best(rooms: Mapping[str, Headroom]) -> str:
    """The best system, or all that are equally good."""
    first, *others = dict.fromkeys((room.best, *room.equal) for room in rooms.values())
    if others:
        return "the best of them by each metric"
    if len(first) == 1:
        return f"{first[0]}, the best of them,"
    return f"{', '.join(first[:-1])} and {first[-1]}, equally good,"


def _too_few(rooms: Mapping[str, Headroom]) -> str:
    """By which metrics even winning all of these questions would show nothing."""
    few = [metric for metric, room in rooms.items() if not room.answers]
    where = "" if len(few) == len(rooms) else f" by {', '.join(few)}"
    return f"; too few to show a gain{where}" if few else ""
