"""PhaseGraph: research fusers, the Ising reranker, mixed graphs, its experiments."""
