"""Those that need a file, a server, another retriever or triples are tested in their own files."""

from harness.core.configuration.conf_files import names
from harness.testing import RetrieverConformance

ELSEWHERE = {"dice", "fitted", "hipporag", "part", "postgres", "trec"}


class TestRetrievers(RetrieverConformance):
    names = sorted(set(names("retriever")) - ELSEWHERE)
