"""The folder of a sweep: writing, reading, finding, checking and packing it."""
