"""What the tests remember of files changes nothing of what Hydra composes."""

from pathlib import Path

from tests import process


def test_another_process_composes_the_same(tmp_path: Path) -> None:
    line = ["sweep", "fuser=linear", "dataset=musique", "lists.bm25.depth=7", "--cfg", "job"]
    alone = process.python("-m", "harness", *line, cwd=tmp_path, check=True)
    assert process.harness(*line, cwd=tmp_path).stdout == alone.stdout


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "fuser" / "mine.yaml"
    path.parent.mkdir()
    for k in (7, 11):
        path.write_text(f"_target_: harness.fusion.fuser.rrf.RRF\nk: {k}\n")
        line = ("sweep", "fuser=mine", f"--config-dir={tmp_path}", "--cfg", "job")
        assert f"\n  k: {k}\n" in process.harness(*line, check=True).stdout
