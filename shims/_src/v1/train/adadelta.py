"""Adadelta: rates from two running averages of squares."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.v1.train.kernel_optimizer import KernelOptimizer


class AdadeltaOptimizer(KernelOptimizer):
    """Steps as large as recent steps were, by the size of recent gradients.

    Args:
      learning_rate: a number, a scalar tensor, or a function of no arguments that gives one.
      rho: which part of an average stays; the same.
      epsilon: what is added to averages before their root is taken; the same.
      use_locking: accepted; a session runs one program at a time.
      name: what the operations and slots are called: `w/Adadelta:0`, `w/Adadelta_1:0`.

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
