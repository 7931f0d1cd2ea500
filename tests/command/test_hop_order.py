"""Queries whose hop order is unknown have no last hop: `evaluate`, `compare` and `sweep` count the
others alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.benchmark import md5_split
from tests import process

KNOWN = "dataset.chain={type: [bridge]}"


def harness(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return process.harness(*args, cwd=folder)


def by_hand(bench: Path, name: str) -> dict[str, tuple[bool, str, bool]]:
    """By query: whether the last gold passage is among the first five, the split, whether the order
    is known.
    """
    lines = [line.split() for line in (bench / f"{name}.trec").read_text().splitlines()]
    found: dict[str, list[tuple[float, str]]] = {}
    for query, _, doc, _, score, _ in lines:
        found.setdefault(query, []).append((-float(score), doc))
    top = {query: [doc for _, doc in sorted(docs)[:5]] for query, docs in found.items()}
    rows = [json.loads(line) for line in (bench / "queries.jsonl").read_text().splitlines()]
    return {
        row["id"]: (
            row["supporting_ids"][-1] in top[row["id"]],
            md5_split(row["id"]),
            row["type"] == "bridge",
        )
        for row in rows
    }


def last_hop(bench: Path, name: str, split: str | None = None) -> tuple[float, int]:
    hits = [
        hit for hit, part, known in by_hand(bench, name).values() if known and split in (None, part)
    ]
    return sum(hits) / len(hits), len(hits)


@pytest.mark.parametrize("gold", ["queries.jsonl", ""])
def test_evaluate_counts_the_questions_whose_last_hop_is_known_and_says_how_many(
    bench: Path, tmp_path: Path, gold: str
) -> None:
    done = harness(
        tmp_path,
        "evaluate",
        f"run={bench}/dense.trec",
        f"gold={bench / gold}",
        KNOWN,
        "metrics=[last_hop,recall]",
        "out=m.json",
    )
    assert done.returncode == 0, done.stderr
    found: Any = json.loads((tmp_path / "m.json").read_text())
    score, n = last_hop(bench, "dense")
    assert (found["n"], found["n_last_hop"], n) == (40, 20, 20)
    assert found["metrics"]["last_hop@5"] == pytest.approx(score, abs=1e-12)
    assert (
        found["by_type"]["comparison"]["last_hop@5"],
        found["by_type"]["comparison"]["n_last_hop"],
    ) == (None, 0)
    assert "n of last_hop" in done.stdout


def test_compare_counts_them_too_and_none_is_refused(bench: Path, tmp_path: Path) -> None:
    asked = [
        "compare",
        f"run={bench}/graph.trec",
        f"baseline={bench}/dense.trec",
        f"gold={bench}/queries.jsonl",
    ]
    done = harness(tmp_path, *asked, KNOWN, "metric=[last_hop,recall]", "out=c.json")
    assert done.returncode == 0, done.stderr
    first, second = json.loads((tmp_path / "c.json").read_text())
    ours, theirs = by_hand(bench, "graph"), by_hand(bench, "dense")
    won = {query for query, (hit, _, known) in ours.items() if known and hit > theirs[query][0]}
    lost = {query for query, (hit, _, known) in ours.items() if known and hit < theirs[query][0]}
    assert (set(first["wins_ids"]), set(first["losses_ids"])) == (won, lost)
    assert (first["n"], second["n"]) == (20, 40)

    none = harness(tmp_path, *asked, "dataset.chain=none")
    assert none.returncode == 2
    assert "no question has a known hop order, so there is no last_hop@5; give" in none.stderr


def test_a_sweep_chooses_and_forecasts_by_them(bench: Path, tmp_path: Path) -> None:
    lists = [f"lists.{name}={bench}/{name}.trec" for name in ("dense", "graph", "bm25")]
    asked = [
        "sweep",
        "dataset=folder",
        f"dataset.path={bench}",
        *lists,
        "tracking=none",
        "grid=point",
        "fuser=rrf",
    ]
    whole = harness(tmp_path, *asked)
    done = harness(
        tmp_path, *asked, KNOWN
    )  # the same folder under another rule is no changed benchmark
    assert (whole.returncode, done.returncode) == (0, 0), done.stderr
    trials = pd.read_parquet(tmp_path / done.stdout.splitlines()[-1] / "trials.parquet").set_index(
        "name"
    )
    for name in ("dense", "graph", "bm25"):
        score, n = last_hop(bench, name, "tune")
        assert (trials.loc[name, "last_hop@5"], trials.loc[name, "n"]) == (
            pytest.approx(score, abs=1e-12),
            n,
        )
    ours, theirs = by_hand(bench, "graph"), by_hand(bench, "dense")
    pairs = [(ours[q][0], theirs[q][0]) for q in ours if ours[q][1] == "tune" and ours[q][2]]
    won, lost = (sum(a > b for a, b in pairs), sum(a < b for a, b in pairs))
    assert (trials.loc["graph", "wins"], trials.loc["graph", "losses"]) == (won, lost)
    tune = sum(split == "tune" for _, split, _ in ours.values())
    assert f"the {len(pairs)} of {tune} questions whose hop order is known" in " ".join(
        done.stdout.split()
    )
    lock = json.loads((tmp_path / done.stdout.splitlines()[-1] / "winner.lock.json").read_text())
    assert lock["expected"]["n"] == last_hop(bench, "dense", "test")[1]
    ranks = np.load(tmp_path / whole.stdout.splitlines()[-1] / "ranks.npy")
    assert ranks.shape[2] == 2  # nothing is marked where every order is known

    refused = harness(tmp_path, *asked, "dataset.chain=none")
    assert refused.returncode == 2
    assert "no tune question of tiny has a known order of hops" in refused.stderr
    assert "dataset.chain={field: [values]}" in refused.stderr


def test_ordered_decides_and_chain_all_counts_every_question(bench: Path, tmp_path: Path) -> None:
    """20 of the 40 questions have ``"ordered": false``."""
    marked = tmp_path / "marked"
    shutil.copytree(bench, marked)
    rows = [json.loads(line) for line in (bench / "queries.jsonl").read_text().splitlines()]
    lines = [json.dumps({**row, "ordered": row["type"] == "bridge"}) for row in rows]
    (marked / "queries.jsonl").write_text("\n".join(lines))
    lists = [f"lists.{name}={bench}/{name}.trec" for name in ("dense", "graph", "bm25")]
    fixed = ["tracking=none", "grid=point", "fuser=rrf"]
    for rule, score, head in (
        ([], last_hop(bench, "dense"), "questions whose hop order is known)"),
        (["dataset.chain=all"], whole(bench), "(dataset.chain=all: last_hop counts every"),
    ):
        asked = [f"run={bench}/dense.trec", f"gold={marked}/queries.jsonl", "out=m.json", *rule]
        assert harness(tmp_path, "evaluate", *asked, "metrics=[last_hop,recall]").returncode == 0
        found: Any = json.loads((tmp_path / "m.json").read_text())
        assert (found["metrics"]["last_hop@5"], found.get("n_last_hop", 40)) == (
            pytest.approx(score[0], abs=1e-12),
            score[1],
        )
        swept = ["sweep", "dataset=folder", f"dataset.path={marked}", *lists, *fixed, *rule]
        done = harness(tmp_path, *swept)
        assert done.returncode == 0, done.stderr
        assert head in " ".join(done.stdout.split())


def whole(bench: Path, name: str = "dense") -> tuple[float, int]:
    hits = [hit for hit, _, _ in by_hand(bench, name).values()]
    return sum(hits) / len(hits), len(hits)
