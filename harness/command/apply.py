"""Rank new questions with the locked winner of a sweep: its lists, its fusion, and what it learned
on tune.

Needs no gold. The questions are a file of lines `{"id": "q1", "question": "..."}`, asked of the
sweep's own corpus or, with dataset=, of another; without queries= they are those of the benchmark.
Lists are made as the sweep made them, and stored: the same questions take no time again. A list
that the sweep read from a file needs one with the new questions. A class of your own must still
compute what it did in the sweep. Next to the file, out.ir-metadata.yml records how it was made,
with the names of ir_metadata. `harness evaluate` scores what is written, where there is gold.

  harness apply queries=questions.jsonl out=ranked.trec                          the latest sweep's winner
  harness apply lock=runs/sweeps/NAME queries=questions.jsonl out=ranked.trec
  harness apply lock=runs/sweeps/NAME dataset=folder dataset.path=my-corpus out=ranked.trec.gz
  harness apply lock=runs/sweeps/NAME dataset=2wikimultihopqa depth=20 out=ranked.jsonl
  harness apply lock=winner.lock.json queries=questions.jsonl 'lists={dense: new.trec}' out=ranked.trec
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.command import command_line, complete, keep_inputs, python_value
from harness.core.table import counted


def run(config: DictConfig) -> None:
    """Read the questions, rank them, write the lists, and print the counts."""
    from harness.benchmark.source.prepared_files import read_prepared_questions
    from harness.run import io as runs
    from harness.sweep.winner.winner import Winner

    complete(config)
    keep_inputs(config, config.queries, *(python_value(config.lists) or {}).values())
    winner = Winner.of(config)
    questions = (
        read_prepared_questions(Path(str(config.queries))) if config.queries is not None else None
    )
    ranked = winner.rank(questions, config.depth)
    runs.write(ranked, str(config.out), {**winner.made, "command": command_line("apply")})
    print(f"as locked: {winner.name}")
    documents, asked = counted(len(ranked.docs), "document"), counted(len(ranked), "question")
    print(f"{config.out}: {documents} for {ranked.answered} of {asked}")
