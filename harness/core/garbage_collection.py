"""How often Python's garbage collector looks for cycles.

Measured (median CPU seconds with the default and with this setting): `harness evaluate` on 1,000 queries x 200
documents 1.46 and 1.13, a warm `harness sweep` of sample 4.42 and 3.33.
"""

from __future__ import annotations

import atexit
import gc

OBJECTS = 100_000
"""How many more objects there must be before the collector looks at them; Python's own number is 700."""


def collect_rarely() -> None:
    """Let the collector run rarely, and not at all when the process ends.

    The modules of a command make hundreds of thousands of objects that live as long as the process; the collector would
    look through them many times. Reference counting is unaffected: arrays and tensors are freed as before.
    """
    gc.set_threshold(OBJECTS, 20, 100)
    atexit.register(gc.freeze)
