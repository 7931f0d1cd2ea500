"""Diagnose every list beyond gold ranks: answers, chains of passages, rejected facts, stability.

answer_supported@k: one of the first k passages states an answer (for yes and no: all gold passages
are there). hops_recovered@k: the first k passages state the titles of all gold passages, and the
answer.

suppressed: share of the candidate facts near a question that the gate of a policy
(retriever=policyrag) drops, also for facts of gold passages and of other passages. stable_*:
rank-biased overlap of a list with that of the same question in other words, or with a name in
another form, made by seeded rules. Stability extracts from all passages again, so it takes as long
as preparing the benchmark. Only tune is used unless diagnose.split is set.

  harness diagnose dataset=musique +retriever@lists.policy=policyrag
  harness diagnose dataset=musique diagnose.perturbed=100          stability too, on a sample of 100 questions
  harness diagnose dataset=musique 'diagnose.measures=[answer_supported@10]' diagnose.out=diagnosis.json
"""

from __future__ import annotations

import logging
from typing import cast

from omegaconf import DictConfig, OmegaConf

from harness.command import CHOICE, FUSION, complete, print_paths, refuse_unread, typed

log = logging.getLogger(__name__)


def run(config: DictConfig) -> None:
    """Diagnose, print and write."""
    from harness.core.table import Column, Table
    from harness.plugins.policyrag.analysis.diagnosis import diagnose
    from harness.report.output import check_ending, write_result
    from harness.sweep.trial.override import unread

    complete(config)
    refuse_unread(*FUSION, *CHOICE)
    raw = cast("dict[str, object]", OmegaConf.to_container(config, resolve=False))
    for line in unread(typed(), raw, ()):
        log.warning("%s", line)
    check_ending(config.diagnose.out, "diagnose.out")
    data, diagnosis = diagnose(config)
    rows = [
        [listed, measure, summary["n"], summary["mean"], summary["interval"]]
        for listed, measures in diagnosis.items()
        for measure, summary in measures.items()
        if summary["n"]
    ]
    texts = [Column(title, "text") for title in ("list", "measure")]
    columns = [
        *texts,
        Column("n", "count"),
        Column("mean %"),
        Column("95% of mean", "interval", "mean %"),
    ]
    table = Table("diagnosis", f"{data.name}, {config.diagnose.split}, in percent", columns, rows)
    written = write_result(config.diagnose.out, diagnosis, table)
    print(table.text())
    print_paths(written)
