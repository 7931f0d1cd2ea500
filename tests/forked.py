"""Importing it does what each command that is forked from this process (see ``tests.warm``) would
do by itself.
"""

import gc
import importlib
import pkgutil

from numba.core.registry import cpu_target

import harness

for found in pkgutil.walk_packages(harness.__path__, "harness."):
    importlib.import_module(found.name)
cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
gc.freeze()
