"""What the site's files hold: every sweep or the reason why not, test only after a held-out run, no
code from data.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from omegaconf import DictConfig, OmegaConf

from harness.benchmark import md5_split
from harness.core.concepts import PLUGINS
from harness.plugins.site.pages.chunk import json_value, packed, packed_ranks, packed_scores
from harness.plugins.site.pages.site_files import build
from harness.sweep.folder.result import SweepResult
from tests.plugins.site.conftest import results_of

ASSETS = PLUGINS / "site" / "templates"


def read(path: Path) -> Any:
    """The content of a chunk, as its script hands it to the page."""
    found = re.fullmatch(r'put\("[\w/-]+",(".*")\);\n', path.read_text(encoding="utf-8"))
    assert found is not None
    return json.loads(json.loads(found[1]))


def unpack(stored: dict[str, Any]) -> np.ndarray:
    import base64

    return np.frombuffer(
        base64.b64decode(stored["data"]), {1: "u1", 2: "<u2", 4: "<u4"}[stored["bytes"]]
    )


def hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of every script and chunk."""
    files = sorted(folder.rglob("*.js"))
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_every_sweep_is_a_line(site: SimpleNamespace) -> None:
    index = read(site.folder / "data" / "index.js")
    assert len(index["sweeps"]["rows"]) == len(index["sweeps"]["places"]) == 2


def test_scores_and_ranks_are_those_of_the_sweep(site: SimpleNamespace) -> None:
    result = SweepResult(site.held)
    for view in (result.whole, result.test):
        assert view is not None
        place = site.folder / "data" / site.held.name
        content = read(place / f"{view.split}.js")
        levels = np.array(content["scores"]["levels"])
        assert (levels[unpack(content["scores"])].reshape(view.scores.shape) == view.scores).all()
        stored = read(place / f"{view.split}-ranks.js")
        known = unpack(stored).astype(np.int64)
        known[known == stored["none"]] = -1
        known[known == stored["absent"]] = 2**31 - 1
        assert (known.reshape(view.ranks.shape) == view.ranks).all()


def test_test_questions_are_there_only_after_a_held_out_run(
    site: SimpleNamespace, settings: DictConfig
) -> None:
    with_test = {path.parent.name for path in site.folder.glob("data/*/test*.js")}
    assert with_test == {site.held.name}
    other = next(
        path for path in site.folder.glob("data/*/tune.js") if path.parent.name != site.held.name
    )
    ids = {
        name
        for path in other.parent.glob("*.js")
        for name in re.findall(r"\bq\d+\b", path.read_text())
    }
    assert ids
    assert {md5_split(name) for name in ids} == {"tune"}


@pytest.mark.usefixtures("undrawn")
def test_the_same_bytes_again(site: SimpleNamespace, settings: DictConfig, tmp_path: Path) -> None:
    """Files that are gone come back, and one of a sweep that is no more goes."""
    again = Path(shutil.copytree(site.folder, tmp_path / "site"))
    for path in again.rglob("*.js"):
        path.unlink()
    (again / "data" / "old").mkdir()
    (again / "data" / "old" / "sweep.js").write_text("of a sweep that is no more")
    build(settings, again, results_of(settings))
    assert hashes(again) == hashes(site.folder)


@pytest.mark.usefixtures("undrawn")
def test_without_the_data_it_says_so(example: Any, settings: DictConfig, tmp_path: Path) -> None:
    example.write(tmp_path / "runs" / "sweeps" / "s1")
    alone = OmegaConf.merge(settings, {"paths": {"runs": str(tmp_path / "runs")}})
    build(alone, tmp_path / "site", results_of(alone))
    content = read(tmp_path / "site" / "data" / "s1" / "tune.js")
    assert content["questions"] is None
    assert content["why"].startswith("Questions and passages are not shown: ")
    assert content["ids"] == [f"q{number}" for number in range(8)]
    assert not list((tmp_path / "site" / "data" / "s1").glob("passages-*"))
    sweep = read(tmp_path / "site" / "data" / "s1" / "sweep.js")
    assert [each["name"] for each in sweep["splits"]] == ["tune", "test"]
    files = [tmp_path / "site" / picture["file"] for picture in sweep["pictures"]]
    assert len(files) > 2
    assert all(file.is_file() for file in files)


@pytest.mark.usefixtures("undrawn")
def test_a_sweep_given_from_elsewhere_with_the_name_of_another(
    example: Any, settings: DictConfig, tmp_path: Path
) -> None:
    example.write(tmp_path / "runs" / "sweeps" / "s1")
    given = example.write(tmp_path / "mine" / "s1")
    alone = OmegaConf.merge(settings, {"paths": {"runs": str(tmp_path / "runs")}})
    build(alone, tmp_path / "site", [*results_of(alone), given])
    index = read(tmp_path / "site" / "data" / "index.js")
    assert {place[0] for place in index["sweeps"]["places"]} == {"s1", "s1-2"}


WAYS = (
    *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("),
    *("javascript:", "http:", "https:", "fetch(", "import("),
)


def test_the_scripts_have_no_way_for_code_and_none_to_the_network() -> None:
    for path in ASSETS.glob("*.js"):
        text = path.read_text().replace('"http://www.w3.org/2000/svg"', "")
        text = text.replace("where fetch() does not", "")
        assert not [way for way in WAYS if way in text], path


def test_the_page_allows_its_own_files_alone() -> None:
    page = (ASSETS / "index.html").read_text()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri "
        "'none'; form-action 'none'"
    )
    named = re.findall(r'(?:src|href)="([^"#]+)"', page)
    others = {path.name for path in ASSETS.iterdir()} - {"index.html"}
    assert sorted(named) == sorted(others | {"page.css"})


def test_numbers_take_the_fewest_bytes() -> None:
    for largest, size in ((255, 1), (256, 2), (65535, 2), (65536, 4)):
        assert packed(np.array([0, largest]), largest)["bytes"] == size
    stored = packed_ranks(np.array([[[1, -1], [2**31 - 1, 7]]], dtype=np.int32))
    assert (stored["absent"], stored["none"]) == (8, 9)
    assert unpack(stored).tolist() == [1, 9, 8, 7]
    scored = packed_scores(np.array([[0.5, 0.0], [1.0, 0.5]]))
    assert (scored["levels"], unpack(scored).tolist()) == ([0.0, 0.5, 1.0], [1, 0, 2, 1])


def test_text_and_numbers_as_json_holds_them() -> None:
    hostile = {"a\u202eb\x1b[2J": [float("nan"), np.int64(3), ("\u2028x", True, None)]}
    assert json_value(hostile) == {"ab[2J": [None, 3, [" x", True, None]]}


@pytest.mark.usefixtures("undrawn")
def test_a_folder_that_travelled_shows_what_it_holds(
    site: SimpleNamespace, settings: DictConfig, tmp_path: Path
) -> None:
    """Without its artifacts there are questions and passages, and a reason for lists and traces."""
    shutil.copytree(site.held, tmp_path / "runs" / "sweeps" / "moved")
    alone = OmegaConf.merge(settings, {"paths": {"runs": str(tmp_path / "runs")}})
    build(alone, tmp_path / "site", results_of(alone))
    content = read(tmp_path / "site" / "data" / "moved" / "tune.js")
    assert content["questions"]
    assert "Lists and traces are not shown: its lists are not at hand" in content["why"]
    told = read(tmp_path / "site" / "data" / "moved" / "tune-0.js")[0]
    assert told.keys() == {"answers", "gold"}
