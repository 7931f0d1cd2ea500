"""The judgement of trials: rows, tests and corrections, edges of the grid, choice and forecast."""
