"""Say, before any encoder runs, how a graph could join gold passages, and how many others it would reach.

A title link joins two passages of which one names the other's title; a shared name link joins two that mention the same
name (a title or a run of capitalised words), which at most `rare` passages mention. Both have no direction.
joined: the share of gold pairs (consecutive hops where their order is known, otherwise all pairs of a question) so
linked, by the number of hops, too. reached: how many other passages a gold passage leads to, median and 90th
percentile. precision: the share of these that is gold of the same question. The second table starts where a walk can:
at the passages whose titles a question names; last hops: the share of questions whose last hop is so many steps away
and no nearer. Without queries.jsonl, or without gold in it, links alone.

The share one step away is what an expectation of graph over dense (last_hop@5) comes from: a line through zero, fitted
on `measured` benchmarks, of which there are few; `explain=true` shows each as the others let expect it.

  harness linkage dataset=musique
  harness linkage explain=true                                     also all links, and the benchmarks measured
  harness linkage dataset=folder dataset.path=DIR                  your own corpus.jsonl; queries.jsonl is optional
  harness linkage dataset=2wikimultihopqa rare=30 out=linkage.json
  harness linkage dataset=folder dataset.path=DIR figure=mine.pdf  the same as a figure (.pdf, .png or .svg)

A folder needs no PyTorch and no further library; nothing is stored. Only tune's gold is read unless split says
otherwise; a look at test is noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omegaconf import DictConfig

from harness.command import complete, print_look, python_value

if TYPE_CHECKING:
    from harness.benchmark import Texts
    from harness.plugins.twins.analysis.linkage_gain import Expected, Judged
    from harness.plugins.twins.analysis.links import Started
    from harness.plugins.twins.console.linkage_tables import Linkage
    from harness.sweep.heldout import Noted


def run(config: DictConfig) -> None:
    """Read, link, print and write."""
    from harness.core.table import fit, paragraph
    from harness.plugins.twins.analysis.links import describe_links, find_links, join_gold, start_from_questions
    from harness.plugins.twins.console.linkage_figure import linkage_picture
    from harness.plugins.twins.console.linkage_tables import (
        linkage_sentences,
        tables_of,
    )
    from harness.report.output import FIGURES, check_ending, write_figure, write_result
    from harness.sweep.heldout import QuestionSet, note_look

    complete(config)
    check_ending(config.out)
    check_ending(config.figure, "figure", FIGURES)
    whole, splitting = _texts(config), python_value(config.splitting)
    texts = whole.split(config.split, splitting)
    links = find_links(texts, config.rare)
    gold, start = join_gold(links, texts), start_from_questions(links, texts)
    linked = describe_links(links)
    found: Linkage = {
        "dataset": texts.name,
        "split": config.split,
        "rare": config.rare,
        "passages": linked["passages"],
        "without_title": linked["without_title"],
        "ambiguous_titles": linked["ambiguous_titles"],
        "links": linked["links"],
        "gold": gold,
        "start": start,
    }
    if expected := _expected(config, texts.name, start):
        found["expected"], found["judged"] = expected
    tables = tables_of(found, config.measured.encoder, config.explain)
    looked: Noted = {}
    if start and config.split != "tune":
        parts = texts.parts(splitting)
        test = [name for name, part in zip(texts.query_ids, parts, strict=True) if part == "test"]
        shown = QuestionSet(texts.name, texts.supporting, {"the split in use": test})
        looked = note_look(config.paths.looks, "linkage", shown)
    for table in tables:
        print(*paragraph(table.title), "", *fit(table), "", sep="\n")
    for line in linkage_sentences(found, config.measured):
        print(*paragraph(line), sep="\n")
    print_look(config, looked, len(texts.query_ids))
    write_result(config.out, found, tables[0])
    write_figure(config.figure, lambda name: linkage_picture(found, config.measured.encoder, name))


def _expected(config: DictConfig, name: str, start: Started | None) -> tuple[dict[str, Expected], Judged] | None:
    """What the other benchmarks let expect of this one, and how these were judged; None where nothing can be said."""
    from harness.plugins.twins.analysis.linkage_gain import Measured, expect_gain, judge_expectation

    share = start["steps"][1]["last"] if start else None
    if share is None or config.rare != config.measured.rare:
        return None
    measured = {str(key): Measured(**row) for key, row in config.measured.benchmarks.items()}
    others = {key: row for key, row in measured.items() if key != name}
    gain, interval = expect_gain(others, share)
    expected: dict[str, Expected] = {name: {"share": share, "expected": gain, "interval": interval}}
    return expected, judge_expectation(measured)


def _texts(config: DictConfig) -> Texts:
    """A folder is read as it is; other benchmarks as `harness prepare` reads them, with their hash checked."""
    from harness.benchmark import Texts
    from harness.benchmark.dataset import TextSource
    from harness.core.configuration import instantiate

    dataset = instantiate(config.dataset)
    if isinstance(dataset, TextSource):
        return dataset.texts()
    from harness.sweep.trial import lists

    return Texts.of(dataset.load(lists.store(config)))
