"""The files of a paper: ``tables/*.tex`` and ``figures/*`` to take, ``paper.pdf`` and
``appendix.pdf`` to look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.core.escape import file_name
from harness.core.files import write_text
from harness.core.table import Table, sentence, table_text, typeset
from harness.report.console.conclusions import in_short
from harness.report.display import Display
from harness.report.figure import Picture
from harness.report.paper.results import results_table
from harness.report.paper.venue import Venue
from harness.report.pdf.document import Built, Section, joint
from harness.report.pdf.latex import SECONDS, compile_pdf, fill
from harness.report.table.knobs import knobs_over
from harness.report.table.replication import of_one_kind
from harness.sweep.folder import BENCHMARK, SweepResult, by_kind, differing

FIGURE = r"""\begin{figure}[htbp]
\centering
\includegraphics{%s}
\caption{%s}
\label{fig:%s}
%s\end{figure}
"""
MAIN = ("outcomes", "alpha")
"""Kinds of figures that stand in the paper itself; the appendix has all."""


@dataclass(frozen=True)
class Part:
    """A section of a document: its title, sentences in LaTeX, and the files of its tables and of
    its figures.
    """

    title: str
    texts: Sequence[str]
    tables: Sequence[str]
    figures: Sequence[str]

    @property
    def holds_something(self) -> bool:
        """Whether anything stands below its title."""
        return any((self.texts, self.tables, self.figures))


@dataclass(frozen=True)
class Paper:
    """What a paper is made of: the page, the names, and the folder that it is written into."""

    venue: Venue
    display: Display
    folder: Path

    def write(
        self,
        sections: Mapping[str, tuple[SweepResult, Section]],
        metrics: Sequence[str] = (),
        baseline: str | None = None,
    ) -> Built:
        """Write everything. Sweeps with the same experiment and overrides are one table, a
        benchmark a column.
        """
        results = [result for result, _ in sections.values()]
        tables, split = self._all_results(results, metrics, baseline)
        first = Part("Results", [], tables, [])
        several = [self._of_several(kind, section) for kind, section in joint(results).items()]
        single = [self._of_sweep(result, section) for result, section in sections.values()]
        main, everything = map(list, zip((first, first), *several, *single, strict=True))
        documents = {
            "paper": [part for part in main if part.holds_something],
            "appendix": everything,
        }
        said = [self._document(name, parts) for name, parts in documents.items()]
        files = [file for part in everything for file in (*part.tables, *part.figures)]
        files += [f"{name}.tex" for name in documents]
        return Built([self.folder / file for file in files], "\n".join([*split, *said]))

    def _all_results(
        self, results: Sequence[SweepResult], metrics: Sequence[str], baseline: str | None
    ) -> tuple[list[str], list[str]]:
        """The tables of results, one of the sweeps of each kind, and why there are several, where
        there are.
        """
        typed = dict(zip((result.folder for result in results), differing(results), strict=True))
        kinds = by_kind(results).items()
        tables = [
            self._results(kind, own, typed[own[0].folder], metrics, baseline) for kind, own in kinds
        ]
        return tables, _split(tables, typed.values())

    def _of_several(self, kind: str, section: Section) -> tuple[Part, Part]:
        """What shows several sweeps at once, in the paper and in the appendix: the figures are in
        both.
        """
        title, name = self.display.text(kind), file_name(kind)
        figures = [self._figure(name, picture) for picture in section.pictures]
        tables = [self._table(name, table) for table in section.tables]
        return Part(title, [], [], figures), Part(title, [], tables, figures)

    def _of_sweep(self, result: SweepResult, section: Section) -> tuple[Part, Part]:
        """What is of one sweep: the paper has its conclusion and some figures, the appendix all
        tables and figures.
        """
        title, name = (
            self.display.text(f"{result.kind} on {result.locked.dataset}"),
            file_name(result.folder.name),
        )
        tables = [self._table(name, table) for table in section.tables]
        drawn = {picture.name: self._figure(name, picture) for picture in section.pictures}
        figures = [file for key, file in drawn.items() if key.startswith(MAIN)]
        conclusion = [table_text(self.display.text(line)) for line in in_short(result)]
        return Part(title, conclusion, [], figures), Part(title, [], tables, [*drawn.values()])

    def _results(
        self,
        kind: str,
        results: Sequence[SweepResult],
        typed: Mapping[str, str],
        metrics: Sequence[str],
        baseline: str | None,
    ) -> str:
        """typed: the parameters by which it differs from the tables beside it; its caption says
        them.
        """
        table = results_table(results, self.display, metrics, baseline)
        told = {
            name: f"{name}={value}" if value else f"{name} as by default"
            for name, value in typed.items()
        }
        if own := ", ".join(text for name, text in told.items() if name not in BENCHMARK):
            table = replace(table, notes=[*table.notes, f"Parameters: {own}."])
        label = f"{file_name(results[0].folder.name if len(results) == 1 else kind)}-results"
        text = typeset(table, self.venue.layout, label, self.display.text)
        return self._put(f"tables/{label}.tex", text)

    def _table(self, sweep: str, table: Table) -> str:
        label = f"{sweep}-{table.name}"
        text = typeset(table, self.venue.layout, label, self.display.text, self.display.cell)
        return self._put(f"tables/{label}.tex", text)

    def _figure(self, sweep: str, picture: Picture) -> str:
        label = f"{sweep}-{picture.name}"
        made = picture.save(self.folder / "figures" / sweep, self.venue.figure(self.display.label))
        caption, note = sentence(self.display.text(picture.head)), self.display.text(picture.notes)
        below = f"{{\\scriptsize\\raggedright {table_text(note)}\\par}}\n" if note else ""
        where = made[0].relative_to(self.folder).as_posix()
        return self._put(
            f"figures/{label}.tex", FIGURE % (where, table_text(caption), label, below)
        )

    def _document(self, name: str, parts: Sequence[Part]) -> str:
        text = fill("paper.tex.j2", venue=self.venue, document=name, parts=parts)
        self._put(f"{name}.tex", text)
        return compile_pdf(self.folder, SECONDS * len(parts), name)

    def _put(self, name: str, text: str) -> str:
        write_text(self.folder / name, text)
        return name


def _split(tables: Sequence[str], typed: Iterable[Mapping[str, str]]) -> list[str]:
    """Why there are several tables of results, where there are."""
    if len(tables) == 1:
        return []
    apart = dict.fromkeys(name for given in typed for name in given if name not in BENCHMARK)
    return [
        f"{len(tables)} tables of results, since one holds sweeps that differ in the benchmark "
        "alone, and these "
        f"differ in {', '.join(apart)}: {', '.join(tables)}"
    ]


def several(results: Sequence[SweepResult], display: Display) -> dict[str, Section]:
    """What shows several sweeps at once, in front of what is of each.

    ``joint``; where sweeps differ in the benchmark alone, strategies by benchmarks; where they are
    of one benchmark, which knob matters over all of them, with what was typed, such as the encoder.
    """
    found = joint(results)
    tables = {
        kind: [results_table(ones, display)]
        for kind, ones in of_one_kind(results).items()
        if _alike(ones)
    }
    for name in dict.fromkeys(str(one.manifest["dataset"]) for one in results):
        tables[f"knobs {name}"] = knobs_over(
            [one for one in results if one.manifest["dataset"] == name]
        )
    for title, own in tables.items():
        section = found.get(title, Section(title, title, {}, [], []))
        found |= {title: replace(section, tables=[*own, *section.tables])} if own else {}
    return found


def _alike(results: Sequence[SweepResult]) -> bool:
    """Whether several sweeps are of different benchmarks and have one reference."""
    names = {str(one.manifest["dataset"]) for one in results}
    return 1 < len(results) == len(names) and all(
        results[0].locked.reference in one.locked.singles for one in results
    )
