"""PolicyRAG: policies of seeds, gates, walks and reranking over a graph of facts."""

NEEDS = ("llm", "mentions")
