"""The questions of a sweep on one split: scores and gold ranks of every strategy, and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.plugins.site.explanation import describe_path, label, role
from harness.plugins.site.pages.chunk import Chunks, Content, packed_ranks, packed_scores
from harness.plugins.site.pages.sources import PASSAGES, Sources
from harness.plugins.site.trace import Tracer
from harness.plugins.site.trail import Node, Path
from harness.report.display import Display
from harness.sweep.folder.lock import locked_trials
from harness.sweep.folder.view import View
from harness.work.shared_rows import cut

PART = 50
"""Questions of a file."""
FIRST = 5
"""Passages of each list on a question's page."""
PATHS, RIVALS, SEEDS = 3, 5, 12
"""Of a trace: paths to each passage, passages that beat a gold one, seeds."""


@dataclass(frozen=True)
class Split:
    """The rows of a view, and the texts of their questions if available (otherwise the reason)."""

    key: str
    view: View
    material: Sources | str
    display: Display

    @property
    def name(self) -> str:
        """The folder and the beginning of the names of its files."""
        return f"{self.key}/{self.view.split}"

    def write(self, chunks: Chunks, traces: int | None) -> None:
        """Write the files.

        Args:
            chunks: the data folder.
            traces: number of questions with a trace; None for all.
        """
        view = self.view
        chunks.put(f"{self.name}-ranks", packed_ranks(np.asarray(view.ranks)))
        ids = [str(name) for name in view.queries["id"]]
        records, why = self._texts(ids, traces)
        for part, members in enumerate(cut(len(records), PART)):
            chunks.put(f"{self.name}-{part}", records[members])
        chunks.put(self.name, {**self._head(ids), "questions": self._questions(ids), "why": why})

    def _head(self, ids: Sequence[str]) -> Content:
        queries = self.view.queries
        return {
            "ids": ids,
            "hops": _column(queries["hops"]),
            "types": _column(queries["type"]),
            "hopcount": int(self.view.ranks.shape[2]),
            "scores": packed_scores(self.view.scores),
            "trials": self._trials(),
            "part": PART,
            "passages": PASSAGES,
        }

    def _trials(self) -> list[Content]:
        view, roles = self.view, locked_trials(self.view.lock)
        winner = self.display.cell(view.winner_title)
        return [
            {
                "trial": row.trial,
                "name": winner if place == view.winner_place else self.display.trial(row),
                "typed": row.name,
                "family": row.family,
                "roles": roles.get(row.trial, []),
                "score": view.score(row),
                "command": row.rerun,
            }
            for place, row in enumerate(view.rows)
        ]

    def _questions(self, ids: Sequence[str]) -> list[str] | None:
        if isinstance(self.material, str):
            return None
        texts, places = self.material.benchmark.questions, self.material.places
        return [texts[places[name]] for name in ids]

    def _texts(self, ids: Sequence[str], traces: int | None) -> tuple[list[Content], str]:
        """Return the texts of each question's page, and why something is missing."""
        sources = self.material
        if isinstance(sources, str):
            return [], f"Questions and passages are not shown: {sources}."
        places = [sources.places[name] for name in ids]
        data, records = sources.benchmark, list[Content]()
        for place in places:
            gold = sources.numbers(doc for doc in data.gold[place].tolist() if doc >= 0)
            answers = list(data.queries[place].get("answers") or [])
            records.append({"answers": answers, "gold": gold})
        tracer = sources.tracer
        if isinstance(tracer, str):
            return records, f"Lists and traces are not shown: {tracer}."
        traced = self._interesting()[:traces]
        for number, (place, record) in enumerate(zip(places, records, strict=True)):
            record["lists"] = [
                [self.display.cell(name), sources.numbers([*docs][:FIRST])]
                for name, docs in tracer.order(place).items()
            ]
            if number in traced:
                record["trace"] = self._trace(tracer, place)
        return records, ""

    def _interesting(self) -> list[int]:
        """Return the questions that the winner loses to the best list or the reference, then wins,
        then ties.
        """
        view = self.view
        others = [view.singles.get(str(name)) for name in (view.best_single, view.reference)]
        known = [place for place in others if place is not None] or [view.winner_place]
        gaps = view.scores[view.winner_place] - view.scores[known]
        order = np.lexsort((-gaps.max(axis=0), np.minimum(gaps.min(axis=0), 0)))
        return [int(place) for place in order]

    def _trace(self, tracer: Tracer, place: int) -> Content:
        """Return seeds and strongest paths of every list that can explain itself, with numbered
        nodes.
        """
        trace = tracer.trace(place, PATHS, RIVALS)
        nodes: dict[Node, int] = {}

        def shown(path: Path) -> list[Any]:
            numbers = [nodes.setdefault(node, len(nodes)) for node in path.nodes]
            return [numbers, list(path.links), path.strength, describe_path(trace, path)]

        trails = []
        for name, trail in trace.trails.items():
            paths = []
            for doc, some in trail.paths.items():
                target = f"{role(trace, doc)} {label(trace, Node(passage=doc))}"
                paths.append({"to": target, "paths": list(map(shown, some))})
            seeds = [[f"{weight:.4f}", label(trace, node)] for node, weight in trail.seeds[:SEEDS]]
            trails.append(
                {"list": name, "paths": paths, "seeds": seeds, "seeded": len(trail.seeds)}
            )
        kinds = dict.fromkeys(trace.gold, "gold") | dict.fromkeys(trace.rivals, "rival")
        named = [
            [node.entity, "entity"]
            if node.passage < 0
            else [trace.title(node.passage), kinds.get(node.passage, "passage")]
            for node in nodes
        ]
        return {"nodes": named, "trails": trails}


def _column(values: Any) -> list[Any]:
    """Return a column of queries, with null as None and whole numbers."""
    return [None if value is None or value != value else value for value in values.tolist()]
