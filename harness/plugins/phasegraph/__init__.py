"""PhaseGraph: research fusers, the Ising reranker, and the experiments of its tables."""
