"""A sweep's folder: what is stored, read, found, checked, packed and counted."""
