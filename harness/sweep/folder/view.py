"""A finished sweep for reports, trackers and the terminal: trials on a split, with
their captions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.benchmark import UNORDERED
from harness.benchmark.source import sample_note
from harness.core.table import Source, counted, percent
from harness.evaluation.conclusion import GREAT
from harness.evaluation.metric import definitions
from harness.evaluation.statistic import charge, design_effect, share, too_few
from harness.retriever.dense import AIM
from harness.sweep.folder.systems import describe
from harness.sweep.folder.trial_scores import TrialScores


@dataclass(frozen=True)
class View(TrialScores):
    """Rows of trials with the words of captions: data, split, lists, clusters, and the winner."""

    @property
    def charge(self) -> str:
        """How p is corrected for earlier evaluations of test; empty for the first, and on tune."""
        times = charge(self.evaluation)
        return f", p times {times}" if times > 1 else ""

    @property
    def winner_title(self) -> str:
        """The winner as it is printed."""
        return f"{self.winner_name}; no fusion is better" if self.winner_list else self.winner_name

    @property
    def disguise(self) -> str:
        """Which fusion was locked if it copies a single list; the end of a sentence."""
        locked = self.rows[self.winner_place]["name"]
        return f", {self.winner_title} (locked as {locked})" if self.winner_list else ""

    @property
    def where(self) -> str:
        """Benchmark, split, number of questions, evaluation of test, and the parts of the lists."""
        times = f", evaluation {self.evaluation}{self.charge}" if self.evaluation else ""
        systems = f"; {self.systems}" if self.systems else ""
        return f"{self.dataset}, {self.split} split (n = {self.n}{times}){systems}"

    @property
    def half(self) -> str:
        """``the test half of musique (417 questions)``."""
        part = "part" if self.splitting == "given" else "half"
        return f"the {self.split} {part} of {self.dataset} ({counted(self.n, 'question')})"

    @property
    def systems(self) -> str:
        """Encoder, graph retriever and depth of the lists."""
        return describe(self.manifest.get("lists") or {})

    @property
    def warnings(self) -> list[str]:
        """Sentences on what may distort the scores.

        They are about test questions that were used for a choice, approximate indexes that lose
        documents, impractical trials, and lists that lack half of a split's questions or gold.
        """
        splits = {"tune": self.manifest.get("coverage") or {}}
        if self.split == "test":
            splits["test"] = {
                name: one for row in self.rows for name, one in (row.get("coverage") or {}).items()
            }
        shared = max((row.get("chosen_on") or 0 for row in self.rows), default=0)
        chosen = [
            f"other sweeps of this folder chose on {shared} of these {self.n} test questions, by "
            "another split"
        ]
        lost = [
            f"{name}: its index {one['index']} finds {percent(one['recall@100'], 0)}% of the best "
            "hundred of exact search; "
            + one.get("mend", "take lists.NAME.index=Flat").replace("NAME", name)
            for name, one in (self.manifest.get("recalls") or {}).items()
            if one["recall@100"] < AIM
        ]
        unusable = [row["name"] for row in self.rows if row.get("practical") is False]
        known = [
            f"{counted(len(unusable), 'trial')} ({', '.join(unusable[:1])}, ...) could not be "
            "chosen in practice, because one of their lists uses the gold: none can win"
        ]
        return [*(chosen if shared else []), *lost, *(known if unusable else [])] + [
            f"{name}: on {split} only {line}"
            for split, found in splits.items()
            for name, one in found.items()
            for line in one["warnings"]
        ]

    @property
    def source(self) -> Source:
        """The facts of every table: split, lists, relevance, the hash, the evaluation, and
        cautions.
        """
        name = self.objective.partition("@")[0]
        splitting = {
            "disjoint": "split=disjoint: no gold passage of tune is one of test.",
            "given": "split=given: tune and test are the benchmark's own.",
        }
        notes = [
            f"{self.where}{self.unordered()}.",
            splitting.get(self.splitting, ""),
            f"{definitions((name, 'full_sup', 'recall'))}.",
            f"Data {self.data_sha256[:12]}.",
            *(f"Caution: {line}." for line in self.warnings),
            self.fitted(),
            self.recalls(),
            *self.clustering(),
            sample_note(self.dataset, self.data_sha256),
        ]
        return Source(notes=[note.strip() for note in notes if note])

    def unordered(self) -> str:
        """How many questions last_hop counts if the hop order of some is unknown."""
        of = self.in_split or self.n
        known = (
            self.n if self.n < of else int((np.asarray(self.ranks[:1])[..., -1] != UNORDERED).sum())
        )
        if known == of:
            return ""
        judged = " and all results based on it" if self.n < of else ""
        return (
            f" (last_hop{judged}: the {known} of {counted(of, 'question')} whose hop order is "
            "known)"
        )

    def fitted(self) -> str:
        """The lists whose weights were chosen on tune questions, and the benchmarks of these."""
        groups: dict[str, list[str]] = {}
        for name, one in (self.manifest.get("fitted") or {}).items():
            where = ", ".join(one["on"])
            if (seen := (one.get("seen") or {}).get(self.split)) is not None:
                where += f", which share gold with {seen or 'none'} of these questions"
            groups.setdefault(where, []).append(name)
        told = "; ".join(f"{', '.join(names)} (on {where})" for where, names in groups.items())
        return f" Lists whose weights were chosen on tune questions: {told}." if told else ""

    def recalls(self) -> str:
        """The lists with an approximate index, and the share of an exact search that it finds."""
        told = "; ".join(
            f"{name} ({one['index']}, {one['recall@100']:.3f} of "
            f"{counted(one['questions'], 'question')})"
            for name, one in (self.manifest.get("recalls") or {}).items()
        )
        said = " Lists of an approximate index, and its recall@100 against exact search"
        return f"{said}: {told}." if told else ""

    @property
    def deciding(self) -> str:
        """`` by cluster`` if questions share gold passages, otherwise "": the unit of deciding p
        and intervals.
        """
        if not share(self.clusters):
            return ""
        return " (too few clusters)" if too_few(self.clusters) else " by cluster"

    @property
    def splitting(self) -> str:
        """``md5``, ``disjoint`` (whole clusters), or ``given``."""
        return self.manifest.get("splitting") or "md5"

    def clustering(self) -> tuple[str, str]:
        """How questions share gold passages: the clusters, and how many of test share one with
        tune.

        The first text has the largest cluster and the design effect of the winner's score, too.
        """
        labels, shared = self.clusters, self.manifest.get("shared_gold")
        sizes = np.bincount(labels)
        tune = (
            f"{100 * shared:.0f}% of test's questions share a gold passage with tune."
            if shared
            else ""
        )
        if len(sizes) == self.n:
            return f"No two questions of {self.split} share a gold passage.", tune
        effect = float(design_effect(self.scores[self.winner_place], labels))
        largest = sizes.max() / self.n
        warning = " Caution: one cluster has more than 5% of them." if largest > GREAT else ""
        return (
            f"Clusters of {self.split} questions that share gold passages: {len(sizes)}, the "
            f"largest has {sizes.max()} "
            f"of {counted(self.n, 'question')} ({100 * largest:.1f}%); design effect of the "
            "winner's score "
            f"{effect:.2f}.{warning}"
        ), tune
