"""Recompute the published figures of the papers from one another, and say which are consistent and which are not.

conf/experiment/audit/*.yaml hold printed wins and losses, numbers of queries, percentages, p values, intervals and odds
ratios. Each is recomputed from the others, as far as its printed decimals allow: exact McNemar p of W and L, Wilson's
interval, the odds ratio, whether a percentage of n queries can be printed so, whether W - L is the difference.

  harness audit                      all papers
  harness audit papers=phasegraph    one of them
  harness audit out=audit.json       also as a file (.json, .csv, .tex, .txt)
"""

from __future__ import annotations

from omegaconf import DictConfig

from harness.command import python_value
from harness.core.errors import one_of

HEAD = ("where", "what", "figure", "printed", "recomputed", "")


def run(config: DictConfig) -> None:
    """Recompute, print, and write."""
    import dataclasses

    from harness.core.configuration import defaults, names
    from harness.core.table import Column, Table
    from harness.plugins.audit.analysis import audit_paper
    from harness.report.output import check_ending, write_result

    check_ending(config.out)
    known = names("experiment/audit")
    papers = python_value(config.papers) or known
    for name in papers:
        one_of("papers", name, known)
    results = {name: audit_paper(defaults("experiment/audit", name)) for name in papers}
    rows = []
    for name, found in results.items():
        agree = sum(finding.agrees for finding in found)
        print(f"{name}: {len(found)} figures recomputed, {agree} consistent, {len(found) - agree} not")
        rows += [[*dataclasses.astuple(finding)[:-1], "ok" if finding.agrees else "NOT"] for finding in found]
    columns = [Column(title, "text") for title in HEAD]
    table = Table("audit", "published figures, recomputed from one another", columns, rows)
    print(table.text())
    plain_results = {name: [dataclasses.asdict(finding) for finding in found] for name, found in results.items()}
    write_result(config.out, plain_results, table)
