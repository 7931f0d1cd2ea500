"""How a graph is walked."""
