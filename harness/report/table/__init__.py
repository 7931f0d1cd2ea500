"""Tables of a sweep, a function each, from its rows."""
