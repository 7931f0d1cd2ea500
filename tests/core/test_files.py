"""Files that would end the process are refused."""

from pathlib import Path

import pytest
import yaml

from harness.core.files import read_yaml


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 100_000, "{a: " * 100_000, "[" * 101 + "]" * 101])
def test_yaml_that_nests_without_end_is_refused_before_it_ends_the_process(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(text)
    with pytest.raises((ValueError, yaml.YAMLError)):
        read_yaml(path)
    path.write_text("[" * 100 + "]" * 100)
    assert read_yaml(path)
