"""Retrieval policies (PolicyRAG): what is sought, kept, walked, projected and added, a section each.

A policy is data: ``conf/policy/<name>.yaml`` fills the sections ``seed``, ``gate``, ``traverse``, ``project`` and
``rerank`` of ``harness.retriever.policy.policy.Policy``; ``harness.retriever.policyrag`` runs it over a typed memory.
"""
