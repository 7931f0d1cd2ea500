"""`harness calibrate` as it is typed: what an experiment sweeps is what is judged."""

import json
from pathlib import Path

from tests.conftest import Command


def test_an_experiments_own_grid_is_learned_again(
    command: Command, bench: Path, overrides: list[str], tmp_path: Path
) -> None:
    """The eight fusers of *many lists* that learn, over its lists: none of the default grid does."""
    others = [f"lists.walk={bench / 'graph'}.trec", f"lists.paths={bench / 'bm25'}.trec"]
    given = ["experiment=many_lists", *overrides, *others, "calibrate.refits=1"]
    status, said, err = command("calibrate", "refits", *given, f"paths.reports={tmp_path}")
    assert status == 0, err
    found = json.loads((tmp_path / "runs" / "calibrations" / "tiny-refits.json").read_text())["refits"]
    assert [one["name"].split()[0] for one in found] == ["boosted", *["learned"] * 7]
    assert sum("dense+bm25+graph+walk+paths" in one["name"] for one in found) == 7
    assert all(one["name"] in said and len(one["scores"]) == 1 for one in found)
