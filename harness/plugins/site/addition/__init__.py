"""What this plug-in adds to commands of the core."""
