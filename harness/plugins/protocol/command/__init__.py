"""The command `harness calibrate`."""
