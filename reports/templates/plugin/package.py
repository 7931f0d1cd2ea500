"""The commands of NAME."""
