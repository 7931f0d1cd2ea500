import pytest

from harness.core.configuration.conf_files import names, strategy
from harness.core.errors import HarnessError
from harness.fusion.fuse import check
from harness.testing import NormalizerConformance


class TestNormalizers(NormalizerConformance):
    names = names("normalizer")


BEYOND = [name for name in names("normalizer") if not strategy("normalizer", name).unit]


def test_values_beyond_0_to_1_are_declared() -> None:
    assert {"none", "zscore"} <= {*BEYOND}
    assert not {"max", "minmax", "pit", "rank", "tmm"} & {*BEYOND}


@pytest.mark.parametrize("name", sorted({*names("normalizer")} - {*BEYOND}))
def test_values_in_0_to_1_are_energies(name: str) -> None:
    check(strategy("fuser", "boltzmann"), strategy("normalizer", name))


@pytest.mark.parametrize("name", BEYOND)
def test_others_are_refused(name: str) -> None:
    with pytest.raises(HarnessError, match=rf"fuser=boltzmann.*\[0, 1\], normalizer={name}"):
        check(strategy("fuser", "boltzmann"), strategy("normalizer", name))
