"""Say, before any encoder runs, how a graph could join gold passages, and how many others it would reach.

A title link joins two passages of which one names the other's title; a shared name link joins two that mention the same
name (a title or a run of capitalised words), which at most `rare` passages mention. Both have no direction.
joined: the share of gold pairs (consecutive hops where their order is known, otherwise all pairs of a question) so
linked, by the number of hops, too. reached: how many other passages a gold passage leads to, median and 90th
percentile. precision: the share of these that is gold of the same question. Below, how many questions name the title of
a gold passage: there a walk can start. Without queries.jsonl, or without gold in it, links alone.

  harness linkage dataset=musique
  harness linkage dataset=folder dataset.path=DIR                  your own corpus.jsonl; queries.jsonl is optional
  harness linkage dataset=2wikimultihopqa rare=30 out=linkage.json

A folder needs no PyTorch and no further library; nothing is stored. Only tune's gold is read unless split says
otherwise; a look at test is noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from harness.benchmark import Texts


def run(config: DictConfig) -> None:
    """Read, link, print and write."""
    from harness.analysis.linkage import describe, find_links, join_gold
    from harness.command import complete, plain
    from harness.core.table import fit, paragraph, percent
    from harness.report.output import check_ending, write_result
    from harness.report.table import gold_table, link_table
    from harness.sweep.heldout import describe_looks, note_look

    complete(config)
    check_ending(config.out)
    whole, splitting = _texts(config), plain(config.splitting)
    texts = whole.split(config.split, splitting)
    links = find_links(texts, config.rare)
    gold = join_gold(links, texts)
    found = {"dataset": texts.name, "split": config.split, "rare": config.rare, **describe(links), "gold": gold}
    said, tables = [], [link_table(found)]
    if gold:
        tables.insert(0, gold_table(found))
        said.append(
            f"{percent(gold['names_gold'])}% of these questions name the title of a gold passage, "
            f"{percent(gold['names_any'])}% that of any passage."
        )
    elif texts.gold is not None:
        said.append("No question has two gold passages, so there is no pair to join.")
    said.append(
        f"{found['ambiguous_titles']:,} passages share their title with another, {found['without_title']:,} have none."
    )
    for table in tables:
        print(*paragraph(table.title), "", *fit(table), "", sep="\n")
    for line in said:
        print(*paragraph(line), sep="\n")
    if gold and config.split != "tune":
        test = [name for name, part in zip(texts.query_ids, texts.parts(splitting), strict=True) if part == "test"]
        look = note_look(config.paths.looks, "linkage", texts.name, test)
        if line := describe_looks(look, len(texts.query_ids), config.paths.looks):
            print(*paragraph(line), sep="\n")
    files = write_result(config.out, found, tables[0])
    print(*files, sep="\n", end="\n" if files else "")


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
