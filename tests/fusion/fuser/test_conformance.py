from harness.core.configuration import names
from harness.testing import FuserConformance


class TestFusers(FuserConformance):
    names = names("fuser")
    anchored = ("single", "rrf_anchored")
