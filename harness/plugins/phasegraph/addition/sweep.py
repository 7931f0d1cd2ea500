"""The tables and the fusers of PhaseGraph:

  harness sweep experiment=phasegraph_main       a published table; `harness report` draws it
  harness sweep grid=tiers                       fusion, reranking and research fusers: 866 trials

`harness list experiment` has the others.
"""
