"""How a message is compared whole: its lines, with the place in this repository left open."""

import re

import pytest


def rendered(call, error):
    """The text of what `call` raises, without the lines of this repository and JAX's footer."""
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    text = str(caught.value).partition("\n--------------------")[0]
    assert not re.search(r"\{\w+\}", text), "a message with an unfilled field"
    text = re.sub(r"(?m)^  Size:     (\w+): \S+\.py:\d+  .*$", r"  Size:     \1", text)
    return re.sub(r"(?m)^  At:       \S+\.py:\d+  .*$", "  At:", text)
