"""Campaigns that try to break the harness: `make measure JOB=soak`. Minutes, bounded, and no part of `make
test`.
"""
