"""What gold ranks do not show (PolicyRAG, section 4.3): whether the best passages hold the answer and the chain of
entities, what a gate rejects, and whether a list stands when the question is put otherwise.
"""
