"""Published datasets are tested where their files are: test_published.py on small ones,
test_real.py on whole ones.
"""

from harness.testing import DatasetConformance


class TestSample(DatasetConformance):
    names = ("sample",)
