"""Helps fit into 80 columns; examples stay lines that can be typed."""

from harness.core.table import fold


def test_paragraphs_are_filled_and_explanations_of_long_examples_go_below() -> None:
    text = f"{'word ' * 30}\n\n  harness a     short\n  {'x' * 70}     {'then ' * 20}"
    first, second, *example = fold(text).splitlines()[:2] + fold(text).splitlines()[3:]
    assert (first, second) == (" ".join(["word"] * 16), " ".join(["word"] * 14))
    assert example[:2] == ["  harness a     short", f"  {'x' * 70}"]
    assert example[2].startswith("      then then")
