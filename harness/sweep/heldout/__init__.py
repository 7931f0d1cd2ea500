"""The single evaluation on test: the scores of the locked trials, and the ledger."""
