"""Statistics of a graph counted by hand."""

import json

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
        "  entity degrees: 0 1, 1 0, 2-3 3",
        "  isolated entities: 0.25",
        "  isolated passages: 0.5",
        "  components: 3",
        "  largest component: 0.666667",
    ]


def test_degrees_are_counted_in_powers_of_two() -> None:
    """A star: its middle has degree 9, the nine others 1; two stand alone."""
    star = np.zeros((12, 12))
    star[0, 1:10] = star[1:10, 0] = 1
    nothing = sp.csr_array((12, 1))
    network = Network(
        [str(n) for n in range(12)], nothing, {}, sp.csr_array(star), sp.csr_array((12, 12))
    )
    facts = json.loads(json.dumps(network.facts(), sort_keys=True))
    assert facts["entity_degrees"] == {"0": 2, "1": 9, "2-3": 0, "4-7": 0, "8-15": 1}
    assert "  entity degrees: 0 2, 1 9, 2-3 0, 4-7 0, 8-15 1" in describe_network(facts)
    far = {"16-31": 1, "2-3": 2, "128-255": 3}
    assert describe_network({"degrees": far}) == ["  degrees: 2-3 2, 16-31 1, 128-255 3"]
