"""Let Keras draw other numbers from equal seeds, to detect results that depend on the numbers that it draws.

Keras draws from a seed with the generator of its back end, so the same seed gives numbers on JAX
that differ from those on TensorFlow. What depends on them is as random as what is drawn without a
seed.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

_BACK_ENDS = ("keras.src.backend.jax.", "keras.src.backend.tensorflow.")
_DRAW = "draw_seed"


@contextlib.contextmanager
def other_seeds(number: int) -> Iterator[None]:
    """Add a number to every seed that Keras draws in the `with` block."""
    with contextlib.ExitStack() as back:
        for name, module in list(sys.modules.items()):
            drawn = getattr(module, _DRAW, None) if name.startswith(_BACK_ENDS) else None
            if callable(drawn):
                back.callback(setattr, module, _DRAW, drawn)
                setattr(module, _DRAW, _moved(drawn, number))
        yield


def _moved(drawn: Callable[[Any], Any], number: int) -> Callable[[Any], Any]:
    def draw_seed(seed: Any) -> Any:
        return drawn(seed) + number

    return draw_seed
