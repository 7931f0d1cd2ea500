"""A sweep's folder made by hand: 8 tune queries, 6 test queries, 8 trials. Every number in it was
worked on paper.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from harness.core.identity import digest, sealed
from harness.sweep.folder.result import SweepResult

A = 2**31 - 1  # absent
SHA = "5ca1ab1e" * 8
METRICS = ["last_hop@5", "full_sup@5", "recall@5", "mrr"]


# name | last hops' ranks of q0..q7 | last_hop@5 | W L p against dense | W L p against graph
TUNE = """
boltzmann pit alpha=0.7 beta=0.5 cap=20 | 1 2 3 4 9 2 5 - | .750 | 3 1 .625 | 2 1 1
boltzmann pit alpha=0.5 beta=0.5 cap=20 | 1 9 3 4 9 2 5 - | .625 | 3 2 1 | 1 1 1
graph                                   | 1 - 1 1 - 9 1 1 | .625 | 4 3 1 | - - -
linear minmax alpha=0.3                 | 1 2 9 9 4 2 1 - | .625 | 1 0 1 | 3 3 1
linear minmax alpha=0.7                 | 1 2 9 9 4 2 9 - | .500 | 0 0 1 | 3 4 1
rrf k=60                                | 1 2 3 - - 2 9 - | .500 | 1 1 1 | 2 3 1
dense                                   | 1 2 9 - 4 2 9 - | .500 | - - - | 3 4 1
bm25                                    | 1 - 9 - 4 9 9 - | .250 | 0 2 .5 | 1 4 .375
"""
# place on tune | last hops' ranks of t0..t5 | found of 6 | W L p | W L p against graph |
# wilson (statsmodels) | odds ratio
TEST = """
0 | 1 2 3 4 5 - | 5 | 3 0 .25 | 2 0 .5 | .4365 .9699 | 10
3 | 1 2 - - 9 - | 2 | 1 1 1   | 1 2 1  | .0968 .7000 | 1
5 | 1 2 3 - 9 - | 3 | 2 1 1   | 1 1 1  | .1876 .8124 | 2
2 | 1 9 1 1 - - | 3 | 2 1 1   | - - -  | .1876 .8124 | 2
6 | 1 9 9 - 5 - | 2 | - - -   | 1 2 1  | .0968 .7000 | -
"""
KEYS = {"alpha": "fuser.alpha", "beta": "fuser.beta", "k": "fuser.k", "cap": "pool.cap"}


FACTS = yaml.safe_load(f"""
{{dataset: sample, data_sha256: {SHA}, objective: last_hop@5, code: 0.6.0+abc,
  libraries: {{numpy: 2.4.6}}}}
""")
MANIFEST = yaml.safe_load("""
{split: tune, n: 8, seconds: 1.5, single: [graph, dense, bm25], ceiling: [
  {lists: [dense, graph], cap: null, share: 1.0}, {lists: [dense, graph], cap: 20, share: 0.875}]}
""")
LOCK = yaml.safe_load("""
{best_single: graph, reference: dense, margin: 0.02, files: {},
  lists: {graph: '0000000000000002', dense: '0000000000000006', bm25: '0000000000000007'},
  expected: {tune: 0.75, score: 0.7, bias: 0.05, low: 0.4, high: 0.8, n: 6},
  power: {n: 6, discordance: 0.5, effect: 0.25, effect_corrected: 0.2, smallest: null,
    n_effective: 6, power: 0.031, power_corrected: 0.024, queries: 66}}
