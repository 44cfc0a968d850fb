"""The order of the passes: each has a reason, and the references of a file are those of its draft."""

import pytest

from tf2jax_port.rewrite.passes import PASSES


@pytest.mark.parametrize("each", PASSES, ids=[each.run.__name__ for each in PASSES])
def test_each_pass_says_why_it_stands_where_it_stands(each):
    assert each.reason.startswith(("first: ", "last: ", "before ", "after "))


def test_a_pass_stands_once():
    assert len({each.run for each in PASSES}) == len(PASSES)
