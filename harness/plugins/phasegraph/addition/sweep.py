"""Published tables and research fusers:

  harness sweep experiment=phasegraph            all published tables; `harness report` draws them
  harness sweep grid=tiers                       fusion, reranking and research fusers: 866 trials
`harness list experiment` has the others.
"""
