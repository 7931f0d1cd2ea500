"""Values beyond the bounds of this plug-in's retrievers."""

from dataclasses import replace

import pytest

from harness.core.errors import HarnessError
from harness.plugins.walks.retriever.convergence import Convergence
from harness.plugins.walks.retriever.undirected import Undirected
from tests.plugins.walks.retriever.test_beam import MADE as BEAM
from tests.plugins.walks.retriever.test_convergence import PPR_
from tests.plugins.walks.retriever.test_linearrag import MADE as LINEAR
from tests.plugins.walks.retriever.test_title_activation import MADE as ACTIVATION

BEYOND = [
    (BEAM, {"width": 0, "length": 0, "focus": 0, "restart": 0.0, "parallel": -1}),
    (LINEAR, {"threshold": 1.5, "sentences": -1, "restart": 0.0, "link": 2.0}),
    (Convergence(PPR_), {"seeds": -1, "together": -0.1, "floor": 0.0}),
    (ACTIVATION, {"passages": 0, "decay": 1.5, "gate": "cosin", "direction": "up"}),
    (Undirected(), {"degree": -1}),
]


@pytest.mark.parametrize(("made", "fields"), BEYOND)
def test_a_value_beyond_its_bounds_is_named(made, fields):
    for field, bad in fields.items():
        with pytest.raises(HarnessError, match=rf"^lists\.NAME\..*{field}={bad}"):
            replace(made, **{field: bad})
