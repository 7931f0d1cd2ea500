"""Knowledge-graph triples and their Dice-Sorensen similarity."""
