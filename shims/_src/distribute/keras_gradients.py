"""Let optimizers of Keras add the gradients of all replicas, as they do with TensorFlow."""

from __future__ import annotations

import functools
import sys
from typing import Any

from shims._src.recording import replicas

_OPTIMIZERS = "keras.src.optimizers.base_optimizer"
_BOUND: list[Any] = []


def bind() -> None:
    """Teach Keras, once it is imported, to add gradients in functions that a strategy runs."""
    optimizer: Any = getattr(sys.modules.get(_OPTIMIZERS), "BaseOptimizer", None)
    if optimizer is None or optimizer in _BOUND:
        return
    _BOUND.append(optimizer)
    original = optimizer._backend_update_step

    @functools.wraps(original)
    def update_step(self, grads, trainable_variables, learning_rate):
        return original(self, replicas.summed(list(grads)), trainable_variables, learning_rate)

    optimizer._backend_update_step = update_step
