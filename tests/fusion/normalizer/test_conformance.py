from harness.core.configuration import names
from harness.testing import NormalizerConformance


class TestNormalizers(NormalizerConformance):
    names = names("normalizer")
