"""Those that read texts or seeds stand beside their models and worlds, in their own tests."""

from harness.core.configuration.conf_files import names
from harness.testing import PureConformance, RerankerConformance


class TestConfigurations(PureConformance):
    concept = "reranker"
    names = names("reranker")


class TestRerankers(RerankerConformance):
    names = ("none",)
