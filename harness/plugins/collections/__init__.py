"""Other people's benchmarks: collections of ir_datasets, data sets of the Hub in BEIR's form, NQ
and PopQA.
"""
