"""The retrievers of a configuration's lists."""

from types import SimpleNamespace
from typing import Any

import pytest

from harness.core.configuration import compose
from harness.core.errors import HarnessError
from harness.sweep.trial.lists import retrievers
from harness.sweep.trial.plan import Plan


@pytest.mark.parametrize("name", ["graph", "walks"])
def test_a_wrong_knob_is_said_under_the_name_that_its_list_has(name: str) -> None:
    given = [
        f"{'' if name == 'graph' else '+'}retriever@lists.{name}=ppr",
        f"lists.{name}.restart=2",
    ]
    with pytest.raises(HarnessError, match=rf"^lists\.{name}\.restart.*\(0, 1\], got restart=2"):
        retrievers(compose(overrides=given))


def test_what_needs_an_order_of_hops_is_left_out_or_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = ["objective=recall@5", "metrics=[last_hop@5,recall@5,last_hop@10]"]
    data: Any = SimpleNamespace(name="mine", ids_only=False)
    plan = Plan(compose("config", asked), ()).without_order(data, "tune")
    assert plan.metrics == ["recall@5"]
    assert (
        "mine: last_hop@5, last_hop@10 not measured, no tune question has a known order of hops"
        in caplog.text
    )
    with pytest.raises(
        HarnessError,
        match="objective=last_hop@5:",
    ):
        Plan(compose("config"), ()).without_order(data, "tune")
