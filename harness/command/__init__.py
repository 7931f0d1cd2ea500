"""The commands, a module each: its docstring is the help, ``run(config)`` does it."""
