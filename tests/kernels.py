"""Importing it reads numba's registries, which every process does at its first kernel: a third of a short command."""

from numba.core.registry import cpu_target

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
