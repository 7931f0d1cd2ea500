"""The garbage collector's share of a command's time."""

from __future__ import annotations

import atexit
import gc

OBJECTS = 100_000
"""How many more objects there must be before the collector looks at them; Python's own number is 700."""


def seldom() -> None:
    """Let the collector run rarely, and not at all when the process ends.

    Modules make hundreds of thousands of objects that live as long as the process. Looking through them again and again
    while they are imported, and once more at the end, takes a third of the time of a short command. What no cycle holds
    (arrays, tensors) is freed at once as ever.
    """
    gc.set_threshold(OBJECTS, 20, 100)
    atexit.register(gc.freeze)
