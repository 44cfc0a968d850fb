"""Continue the restoration of layers and optimizers of Keras when their variables are created."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def call_when_built(owner, restoration: Callable[[Any], bool]) -> None:
    """Call a function with a layer or an optimizer of Keras after `build`, until it returns True.

    Keras has no hook for this. An attribute of the object hides the method of its class, and is removed
    when nothing is missing any more.
    """
    method = "_post_build" if hasattr(owner, "_post_build") else "build"
    original = getattr(owner, method)

    @functools.wraps(original)
    def followed(*args, **kwargs):
        result = original(*args, **kwargs)
        if restoration(owner) and vars(owner).get(method) is followed:
            object.__delattr__(owner, method)
        return result

    object.__setattr__(owner, method, followed)
