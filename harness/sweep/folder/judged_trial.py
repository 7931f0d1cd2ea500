"""A trial on one split, as the judge decided it: the only form in which trials are handed on.

This module alone writes and reads the rows of ``trials.parquet``, ``comparisons.parquet`` and
``heldout.json``.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.evaluation.paired_comparison import Outcome

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ("difference", "low", "high", "p", "p_cluster", "p_holm")
"""The columns of a comparison in addition to its counts."""
COMPARED = ("trial", "name", "split", "against", "metric", "n", "wins", "losses", *NUMBERS)
"""The columns of the long frame of comparisons: a trial against a single list on one split.

``against`` is the reference list, or the best single list of tune; ``metric`` is the objective, and
``n`` the number of questions that it counts. The other columns are those of ``Outcome``.
"""
TRIAL = ("trial", "name", "family", "overrides", "parameters", "n")
"""The columns without which a stored row is damaged."""
WRITTEN, INTERVALS = ("overrides", "parameters", "blocks"), ("wilson", "wilson_cluster")
"""Columns that are stored as JSON, and as a lower and an upper bound."""
TYPES = {
    **dict.fromkeys(("wins", "losses", "graph_win", "graph_loss"), "Int64"),
    **dict.fromkeys((*NUMBERS, "odds_ratio"), "Float64"),
    **{f"{key}_{end}": "Float64" for key in INTERVALS for end in ("low", "high")},
}
"""The types of columns that may be null."""
OUTCOME = tuple(field.name for field in fields(Outcome))


Tie = tuple[float, str, str]
"""Decides between trials with equal objective and losses: alpha's distance to .5, name, hash."""


def tiebreak(parameters: Mapping[str, Any], name: str, trial: str) -> Tie:
    """Return the ``Tie`` of a trial, given its parameters, its name and its hash."""
    alpha = parameters.get("fuser.alpha")
    return round(abs((0.5 if alpha is None else alpha) - 0.5), 12), name, trial


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """What only a trial on test has.

    Attributes:
        evaluation: the number of this evaluation of test.
        seen: how many of its questions were evaluated before.
        chosen_on: how many of its questions other sweeps used for a choice.
        coverage: share of questions with a passage, by list.
        roles: why the trial was locked: winner, fuser, named, baseline.
        expected: the forecast of the winner's score; null for other trials.
        as_expected: whether the score is within the forecast.
        tie_range: of the winner, the lowest and the highest objective over all orders of its equal
            scores; null if they are the same.
    """

    evaluation: int
    seen: int = 0
    chosen_on: int = 0
    coverage: Mapping[str, Any]
    roles: Sequence[str]
    expected: Mapping[str, Any] | None = None
    as_expected: bool | None = None
    tie_range: Sequence[float] | None = None


