"""The hash of this project's sources, computed once for all commands that are forked (see
``tests.warm``).
"""

from harness.core.identity import code_version

code_version()
