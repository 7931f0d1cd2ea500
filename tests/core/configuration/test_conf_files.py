"""What `harness list` says of each file of conf/."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.core.configuration import extensions
from harness.core.configuration.conf_files import concepts, described
from harness.evaluation.metric.measure import described_metrics


def test_no_description_ends_within_a_sentence() -> None:
    """The others say what to type, or are names of ranx."""
    said = {name: text for concept in concepts() for name, text in described(concept).items()}
    said |= described_metrics()
    broken = {name: text for name, text in said.items() if not text.endswith((".", ")"))}
    commands = ("=", "gold.jsonl", " in ranx")
    unfinished = [name for name, text in broken.items() if not any(one in text for one in commands)]
    assert {*unfinished} <= {"mention_paths"}  # weights of a plug-in


def test_the_first_sentence_of_a_comment_describes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions, "SEARCHED", [tmp_path])
    (tmp_path / "fuser").mkdir()
    text = "# One sentence, e.g. this,\n# of two lines. Another one.\n#   harness sweep\nk: 1\n"
    (tmp_path / "fuser" / "mine.yaml").write_text(text)
    assert described("fuser")["mine"] == "One sentence, e.g. this, of two lines."
