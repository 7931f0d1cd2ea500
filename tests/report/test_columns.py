"""One rule for columns: a metric of the configuration is shown wherever trials are."""

from __future__ import annotations

import os
from pathlib import Path

from tests.warm import harness


def test_a_metric_that_is_configured_is_shown_everywhere(overrides: list[str], tmp_path: Path) -> None:
    """Terminal, CSV, LaTeX, site and MLflow, on tune and test; GraphWin and GraphLoss where W and L are others."""
    own = [one for one in overrides if one != "tracking=none"]
    metrics = "metrics=[full_sup@5,recall@5,mrr,any_sup@7]"
    done = harness("sweep", *own, metrics, "objective=full_sup@5", "grid=point", "fuser=rrf", cwd=tmp_path, check=True)
    shown = done.stdout
    shown += harness("heldout", cwd=tmp_path, check=True).stdout
    assert shown.count("any_sup@7") == shown.count("mrr") == 2
    assert shown.count("GraphWin") == 2
    nowhere = {**os.environ, "PATH": ""}  # no LaTeX: tables alone
    harness("report", cwd=tmp_path, env=nowhere, check=True, drawn=False)
    for name in ("heldout", "leaderboard"):
        head = (tmp_path / "reports" / "tables" / f"{name}.csv").read_text().splitlines()[0]
        assert {"full_sup@5", "any_sup@7", "mrr", "GraphWin", "GraphLoss", "W", "L", "p"} <= set(head.split(","))
        tables = (tmp_path / "reports" / "tables").glob(f"{name}*.tex")
        assert [path.stem for path in tables if "AnySup@7" in path.read_text()] == [f"{name}_metrics"]
    (site,) = (tmp_path / "reports" / "site" / "data").glob("*/sweep.js")
    assert site.read_text().count("AnySup@7") >= 2

    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path}/runs/mlflow.db")
    runs = client.search_runs(["1"], "tags.kind = 'trial'")
    assert {run.data.tags["split"] for run in runs} == {"tune", "test"}
    fused = [run for run in runs if run.data.params["strategy"] == "rrf"]
    assert all({"any_sup_at_7", "graph_win", "graph_loss"} <= run.data.metrics.keys() for run in fused)
    views = [value for key, value in client.get_experiment("1").tags.items() if key.startswith("mlflow.sharedView")]
    assert len(views) == 2
    assert all("metrics.`any_sup_at_7`" in value for value in views)
