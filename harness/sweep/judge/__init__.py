"""The judgement of trials: rows, tests and corrections, what lies at an edge, the choice and what it lets expect."""
