"""The command `harness answer`."""
