"""`harness calibrate` as it is typed: what an experiment sweeps is what is judged."""

from pathlib import Path

from harness.benchmark import md5_split
from tests.conftest import Command
from tests.world.folder import write_benchmark


def test_the_largest_cluster_that_a_forecast_names_is_that_of_tune(
    command: Command, tmp_path: Path
) -> None:
    """Four questions of tune and sixteen of test are answered by one passage."""
    names = [str(number) for number in range(200)]
    tune = [name for name in names if md5_split(name) == "tune"]
    test = [name for name in names if md5_split(name) == "test"]
    shared = {*tune[:4], *test[:16]}
    asked = [*tune[:24], *test[:24]]
    corpus = [
        {"id": f"p{name}", "title": f"Title {name}", "text": f"Text of {name}."}
        for name in [*asked, "x"]
    ]
    queries = [
        {
            "id": name,
            "question": f"What is {name}?",
            "supporting_ids": ["px" if name in shared else f"p{name}"],
        }
        for name in asked
    ]
    write_benchmark(tmp_path / "own", corpus, queries)
    status, said, err = command(
        "calibrate",
        "forecast",
        "dataset=folder",
        f"dataset.path={tmp_path}/own",
        "encoder=hashed",
        "grid=point",
        "extractor.model=null",
        "calibrate.splits=2",
        f"paths.runs={tmp_path}/runs",
    )
    assert status == 0, err
    assert "One cluster holds 16.7% of tune's questions" in said  # 4 of 24, where all have 20 of 48
