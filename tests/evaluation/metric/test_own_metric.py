"""A metric of a package that is not in this tree: a function and a file, as the page on extending shows them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pandas as pd

from tests import warm

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "reports" / "docs" / "pages" / "extending.md").read_text(encoding="utf-8").partition("## A metric")[2]


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", PAGE, re.S)
    assert found is not None
    return found[1]


def test_it_is_swept_shown_and_explained(overrides: list[str], tmp_path: Path) -> None:
    conf = tmp_path / "my_harness" / "conf" / "metric"
    conf.mkdir(parents=True)
    (conf / "first_hop.yaml").write_text(block("yaml"))
    (tmp_path / "my_harness" / "measures.py").write_text(block("python"))
    typed = ["sweep", *overrides, "grid=point", "metrics=[first_hop@5,ndcg@7]", "--config-dir=my_harness/conf"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return warm.harness(*typed, *more, cwd=tmp_path, env={**os.environ, "PYTHONPATH": "."})

    done = run("objective=first_hop@5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[2].split()[:4] == ["rank", "strategy", "first_hop@5", "ndcg@7"]
    trials = pd.read_parquet(Path(done.stdout.splitlines()[-1]) / "trials.parquet")
    assert trials["first_hop@5"].between(0.01, 0.99).any()
    misspelt = run("objective=frst_hop@5")
    assert misspelt.returncode == 2
    assert "metric frst_hop@5 is not known (did you mean first_hop?)" in misspelt.stderr
    listed = warm.harness(
        "list", "metric", "--config-dir=my_harness/conf", cwd=tmp_path, env={**os.environ, "PYTHONPATH": "."}
    )
    assert "first_hop" in listed.stdout, listed.stderr
