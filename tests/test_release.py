"""What a release is made of says the same everywhere: version, licences, workflows, issue
templates.
"""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import yaml

from harness.command.doctor import as_json
from tests import process

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_one_version_everywhere() -> None:
    released = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\]",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["version"] == released[0] == str(citation["version"])
    assert PROJECT["license"] == citation["license"]


def test_every_pinned_library_has_its_licence_listed() -> None:
    spec = importlib.util.spec_from_file_location(
        "licences", ROOT / "reports" / "docs" / "licences.py"
    )
    assert spec is not None
    assert spec.loader is not None
    licences = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(licences)
    listed = re.findall(
        r"^\| (\S+) \| (\S+) \| .+ \|$", (ROOT / "THIRD_PARTY.md").read_text("utf-8"), re.MULTILINE
    )
    assert listed == [("library", "version"), *licences.pinned()]
    assert licences.licence("numpy").startswith("BSD-3-Clause")


def test_workflows_run_commands_that_are_there() -> None:
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        assert all(("uses" in step) != ("run" in step) for step in steps)
        for target in re.findall(
            r"\bmake ([\w-]+)", " ".join(step.get("run", "") for step in steps)
        ):
            assert f"\n{target}:" in made
    release = yaml.safe_load(
        (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    )
    assert release["jobs"]["publish"]["permissions"] == {
        "id-token": "write"
    }  # trusted publishing, no token
    uploads = [
        step["with"]["path"]
        for step in release["jobs"]["build"]["steps"]
        if "upload-artifact" in step.get("uses", "")
    ]
    assert uploads == ["dist/"]


def test_the_image_has_what_the_wheel_is_built_of() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"][
        "build"
    ]["targets"]["wheel"]
    for folder in [
        *wheel["packages"],
        *wheel["force-include"],
        PROJECT["readme"],
        *PROJECT["license-files"],
    ]:
        assert re.search(rf"^COPY .*\b{re.escape(folder)}\b", text, re.MULTILINE), folder


def test_a_bug_report_has_the_facts_of_doctor(tmp_path: Path) -> None:
    assert as_json(
        ["data       a: found", "data       b: not", "python     3.11", "libraries  x 1, y 2"]
    ) == {"libraries": {"x": "1", "y": "2"}, "data": ["a: found", "b: not"], "python": "3.11"}
    (tmp_path / "sweeps" / "half").mkdir(parents=True)
    done = process.harness(
        "doctor", "--json", f"paths.runs={tmp_path}", "tracking=none", cwd=tmp_path
    )
    found = json.loads(done.stdout)  # also where a sweep is damaged and the status is 2
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert found["DAMAGED"]
    assert found["libraries"]["numpy"]
    assert {"harness", "python", "devices", "tools"} <= found.keys()
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("[bn]*.yml"):
        assert "harness doctor --json" in path.read_text(encoding="utf-8")


def test_an_entry_of_the_changelog_is_one_line() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line.startswith("- ")]
    assert [line for line in lines if line.startswith("  ")] == []
    assert [line for line in entries if len(line) > 160] == []
    for release in "\n".join(lines).split("\n## [")[1:]:
        assert release.count("\n- ") <= 40, release[:5]
