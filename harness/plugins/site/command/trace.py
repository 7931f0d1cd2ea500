"""Show for one question why each gold passage has its rank: seeds, strongest paths, and rivals.

Walks (ppr, hipporag) show their seeds with weights, and the strongest paths to each gold passage
and to those that rank above it after fusion; policyrag shows its decisions.
Ranks are shown for every list and for the configured fuser. The trace is printed as text; the file
of the last line has it as JSON, and the site of `harness report` draws it. With a lock, the
benchmark, the lists and the winner are those of its sweep. Traces of test questions reveal test: learn
from tune.

  harness trace dataset=musique query=2hop__482757_12019              the configured lists and fuser
  harness trace 2hop__482757_12019 dataset=musique fuser=rrf          the query can come first
  harness trace dataset=musique query=ID trace.count=5 trace.rivals=10 trace.out=why.json
  harness trace query=ID lock=runs/sweeps/NAME                        lists and winner of that sweep
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from harness.command import CHOICE, LISTS, complete, refuse_unread, typed
from harness.core.errors import whole_number


def run(config: DictConfig) -> None:
    """Trace the question, print the trace and write it."""
    from harness.core.files import write_json
    from harness.plugins.site.explanation import text, to_json
    from harness.plugins.site.trace import Trace, trace
    from harness.report.output import check_ending

    complete(config)
    refuse_unread(*CHOICE)
    if config.lock is not None:
        lists = [key for key in LISTS if key != "dataset"]
        refuse_unread(*lists, why=f"lock={config.lock} brings its lists")
    for name, least in {"count": 1, "rivals": 0, "seeds": 0}.items():
        whole_number(f"trace.{name}", config.trace[name], least)
    check_ending(config.trace.out, "trace.out", [".json"])
    traced: Trace = trace(config, typed())
    data = traced.benchmark
    name = "".join(
        letter if letter.isalnum() or letter in "-_." else "_" for letter in str(config.query)
    )
    out = Path(config.trace.out or Path(config.paths.runs) / "traces" / f"{data.name}-{name}.json")
    write_json(out, to_json(traced))
    print(text(traced, config.trace.seeds))
    print(out)
