"""Make a submission for a board: a system's lists, a card, and their hashes. Nothing is sent anywhere.

The lists are a run file of any system, or those of a sweep's locked winner (the latest sweep's, or lock=); where that
sweep was held out, the card claims what it scored on test, and a board holds the claim against the lists.

  harness submit mine run=f.trec dataset=sample
  harness submit mine run=f.trec dataset=sample 'card={version: 1, code: closed, encoder: none, language_models: [], trained_on: [], fitted_on: [sample/tune], cost: 1 CPU hour, licence: CC-BY-4.0}'
  harness submit winner lock=runs/sweeps/NAME out=board/submissions/winner
  harness submit mine run=f.json dataset=folder dataset.path=my-benchmark

out (default submissions/SYSTEM) gets run.trec.gz, card.yaml and hashes, for questions of tune and of test. What the
card has no value for is said (what NAME.ir-metadata.yml beside a run says is taken): give it here, or write it into the
card and run the same command again, which keeps what stands there; a complete one is checked as a board does, without a score. Lists are cut to depth; ids must be those of the benchmark. `harness board check` says what a board will.
"""  # noqa: E501

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig

from harness.command import complete, python_value, refuse, warn_unread
from harness.core.errors import HarnessError, one_of, whole_number
from harness.core.table import counted

if TYPE_CHECKING:
    from harness.benchmark import Benchmark
    from harness.run import Run

log = logging.getLogger(__name__)


def run(config: DictConfig) -> None:
    """Read or rank, write, check, and say what is missing."""
    from harness.core.escape import file_name
    from harness.plugins.exchange.board import missing, review, submit
    from harness.run.metadata import FIELDS

    complete(config)
    whole_number("depth", config.depth, 1)
    if config.run is None:
        warn_unread(config, "submit of a lock", "columns")
    else:
        refuse("submit run=", "lock", "lists")
        warn_unread(config, "submit run=", "device", "trust")
    for name in config.card:
        one_of("card", name, FIELDS)
    ranked, data, values, known = _of_winner(config) if config.run is None else _of_file(config)
    typed = {"system": str(config.system), **python_value(config.card)}
    values |= {name: value for name, value in typed.items() if value is not None}
    folder = Path(str(config.out or f"submissions/{file_name(str(config.system).lower())}"))
    values = {**dict.fromkeys(FIELDS), **values, "benchmark": data.name}
    submit(folder, ranked.top(config.depth), values, data.sha256, known)
    print(f"{folder}: lists for {ranked.answered} of {counted(len(data.queries), 'question')} of {data.name}")
    lacking = missing(folder)
    said = [f"missing in card.yaml: {field}" for field in lacking]
    said += [] if lacking else [f"note: {text}" for text in review(folder, data, config.depth)]
    print(*said, sep="\n", end="\n" if said else "")


def _of_file(config: DictConfig) -> tuple[Run, Benchmark, dict[str, object], dict[str, object]]:
    """The lists of a file, their benchmark, nothing that rules, and what the file beside them says."""
    import pyarrow.compute as pc

    from harness.core.configuration import instantiate
    from harness.run import io as lists
    from harness.run.matching import examples, fit, queries
    from harness.run.metadata import FIELDS, read_fields, sidecar
    from harness.sweep.trial import store as store_of

    if config.get("dataset") is None:
        raise HarnessError("dataset: no value is given; name the benchmark of the run, e.g. dataset=sample")
    data = instantiate(config.dataset).load(store_of(config))
    found, beside = lists.read(str(config.run), columns=python_value(config.columns)), sidecar(Path(str(config.run)))
    known = read_fields(beside, FIELDS) if beside.is_file() else {}
    asked = queries(found)
    if len(unknown := asked.filter(pc.invert(pc.is_in(asked, data.query_ids)))):
        log.warning(
            "run=%s: %d of its %d queries are not of %s and are left out: %s",
            config.run, len(unknown), len(asked), data.name, examples(unknown),
        )  # fmt: skip
    ranked = fit(found, f"run={config.run}", data.query_ids, data.doc_ids, f"dataset={data.name}")
    return ranked, data, {}, known


def _of_winner(config: DictConfig) -> tuple[Run, Benchmark, dict[str, object], dict[str, object]]:
    """The lists of a sweep's winner, their benchmark, what the sweep rules, and what else it knows."""
    from harness.sweep.folder import SweepResult, latest
    from harness.sweep.winner import Winner

    lock = latest(Path(config.paths.runs)) if config.lock is None else Path(str(config.lock))
    folder = lock if lock.is_dir() else lock.parent
    config.lock = str(lock)
    winner = Winner.of(config)
    claims = _claims(SweepResult(folder), winner.data, config.depth)
    print(f"as locked: {winner.name}")
    values = {name: winner.made[name] for name in ("version", "code", "fitted_on")}
    if (splitting := winner.lock.get("splitting", "md5")) != "md5":
        values["fitted_on"] = [f"{winner.data.name}/{part}" for part in ("tune", "test")]
        print(f"chosen on tune of split={splitting}, which has questions of the board's test: the card says both")
    return winner.rank(None, config.depth), winner.data, {**values, "claims": claims}, winner.made


def _claims(result: Any, data: Benchmark, depth: int) -> dict[str, float]:
    """What the winner scored on test when it was held out, by the metrics that lists of this depth can have."""
    from harness.evaluation.metric import Metric

    view = result.test
    if view is None or data.sha256 != view.data_sha256 or result.manifest.get("splitting", "md5") != "md5":
        return {}
    row = view.rows[view.winner_place]
    deep = [name for name in result.metrics if (Metric.parse(name).k or depth + 1) <= depth]
    return {name: round(float(row[name]), 6) for name in deep if row.get(name) is not None}