@dataclass(frozen=True, kw_only=True)
class JudgedTrial:
    """A trial on one split.

    Attributes:
        trial: hash of the trial.
        name: its printed name; no two trials of a sweep share one.
        family: the fuser's name; ``single`` for a list alone.
        untuned: whether nothing was chosen for it.
        blocks: the blocks of the grid that have it; `harness sweep dry_run=true` prints them.
        practical: false for a trial that nobody could choose in practice, because one of its lists
            uses the gold; it is never the winner or the best.
        overrides: what runs it alone.
        parameters: values by knob.
        dataset: the name of the benchmark.
        split: tune or test.
        n: number of questions that the objective counts.
        scores: mean of each metric by its name.
        reference: the list against which wins and losses are counted.
        outcomes: the comparisons with single lists, the reference first, by the list's name; not
            with the list that it is itself.
        odds_ratio: odds ratio of a 0/1 objective to the reference.
        graph_win: number of questions whose last hop is in the trial's top k but not in that of
            ``dense`` (or the reference, if no list has that name), k the objective's depth.
        graph_loss: the reverse.
        wilson: Wilson's 95% interval of the objective by question; null if it is not 0 or 1.
        wilson_cluster: the interval that is shown: by cluster if questions share gold passages,
            otherwise the same as ``wilson``; null if clusters are too few.
        equals: hash of the first other trial with the same gold ranks in the objective's depth,
            single lists first; null if there is none.
        tied: whether it is not shown to be worse than the winner, by Holm over all trials.
        on_test: what only a trial on test has.
    """

    trial: str
    name: str
    family: str
    untuned: bool
    blocks: Sequence[str] = ()
    practical: bool = True
    overrides: Sequence[str]
    parameters: Mapping[str, Any]
    dataset: str
    split: str
    n: int
    scores: Mapping[str, float]
    reference: str
    outcomes: Mapping[str, Outcome]
    odds_ratio: float | None = None
    graph_win: int | None = None
    graph_loss: int | None = None
    wilson: Sequence[float] | None = None
    wilson_cluster: Sequence[float] | None = None
    equals: str | None = None
    tied: bool = False
    on_test: Evaluated | None = None

    @property
    def outcome(self) -> Outcome | None:
        """The comparison with the reference; None for the reference itself."""
        return self.outcomes.get(self.reference)

    @property
    def tie(self) -> Tie:
        """What decides between it and an equal trial."""
        return tiebreak(self.parameters, self.name, self.trial)

    @property
    def is_single(self) -> bool:
        """Whether it is a list alone."""
        return self.family == "single"

    @property
    def lists(self) -> list[str]:
        """The lists that it reads; none if its parameters do not say."""
        if self.parameters.get("fuser") == "single":
            return [self.parameters["fuser.list"]]
        return list(self.parameters.get("pool.lists") or ())

    @property
    def rerun(self) -> str:
        """The command that runs it alone."""
        return f"harness sweep {shlex.join(self.overrides)}"

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The row that is stored: plain values by column."""
        compared = dict.fromkeys(OUTCOME) if self.outcome is None else asdict(self.outcome)
        row: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "scores":
                row |= self.scores
            elif field.name == "outcomes":
                row |= compared
            elif field.name == "on_test":
                if value is not None:
                    row |= _without_none(asdict(value))
            elif field.name != "reference":
                row[field.name] = value
        return row

    def compared(self, metric: str) -> list[dict[str, Any]]:
        """Return the rows of the long frame of comparisons, one for each list.

        Args:
            metric: the name of the objective.
        """
        head = {"trial": self.trial, "name": self.name}
        about = {"split": self.split, "metric": metric, "n": self.n}
        return [
            {**head, "against": name, **about, **asdict(outcome)}
            for name, outcome in self.outcomes.items()
        ]


def _without_none(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}


COLUMNS = {field.name for field in (*fields(JudgedTrial), *fields(Evaluated))}
"""The names of the stored columns that are no metric, except those of ``Outcome``."""


def trials_frame(trials: Sequence[JudgedTrial]) -> pd.DataFrame:
    """Return ``trials.parquet``: a row for each trial; overrides and parameters are JSON, an
    interval is two columns.
    """
    return _frame([_flat(trial.record) for trial in trials])


def comparisons_frame(trials: Sequence[JudgedTrial], metric: str) -> pd.DataFrame:
    """Return ``comparisons.parquet``: a row for each trial and list, see ``COMPARED``."""
    rows = [row for trial in trials for row in trial.compared(metric)]
    return _frame(rows, [*COMPARED]).astype({"n": "Int64"})


def read_trials(
    rows: pd.DataFrame | Sequence[Mapping[str, Any]], compared: pd.DataFrame, reference: str
) -> list[JudgedTrial]:
    """Return the stored trials.

    Args:
        rows: ``trials.parquet``, or the rows of ``heldout.json``.
        compared: the long frame of comparisons on this split.
        reference: the list against which wins and losses are counted.

    Raises:
        LookupError, TypeError, ValueError: a row lacks a column, or has another form.
    """
    outcomes: dict[str, dict[str, Outcome]] = {}
    for comparison in read_records(compared):
        by_list = outcomes.setdefault(comparison["trial"], {})
        by_list[comparison["against"]] = Outcome(**{name: comparison[name] for name in OUTCOME})
    records = rows if isinstance(rows, Sequence) else read_records(rows)
    return [_read(row, outcomes.get(row["trial"], {}), reference) for row in records]


def _read(row: Mapping[str, Any], outcomes: Mapping[str, Outcome], reference: str) -> JudgedTrial:
    values = {key: row[key] for key in COLUMNS & row.keys()}
    test_names = {field.name for field in fields(Evaluated)} & values.keys()
    facts = {key: values.pop(key) for key in test_names}
    on_test = Evaluated(**facts) if facts else None
    metrics = row.keys() - COLUMNS - {*OUTCOME}
    return JudgedTrial(
        **values,
        scores={name: row[name] for name in row if name in metrics},
        reference=reference,
        outcomes=outcomes,
        on_test=on_test,
    )


def read_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as ``JudgedTrial.record`` has them; the reverse of ``_frame``."""
    plain = frame.astype(object).where(frame.notna(), None)
    rows: list[Any] = plain.to_dict("records")
    for row in rows:
        row |= {key: json.loads(row[key]) for key in WRITTEN if key in row}
        for key in INTERVALS:
            if f"{key}_low" in row:
                low, high = row.pop(f"{key}_low"), row.pop(f"{key}_high")
                row[key] = None if low is None else [low, high]
    return rows


def _frame(rows: Sequence[Mapping[str, Any]], columns: list[str] | None = None) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(rows, columns=columns)
    return frame.astype({name: kind for name, kind in TYPES.items() if name in frame})


def _flat(row: Mapping[str, Any]) -> dict[str, object]:
    flat = {key: value for key, value in row.items() if key not in INTERVALS}
    flat |= {key: json.dumps(row[key], sort_keys=True) for key in WRITTEN}
    for place, end in enumerate(("low", "high")):
        flat |= {f"{key}_{end}": row[key] and row[key][place] for key in INTERVALS}
    return flat