""")


def lines(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


def ranks(cell: str) -> list[int]:
    return [A if rank == "-" else int(rank) for rank in cell.split()]


def tested(cell: str) -> tuple[Any, ...]:
    """W, L and p, or None each."""
    if cell.startswith("-"):
        return None, None, None
    wins, losses, p = cell.split()
    return int(wins), int(losses), float(p)


def settings(name: str) -> dict[str, object]:
    """The knobs that the name of a trial says."""
    family, *words = name.split()
    if not words:
        return {"fuser": "single", "fuser.list": name}
    found: dict[str, object] = {"fuser": family}
    for word in words:
        key, _, value = word.partition("=")
        if value:
            found[KEYS[key]] = json.loads(value)
        elif key != "pit":
            found["normalizer"] = key
    if family == "linear":
        found["fuser.beta"] = 0.0
    return found


def gold(last: list[int]) -> np.ndarray:
    """Ranks [Q, 3]: the first hop always first; query 5 has three hops, its middle one at rank 7;
    -1 pads.
    """
    ranks = np.full((len(last), 3), -1, dtype=np.int32)
    ranks[:, 0] = 1
    ranks[:, 1] = last
    ranks[5] = [1, 7, last[5]]
    return ranks


def queries(prefix: str, count: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"{prefix}{i}" for i in range(count)],
            "hops": [3 if i == 5 else 2 for i in range(count)],
            "type": ["comparison" if i == 4 else "bridge_type" for i in range(count)],
            "chain": [i != 4 for i in range(count)],
        }
    )


def sup(last: list[int]) -> float:
    """full_sup@5: query 5's middle hop is at rank 7, so it never counts."""
    return sum(rank <= 5 for i, rank in enumerate(last) if i != 5) / len(last)


def recall(last: list[int]) -> float:
    per = [
        ((1 + (rank <= 5)) / 3 if i == 5 else (1 + (rank <= 5)) / 2) for i, rank in enumerate(last)
    ]
    return sum(per) / len(per)


def row(index: int) -> dict[str, object]:
    name, last, score, against, _ = lines(TUNE)[index]
    values = settings(name)
    wins, losses, p = tested(against)
    knobs = [f"{key}={value}" for key, value in values.items()]
    return {
        "trial": f"{index:016x}",
        "name": name,
        "family": values["fuser"],
        "untuned": False,
        "overrides": json.dumps(["dataset=sample", "grid=point", *knobs]),
        "parameters": json.dumps({"normalizer": "pit", "pool.cap": None, **values}),
        "dataset": "sample",
        "split": "tune",
        "n": 8,
        "last_hop@5": float(score),
        "full_sup@5": sup(ranks(last)),
        "recall@5": recall(ranks(last)),
        "mrr": 1.0,
        "wins": wins,
        "losses": losses,
        "p": p,
        "p_holm": p if p is None else 1.0,
        "equals": None,
        "tied": True,
    }


def compared(made: list[dict[str, object]], best: list[tuple[int | None, ...]]) -> pd.DataFrame:
    """The long frame: each row against dense, as it says itself, and against graph.

    best: W, L, p, and Holm's p against graph.
    """
    rows = []
    for one, others in zip(made, best, strict=True):
        against = {
            "dense": [one[key] for key in ("wins", "losses", "p", "p_holm")],
            "graph": others,
        }
        named = {key: one[key] for key in ("trial", "name", "split", "n")}
        for name, numbers in against.items():
            if numbers[0] is not None:
                found = dict(zip(("wins", "losses", "p", "p_holm"), numbers, strict=True))
                rows.append({**named, "against": name, "metric": "last_hop@5", **found})
    shares = dict.fromkeys(["difference", "low", "high", "p_cluster"], None)
    kinds = dict.fromkeys([*shares, "p_holm"], "Float64")
    return pd.DataFrame(rows).assign(**shares).astype(kinds)


def plain(index: int) -> dict[str, object]:
    """A row as the JSON files hold it."""
    made = row(index)
    return {
        **made,
        "overrides": json.loads(str(made["overrides"])),
        "parameters": json.loads(str(made["parameters"])),
    }


