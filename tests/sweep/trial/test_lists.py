"""The retrievers of a configuration's lists."""

import pytest

from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.sweep.trial.lists import retrievers


@pytest.mark.parametrize("name", ["graph", "walks"])
def test_a_wrong_knob_is_said_under_the_name_that_its_list_has(name: str) -> None:
    given = [f"{'' if name == 'graph' else '+'}retriever@lists.{name}=ppr", f"lists.{name}.restart=2"]
    with pytest.raises(HarnessError, match=rf"^lists\.{name}\.restart must be in \(0, 1\], got restart=2"):
        retrievers(compose(overrides=given))
