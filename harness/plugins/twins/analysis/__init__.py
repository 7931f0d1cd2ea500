"""Links between gold passages, and what lists reach."""
