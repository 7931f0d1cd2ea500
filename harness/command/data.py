"""Print a description of a benchmark, and write it as corpus.jsonl and queries.jsonl.

Printed are its counts, its hash, its source, licence and citation. `dataset=folder
dataset.path=DIR` reads the files.

  harness data dataset=musique
  harness data dataset=musique out=musique
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.command import complete, print_paths


def run(config: DictConfig) -> None:
    """Load the benchmark, print it, and write it if `out` is given."""
    from harness.benchmark.content import content_sha256
    from harness.benchmark.oddity import describe_oddities, find_oddities
    from harness.benchmark.record_lines import write_benchmark
    from harness.benchmark.source.card import read_card
    from harness.core.configuration.instantiation import instantiate
    from harness.core.table import counted, paragraph
    from harness.sweep.trial.inputs import store

    complete(config)
    dataset = instantiate(config.dataset)
    data, name = dataset.load(store(config)), getattr(dataset, "card", None)
    card = read_card(name) if name else None
    passages, questions = (
        counted(len(data.corpus), "passage"),
        counted(len(data.queries), "question"),
    )
    written = [] if config.out is None else write_benchmark(data, Path(str(config.out)))
    if card and card.alias:
        print(f"{card.alias} means {card.name}")
    print(f"{data.name}: {passages}, {questions}, sha256 {data.sha256}")
    print(f"content {content_sha256(data)}, however it is numbered and packed")
    for line in describe_oddities(find_oddities(data)):
        print(f"caution: {line}")
    if card:
        facts = {"source": card.source, "licence": card.licence, "citation": card.citation}
        for key, text in facts.items():
            print(*paragraph(f"{key}: {text.strip()}"), sep="\n")
    print_paths(written)
