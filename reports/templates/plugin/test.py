"""`harness NAME` as it is typed, by hand."""

from tests.conftest import Command


def test_it_says_what_is_asked_for(command: Command) -> None:
    assert command("NAME", "word=graph", "times=2") == (0, "graph graph\n", "")


def test_a_mistake_is_one_line(command: Command) -> None:
    assert command("NAME", "times=0") == (2, "", "error: times must be in [1, inf), got times=0\n")
