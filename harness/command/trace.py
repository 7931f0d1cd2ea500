"""Show for one question why each gold passage is where it is: seeds, strongest paths, ranks, and what beat it.

Every list that walks a graph shows its seeds with their weights, and the paths that carry most weight to each gold
passage and to those that beat it after fusion. Ranks stand for every list and for the configured fuser. Printed as
text, with a page that draws the subgraph; its path is the last line, and beside it stands the trace as JSON. A policy
(retriever=policyrag) shows its seeds with their factors, the facts it kept and dropped, the mass by family of edges,
and each passage's score by its terms. A lock decides how lists are fused; the lists, and the policy `seeds`, are the
configuration's. Reading traces of test questions is looking at test: learn from those of tune.

  harness trace dataset=musique query=2hop__482757_12019              the configured lists and fuser
  harness trace 2hop__482757_12019 dataset=musique fuser=rrf          the query can come first
  harness trace dataset=2wikimultihopqa query=ID +retriever@lists.names=mention_walk 'pool.lists=[dense,names]'
  harness trace dataset=musique query=ID +retriever@lists.policy=policyrag 'pool.lists=[dense,policy]'
  harness trace dataset=musique query=ID trace.count=5 trace.rivals=10 trace.out=why.html
  harness trace dataset=musique query=ID lock=runs/sweeps/NAME/winner.lock.json   as the winner of that sweep fuses
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omegaconf import DictConfig


def run(config: DictConfig) -> None:
    """Trace, print, draw."""
    import json
    from pathlib import Path

    from harness.analysis.trace import Trace, trace
    from harness.command import complete, typed
    from harness.core.errors import bounded
    from harness.core.files import write_text
    from harness.report.explanation import page, text, to_json
    from harness.sweep.heldout import describe_looks, note_look

    complete(config)
    for name in ("count", "rivals", "seeds"):
        bounded(f"trace.{name}", config.trace[name], 1 if name == "count" else 0)
    found: Trace = trace(config, typed())
    print(text(found, config.trace.seeds))
    data = found.benchmark
    if data.split[found.query] == "test":
        look = note_look(config.paths.looks, "trace", data.name, data.test_ids())
        print(describe_looks(look, len(data.query_ids), config.paths.looks))
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in str(config.query))
    out = Path(config.trace.out or Path(config.paths.runs) / "traces" / f"{data.name}-{name}.html")
    write_text(out, page(found, config.trace.seeds))
    write_text(out.with_suffix(".json"), json.dumps(to_json(found), ensure_ascii=False, indent=1) + "\n")
    print(out)
