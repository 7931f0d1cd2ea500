"""Run a command; its last line of output is a list of the package's files whose functions it calls.

Calls that a module makes while it is imported do not count.
"""

import json
import sys
import threading
from pathlib import Path
from types import FrameType

import harness
from harness.__main__ import main

PACKAGE = f"{Path(harness.__file__).parent}/"
FUNCTION = 1  # a flag of a function's code, which a class body lacks
IMPORT = "<frozen importlib._bootstrap>"
entered: dict[str, None] = {}


def note(frame: FrameType, event: str, argument: object) -> None:
    name = frame.f_code.co_filename
    if event != "call" or not name.startswith(PACKAGE) or not frame.f_code.co_flags & FUNCTION:
        return
    if name.removeprefix(PACKAGE) in entered:
        return
    above: FrameType | None = frame
    while above is not None and above.f_code.co_filename != IMPORT:
        above = above.f_back
    if above is None:
        entered[name.removeprefix(PACKAGE)] = None


threading.setprofile(note)
sys.setprofile(note)
main()
sys.setprofile(None)
print(json.dumps(list(entered)))
