"""Sweep, heldout and report of own lists, each number computed again by statsmodels and SciPy, and
wrong tables that a second opinion must find.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from harness.core.errors import HarnessError
from harness.sweep.folder.inventory import latest
from harness.sweep.second_opinion import flipped_p, second_opinion
from tests import process

QUESTIONS = 160
CUT = "+grid.alone={fuser:[single],fuser.list:[graph],pool.cap:[3]}"


def write_world(folder: Path, names: Sequence[str], shared: bool = False) -> None:
    """Three lists of 12 documents a question with equal scores, and two gold passages.

    The second list is better than the first, the third the same as the second in other order;
    shared: ten questions each have one gold passage in common.
    """
    draw = np.random.default_rng(5)
    gold = []
    runs: dict[str, list[str]] = {name: [] for name in names}
    for number in range(QUESTIONS):
        first = f"s{number // 10}" if shared else f"f{number}"
        docs = [first, f"l{number}", *(f"d{number}_{other}" for other in range(18))]
        gold.append({"id": f"q{number}", "question": f"{number}?", "supporting_ids": docs[:2]})
        for name, strength in zip(names, (0.5, 1.6, 1.6), strict=True):
            scores = draw.normal(0, 1, 20) + np.array([strength, strength] + [0.0] * 18)
            best = np.argsort(-scores)[:12]
            runs[name] += [
                f"q{number} Q0 {docs[doc]} {rank} {round(float(scores[doc]), 1)} {name}"
                for rank, doc in enumerate(best, 1)
            ]
    for name, lines in runs.items():
        (folder / f"{name}.trec").write_text("\n".join(lines) + "\n")
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))


def swept(folder: Path, names: Sequence[str], *typed: str) -> Path:
    """The folder of a sweep by the command line."""
    lists = ", ".join(f"{name}: {name}.trec" for name in names)
    axes = "+grid.some={fuser:[linear,rrf],fuser.k:[10],fuser.alpha:[0.2,0.5],normalizer:[minmax]}"
    given = [f"lists={{{lists}}}", "gold=gold.jsonl", "tracking=none", "grid=point", axes, *typed]
    done = process.harness("sweep", *given, cwd=folder, check=True)
    return folder / done.stdout.splitlines()[-1]


def heldout(folder: Path, *typed: str) -> str:
    return process.harness("heldout", "tracking=none", *typed, cwd=folder, check=True).stdout


NAMES = ("dense", "graph", "bm25")


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sweep in which one list is cut."""
    folder = tmp_path_factory.mktemp("cut")
    write_world(folder, NAMES)
    swept(folder, NAMES, "pool.lists=[dense,graph]", CUT)
    return folder


def test_every_number_is_that_of_statsmodels_and_scipy(cut: Path, tmp_path: Path) -> None:
    """Tune, the first and the second evaluation of test; the exploratory family is all but the
    winner's rows.
    """
    shutil.copytree(cut, tmp_path, dirs_exist_ok=True)
    result = latest(tmp_path / "runs")
    check(result, heldout(tmp_path), 1)
    table = pd.read_parquet(result / "heldout_comparisons.parquet")
    winner = json.loads((result / "winner.lock.json").read_text())["winner"]["trial"]
    others = table[table["trial"] != winner]
    expected = multipletests(others["p"].astype(float), method="holm")[1]
    assert others["p_holm"].astype(float).tolist() == pytest.approx(expected.tolist())
    result = swept(tmp_path, NAMES, "pool.lists=[dense,graph]", "margin=0.01", CUT)
    check(result, heldout(tmp_path, "heldout.again=true"), 2)


@pytest.mark.parametrize(
    ("shared", "typed"),
    [(True, ()), (False, ("objective=mrr",)), (True, ("objective=recall@5",))],
)
def test_so_it_is_by_cluster_and_by_other_objectives(
    shared: bool, typed: Sequence[str], tmp_path: Path
) -> None:
    write_world(tmp_path, NAMES, shared)
    result = swept(tmp_path, NAMES, "pool.lists=[dense,graph]", *typed)
    check(result, heldout(tmp_path), 1)


def check(result: Path, printed: str, evaluation: int) -> None:
    lines = list(second_opinion(result))
    assert [line.split()[0] for line in lines] == ["tune", "test"]
    check_sentence(result, " ".join(printed.split()), evaluation)


