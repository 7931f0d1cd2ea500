"""Tables of what is typed and what it prints, a case a line."""

import shlex


def cases(text: str) -> list[tuple[list[str], ...]]:
    """Return the arguments, as a shell splits them, and the texts behind ``->`` of each line."""
    rows = (line.split(" -> ") for line in text.strip().splitlines())
    return [(shlex.split(first), *others) for first, *others in rows]  # type: ignore[misc]
