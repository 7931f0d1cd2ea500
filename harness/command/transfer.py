"""Score what was locked on one benchmark on the test questions of others: benchmarks by benchmarks.

Each sweep's winner, with its lists as they were set there and with all that it learned there, ranks the questions of
every other sweep's benchmark over that benchmark's passages. It is compared with the winner that was locked on the
benchmark itself, and so is that benchmark's best single list: tests by cluster of questions that share gold passages,
Holm's correction over all comparisons. It is a look at each test split, which is noted.

The first table has a row for each benchmark that was learned from and a column for each that was scored: the score,
points over that benchmark's own winner, won/lost and p. Rows of what was locked there have the score alone.

  harness transfer                                           the latest sweep of each benchmark
  harness transfer 'sweep=[runs/sweeps/ONE,runs/sweeps/OTHER]'
  harness transfer metric=recall@5 out=transfer.tex          a paper's table, and every pair in transfer-appendix.tex
  harness transfer split=tune                                no look; a benchmark's own winner was chosen on these
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Rank, compare, print and write."""
    from pathlib import Path

    from harness.command import plain
    from harness.core.errors import one_of
    from harness.core.table import fit, paragraph
    from harness.report.output import check_ending, write_result
    from harness.sweep.folder import newest
    from harness.sweep.heldout import describe_looks, note_look
    from harness.sweep.winner import Transfer

    check_ending(config.out)
    one_of("split", config.split, ("tune", "test", "all"))
    transfer = Transfer.of(newest(Path(config.paths.runs), plain(config.sweep)), config)
    table, style = transfer.table()
    print(*paragraph(table.title), "", *fit(table), "", sep="\n")
    print(*paragraph(transfer.sentence()), sep="\n")
    looks = {}
    for name, gold in transfer.golds.items():
        looks[name] = note_look(config.paths.looks, "transfer", gold.source, gold.test_ids)
        if line := describe_looks(looks[name], len(gold), config.paths.looks):
            print(*paragraph(f"{name}: {line}"), sep="\n")
    result = [{**one.json, **looks[one.gold.source]} for one in transfer.comparisons]
    written = write_result(config.out, result, transfer.appendix(), (table, style))
    print(*written, sep="\n", end="\n" if written else "")
