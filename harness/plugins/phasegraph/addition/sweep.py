"""Published tables and research fusers:

  harness sweep experiment=phasegraph_main       a published table; `harness report` draws it
  harness sweep grid=tiers                       fusion, reranking and research fusers: 866 trials
`harness list experiment` has the others.
"""
