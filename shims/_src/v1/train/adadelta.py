"""Define the Adadelta optimizer."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.v1.train.kernel_optimizer import KernelOptimizer


class AdadeltaOptimizer(KernelOptimizer):
    """Adadelta: updates scaled by the ratio of the averages of past updates and gradients.

    Args:
      learning_rate: a number, a scalar tensor, or a function without arguments that returns a
        scalar.
      rho: the decay rate of the averages; same types as `learning_rate`.
      epsilon: a constant added to the averages before the square root; same types as
        `learning_rate`.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations, and of the slots, such as `w/Adadelta:0`, `w/Adadelta_1:0`.

    Differs from TensorFlow:
      Nothing in a graph.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdadeltaOptimizer
    """

    _kernel = "Adadelta"
    _slot_names = ("accum", "accum_update")

    def __init__(
        self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta"
    ):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)

    def _hyperparameters(self):
        return [("lr", self._lr), ("rho", self._rho), ("epsilon", self._epsilon)]

    def _formula(self, var, squares, steps, grad, rate, rho, epsilon):
        squares = squares * rho + grad * grad * (1 - rho)
        step = jnp.sqrt(steps + epsilon) * lax.rsqrt(squares + epsilon) * grad
        steps = steps * rho + step * step * (1 - rho)
        return [var - step * rate, squares, steps]
