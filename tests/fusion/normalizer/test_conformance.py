from harness.core.configuration.conf_files import names, strategy
from harness.testing import NormalizerConformance


class TestNormalizers(NormalizerConformance):
    names = names("normalizer")


BEYOND = [name for name in names("normalizer") if not strategy("normalizer", name).unit]


def test_values_beyond_0_to_1_are_declared() -> None:
    assert {"none", "zscore"} <= {*BEYOND}
    assert not {"max", "minmax", "pit", "rank", "tmm"} & {*BEYOND}
