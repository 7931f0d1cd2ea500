"""What this plug-in adds to ``harness`` in Python."""
