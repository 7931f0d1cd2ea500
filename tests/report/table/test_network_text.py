"""Statistics of a graph counted by hand."""

import numpy as np
import scipy.sparse as sp

from harness.graph import Network
from harness.report.table.network_text import describe_network


def test_a_graph_of_four_entities_and_two_passages() -> None:
    """a - b related, b - c alike; a titles p0, which names b and c; d and p1 stand alone."""
    about, named = np.zeros((2, 4, 2))
    about[0, 0] = 1
    named[1, 0], named[2, 0] = 3, 1
    relation, synonym = np.zeros((2, 4, 4))
    relation[0, 1] = relation[1, 0] = 2
    synonym[1, 2] = synonym[2, 1] = 0.9
    array = sp.csr_array
    network = Network(
        list("abcd"), array(about), {"title": array(named)}, array(relation), array(synonym)
    )
    assert describe_network(network.facts()) == [
        "  entities: 4",
        "  passages: 2",
        "  edges: about 1, context-title 2, relation 1, synonym 1",
        "  entity degree: mean 1.75, median 2.0, p90 2.7, max 3.0",
        "  passage degree: mean 1.5, median 1.5, p90 2.7, max 3.0",
        "  isolated entities: 0.25",
        "  isolated passages: 0.5",
        "  components: 3",
        "  largest component: 0.666667",
    ]
