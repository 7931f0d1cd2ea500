"""The command `harness fit`."""
