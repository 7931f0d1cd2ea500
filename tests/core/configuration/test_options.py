"""The keys of a command, read from its file in conf/: names, defaults, comments."""

from pathlib import Path

import pytest

from harness.__main__ import commands
from harness.core.configuration import extensions
from harness.core.configuration.options import options
from harness.core.configuration.yaml_files import read_conf

OWN = """# Mine.
defaults:
  - paths: default
  - optional fuser: rrf
  - _self_

run: ???           # a path
metrics: [recall,
          mrr]     # of a table: a#b,
                   # or more
silent: 1
gate:
  kind: null       # better
card:              # of it
  team: "a # b"    # whose
  deep: {a: 1}
"""


def test_a_key_has_its_default_and_the_comment_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text(OWN)
    monkeypatch.setattr(extensions, "SEARCHED", [tmp_path])
    found = {one.key: (one.default, one.text) for one in options("mine")}
    assert found.pop("paths.KEY")[1].startswith("Everything that is written and read")
    assert found == {
        "fuser": ("rrf", "names: harness list fuser"),
        "run": ("", "a path"),
        "metrics": ("[recall, mrr]", "of a table: a#b, or more"),
        "gate.kind": ("null", "better"),
        "card": ("", "of it"),
        "card.team": ('"a # b"', "whose"),
    }


@pytest.mark.plugin("protocol")
def test_what_a_command_begins_with_is_its_own_too_and_the_last_default_holds() -> None:
    found = {one.key: one.default for one in options("calibrate")}
    assert (found["pool.cap"], found["tracking"], found["calibrate.n"]) == ("null", "none", "500")


DATA = {"answer": ["published"], "doctor": ["weights"]}
"""By command: sections of its file that hold what it knows; nobody types them."""


@pytest.mark.parametrize("name", ["config", *commands()])
def test_every_key_says_what_it_is(name: str) -> None:
    path = extensions.primary(name)
    keys = read_conf(path).keys() - {"defaults", *DATA.get(name, ())} if path else set()
    told = {one.key.partition(".")[0] for one in options(name)} if path else set()
    assert not keys - told
