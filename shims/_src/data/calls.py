"""Call the user's functions on elements.

64-bit dtypes are on meanwhile, so that what operators return has TensorFlow's dtypes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from shims._src.data import elements, structures
from shims._src.data.node import published
from shims._src.random import global_seed, streams


class UserFunction:
    """A function of the user, with random streams of its own, as in TensorFlow's graphs.

    Args:
      function: takes the element, or the parts of it if the element is a plain tuple.
    """

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self._streams = global_seed.HostStreams()

    def on(self, element) -> Any:
        """Return the element that the function gives for an element."""
        return self(*(element if type(element) is tuple else (element,)))

    def __call__(self, *arguments) -> Any:
        """Return the element that the function gives for arguments."""
        given = [structures.map_leaves(published, a) for a in arguments]
        with jax.enable_x64(True), streams.drawn_from(self._streams.start()):
            found = self.function(*given)
            return elements.element_of(tuple(found) if isinstance(found, list) else found)

    def is_true(self, element) -> bool:
        """Return whether a predicate holds."""
        return bool(self.on(element))
