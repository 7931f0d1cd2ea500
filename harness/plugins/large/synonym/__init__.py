"""How names are compared."""
