"""What commands print: the table, the sentences below it, and what `harness watch` shows."""
