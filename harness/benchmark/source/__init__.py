"""Where benchmarks come from and what they are made of: files, cards, hubs, locks, records to a corpus and gold."""