def write(folder: Path, *, heldout: bool = True) -> SweepResult:
    """The folder ``harness sweep`` and ``harness heldout`` would leave."""
    folder.mkdir(parents=True)
    rows = [row(index) for index in range(8)]
    counts = dict.fromkeys(["wins", "losses"], "Int64")
    shares = dict.fromkeys(["p", "p_holm"], "Float64")
    pd.DataFrame(rows).astype({**counts, **shares}).to_parquet(folder / "trials.parquet")
    best = [(*one, one[2] and 1.0) for one in (tested(line[4]) for line in lines(TUNE))]
    compared(rows, best).to_parquet(folder / "comparisons.parquet")
    np.save(folder / "ranks.npy", np.stack([gold(ranks(line[1])) for line in lines(TUNE)]))
    queries("q", 8).to_parquet(folder / "queries.parquet")
    (folder / "config.yaml").write_text(
        yaml.safe_dump({"metrics": METRICS, "objective": "last_hop@5"})
    )
    (folder / "manifest.json").write_text(json.dumps({**FACTS, **MANIFEST}))
    lock = {
        "winner": plain(0),
        "fusers": [plain(0), plain(3), plain(5)],
        "baselines": [plain(2), plain(6)],
        **FACTS,
        **LOCK,
    }
    (folder / "winner.lock.json").write_text(json.dumps({**lock, "sha256": digest(lock)}))
    if heldout:
        _heldout(folder)
    return SweepResult(folder)


def as_a_list(result: SweepResult, place: int = 2) -> SweepResult:
    """The sweep with a winner that ranks as `graph` (place 2) does, but for what stands below the
    first five.
    """
    ranks = result.ranks.copy()
    ranks[0] = np.where(ranks[place] > 5, 77, ranks[place])
    np.save(result.folder / "ranks.npy", ranks)
    trials = pd.read_parquet(result.folder / "trials.parquet")
    trials.loc[0, "equals"] = f"{place:016x}"
    trials.to_parquet(result.folder / "trials.parquet")
    lock = json.loads((result.folder / "winner.lock.json").read_text())
    lock["winner"]["equals"] = f"{place:016x}"
    (result.folder / "winner.lock.json").write_text(json.dumps(sealed(lock)))
    return SweepResult(result.folder)


def _heldout(folder: Path) -> None:
    rows, best, every = [], [], []
    for place, last, score, against, graph, wilson, odds in lines(TEST):
        wins, losses, p = tested(against)
        second = None if place == "0" else tested(graph)[2]  # the first test shows nothing
        best.append((*tested(graph), second))
        every.append(gold(ranks(last)))
        rows.append(
            {
                **plain(int(place)),
                "split": "test",
                "n": 6,
                "last_hop@5": int(score) / 6,
                "full_sup@5": sup(ranks(last)),
                "recall@5": recall(ranks(last)),
                "wins": wins,
                "losses": losses,
                "p": p,
                "p_holm": p,
                "wilson_cluster": [float(end) for end in wilson.split()],
                "roles": ["winner"] if place == "0" else ["baseline"],
                "wilson": [float(end) for end in wilson.split()],
                "odds_ratio": None if odds == "-" else float(odds),
                "evaluation": 1,
                "coverage": {},
            }
        )
    (folder / "heldout.json").write_text(json.dumps(rows))
    compared(rows, best).to_parquet(folder / "heldout_comparisons.parquet")
    np.save(folder / "heldout_ranks.npy", np.stack(every))
    queries("t", 6).to_parquet(folder / "heldout_queries.parquet")


EXPERIMENT = yaml.safe_load("""
source: Table 0
differs: everything.
tables:
- name: phasegraph_main
  title: Main
  metrics: [last_hop@5, recall@5]
  against: vector only
  slices:
  - label: all
    where: {}
  - label: graph first
    rule: the graph's best is the last hop
    published: false
    where: {list: graph, metric: last_hop@1, is: 1}
  rows:
  - label: vector only
    where: {fuser: single, fuser.list: dense}
  - label: best
    where: {fuser: boltzmann}
    published:
      sample: {tune: '53.6', test: '99.9'}
      other: {tune: '1'}
  - label: not tried
    where: {fuser: tsallis}
- name: phasegraph_main_sum
  title: Sum
  summary:
  - label: linear
    where: {fuser: linear}
    published: '7'
figures:
- kind: heatmap
  name: phasegraph_main_map
  title: Map
  rows: [normalizer]
  columns: [fuser.alpha]
  value: wins
- {kind: bars, name: phasegraph_main, table: phasegraph_main}
""")


def of_experiment(result: SweepResult) -> SweepResult:
    """The same sweep as one of a published experiment."""
    path = result.folder / "config.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "experiment": EXPERIMENT}))
    return SweepResult(result.folder)
