"""Tables of a sweep, a function for each."""