def check_sentence(result: Path, printed: str, evaluation: int) -> None:
    """The verdict's W, L, p and words, by statsmodels from the ranks."""
    lock = json.loads((result / "winner.lock.json").read_text())
    rows = json.loads((result / "heldout.json").read_text())
    if lock["objective"] != "last_hop@5" or "p by cluster" in printed:
        return
    ranks = np.load(result / "heldout_ranks.npy")
    place = {row["trial"]: at for at, row in enumerate(rows)}
    hits = np.array([[row[row > 0][-1] <= 5 for row in trial] for trial in ranks])
    winner = hits[place[lock["winner"]["trial"]]]
    shown = True
    for name in dict.fromkeys(["dense", lock["best_single"]]):
        other = hits[place[lock["lists"][name]]]
        wins, losses = int((winner & ~other).sum()), int((other & ~winner).sum())
        if not shown:
            assert re.search(
                rf"{name}\S* .*not tested \([^)]*; {wins} won, {losses} lost\)", printed
            )
            return
        p = min(1.0, evaluation**2 * mcnemar([[0, wins], [losses, 0]], exact=True).pvalue)
        told = re.search(rf"{name}[^(]*\([^)]*; {wins} won, {losses} lost, p (\S+?)[;)]", printed)
        assert told, printed
        assert p < 0.001 if told[1] == "<.001" else float(told[1]) == pytest.approx(p, abs=6e-4)
        shown = p <= 0.05 and wins > losses


def test_the_names_of_the_lists_change_nothing(tmp_path: Path) -> None:
    """`aa` in place of `zz`: the same W, L, p of the winner against both lists."""
    found = []
    for number, names in enumerate((("dense", "aa", "b"), ("dense", "zz", "b"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_world(folder, names)
        result = swept(folder, names, f"pool.lists=[dense,{names[1]}]")
        heldout(folder)
        table = pd.read_parquet(result / "heldout_comparisons.parquet")
        lock = json.loads((result / "winner.lock.json").read_text())
        table = table[table["trial"] == lock["winner"]["trial"]]
        found.append(table[["wins", "losses", "p", "p_holm"]].to_numpy(float).tolist())
    np.testing.assert_allclose(*found)


def spoil(result: Path, change: Any) -> None:
    """Change the stored comparisons on tune."""
    table = pd.read_parquet(result / "comparisons.parquet")
    change(table)
    table.to_parquet(result / "comparisons.parquet")


def test_wrong_tables_are_found(cut: Path, tmp_path: Path) -> None:
    """W and L of a cut list in place of the whole one, a raw p in place of the corrected one, and a
    best list that is not the best.
    """
    shutil.copytree(cut, tmp_path, dirs_exist_ok=True)
    result = latest(tmp_path / "runs")
    assert list(second_opinion(result))
    kept = (result / "comparisons.parquet").read_bytes()

    def shift(table: pd.DataFrame) -> None:
        table["wins"] += 1

    def raw(table: pd.DataFrame) -> None:
        table["p_holm"] = table["p"]

    for change, said in ((shift, "wins"), (raw, "p_holm")):
        spoil(result, change)
        with pytest.raises(HarnessError, match=said):
            list(second_opinion(result))
        (result / "comparisons.parquet").write_bytes(kept)
    path = result / "winner.lock.json"
    lock = json.loads(path.read_text())
    cut = next(
        row["trial"]
        for row in json.loads(pd.read_parquet(result / "trials.parquet").to_json(orient="records"))
        if row["name"] == "graph cap=3"
    )
    for key, value in (("best_single", "dense"), ("lists", {**lock["lists"], "graph": cut})):
        path.write_text(json.dumps({**lock, key: value}))
        with pytest.raises(HarnessError, match="list"):
            list(second_opinion(result))


def test_a_drawn_p_of_no_difference_is_right_within_its_error() -> None:
    """Forty sums that are 0 together: every flip is as far from 0, so p is 1. SciPy draws flips,
    and gives twice the smaller of two shares near a half.
    """
    for seed in range(8):
        sums = np.random.default_rng(seed).normal(size=40)
        sums[-1] -= sums.sum()
        p, within = flipped_p(sums)
        assert p == pytest.approx(1, abs=within)
