"""Those that need a file, another retriever or triples are tested in their own files."""

from harness.core.configuration import names
from harness.testing import RetrieverConformance

ELSEWHERE = {"dice", "fitted", "hipporag", "part", "trec"}


class TestRetrievers(RetrieverConformance):
    names = sorted(set(names("retriever")) - ELSEWHERE)
