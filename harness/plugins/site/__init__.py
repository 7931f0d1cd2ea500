"""A site of all sweeps for a browser, and traces that explain the ranks of one question."""
