"""Define gradient descent and proximal gradient descent."""

from __future__ import annotations

import jax.numpy as jnp

import shims
from shims._src.v1.train.kernel_optimizer import KernelOptimizer
from shims._src.v1.variables.training_kernels import (
    as_dtype_of,
    assigning,
    check_numbers,
    check_rows,
)


class GradientDescentOptimizer(KernelOptimizer):
    """Gradient descent: updates of `-learning_rate * gradient`.

    Args:
      learning_rate: a number, a scalar tensor, or a function without arguments that returns a
        scalar.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations.

    Differs from TensorFlow:
      Nothing in a graph.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [], initializer=tf.constant_initializer(1.0))
      ...     step = tf.train.GradientDescentOptimizer(0.1).minimize(w * w)
      ...     session.run(tf.global_variables_initializer())
      ...     session.run(step)
      ...     print(session.run(w))
      0.8

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/GradientDescentOptimizer
    """

    _kernel = "GradientDescent"

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _hyperparameters(self):
        return [("learning_rate", self._learning_rate)]

    def _formula(self, var, grad, rate):
        return [var - grad * rate]

    def _apply_sparse_duplicate_indices(self, grad, var):
        return self._subtract_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        return self._subtract_rows(grad, handle, indices)

    def _subtract_rows(self, rows, var, indices):
        """Subtract gradient rows times the learning rate from rows of a variable.

        Rows with equal indices add up.
        """
        rate = as_dtype_of(var, self._tensors[0])
        type_ = "ResourceScatterAdd" if var.is_resource else "ScatterSub"
        check_rows(type_, var, rows)
        check_numbers(type_, [rate])

        def f(value, rows, indices, rate):
            at = shims.expand_dims(indices, 1)
            return [shims.tensor_scatter_nd_sub(value, at, rows * rate)]

        return assigning(type_, None, [var], f, [rows, indices, rate])


class ProximalGradientDescentOptimizer(KernelOptimizer):
    """Gradient descent with proximal L1 and L2 regularization.

    Args:
      learning_rate: a number or a scalar tensor.
      l1_regularization_strength: the strength of L1 regularization.
      l2_regularization_strength: the strength of L2 regularization.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations.

    Differs from TensorFlow:
      Nothing in a graph.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/ProximalGradientDescentOptimizer
    """

    _kernel = "ProximalGradientDescent"

    def __init__(
        self,
        learning_rate,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="ProximalGradientDescent",
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _hyperparameters(self):
        return [
            ("learning_rate", self._learning_rate),
            ("l1_regularization_strength", self._l1_regularization_strength),
            ("l2_regularization_strength", self._l2_regularization_strength),
        ]

    def _formula(self, var, grad, rate, l1, l2):
        return [shrunk(var - grad * rate, rate, l1, l2)]


def shrunk(value, rate, l1, l2):
    """Apply the proximal operator of L1 and L2 regularization to a new value of a variable."""
    near = jnp.where(l1 > 0, jnp.sign(value) * jnp.maximum(jnp.abs(value) - rate * l1, 0), value)
    return near / (1 + l2 * rate)
