"""What a command prints as the next thing to type is typed in a bare shell, as after `make sweep`."""

import re
import subprocess
from pathlib import Path

import pytest

from harness.core.configuration.extras import program
from tests.conftest import Command


@pytest.mark.slow
def test_each_next_line_works_without_an_active_environment(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
    monkeypatch.setenv("PATH", bare["PATH"])
    monkeypatch.chdir(tmp_path)
    lists = f"lists={{dense: {bench / 'dense.trec'}, graph: {bench / 'graph.trec'}}}"
    lines = [
        f"{program('harness')} sweep '{lists}' gold={bench / 'queries.jsonl'} grid=point tracking=none"
    ]
    for line in lines:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=bare, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"
        lines += re.findall(r"^next: (.*?) +#", done.stdout, re.M)
    assert [line.split()[1] for line in lines] == ["sweep", "heldout", "report"]
    assert (tmp_path / "reports" / "tables" / "main.tex").is_file()


def test_after_an_evaluation_of_test_a_sweep_advises_no_other(
    bench: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`heldout` would be refused, since the questions are the same."""
    monkeypatch.chdir(tmp_path)
    lists = f"lists={{dense: {bench / 'dense.trec'}, graph: {bench / 'graph.trec'}}}"
    typed = ("sweep", lists, f"gold={bench / 'queries.jsonl'}", "grid=point", "tracking=none")
    status, said, _ = command(*typed)
    assert (status, "next: " in said) == (0, True)
    assert command("heldout")[0] == 0
    status, said, _ = command(*typed, "fuser=rrf", "fuser.k=7")
    assert status == 0
    assert "\nnext: " not in said
    assert said.splitlines()[-2].startswith("test was evaluated already (evaluation 1): ")
