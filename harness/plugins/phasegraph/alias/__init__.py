"""Rules that merge names of an entity graph."""
