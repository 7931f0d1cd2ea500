"""Say of every list what gold ranks cannot: answers in reach, chains in reach, what a gate rejects, stability.

answer_supported@k: an answer stands in one of the first k passages (for yes and no: all gold passages are there).
hops_recovered@k: the titles of all gold passages, and the answer, stand in the first k passages.
suppressed: share of the candidate facts near a question that the gate of a policy (retriever=policyrag) drops; of those
of gold passages and of the others apart. stable_*: rank-biased overlap of a list with that of the same question in
other words, or with a name in another form; made by rule, seeded. That reads all passages anew, so it takes as long as
preparing the benchmark. Only tune is looked at unless diagnose.split says otherwise.

  harness diagnose dataset=musique +retriever@lists.policy=policyrag
  harness diagnose dataset=musique diagnose.perturbed=100          stability too, on a sample of 100 questions
  harness diagnose dataset=musique 'diagnose.measures=[answer_supported@10]' diagnose.out=diagnosis.json
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Diagnose, print, and write."""
    from harness.command import complete
    from harness.report import sheet
    from harness.report.text import interval, percent
    from harness.sweep.diagnosis import diagnose

    complete(config)
    sheet.check(config.diagnose.out)
    name, found = diagnose(config)
    rows = [
        [listed, measure, told["n"], percent(told["mean"]), interval(told["interval"])]
        for listed, measures in found.items()
        for measure, told in measures.items()
        if told["n"]
    ]
    head = ("list", "measure", "n", "%", "95% interval")
    table = sheet.Sheet(f"{name}, {config.diagnose.split}", head, rows)
    print(table.text())
    sheet.save(config.diagnose.out, found, table)
