"""PhaseGraph: research fusers, Ising and MMR rerankers, mixed graphs, aliases, and the experiments
of its tables.
"""
