"""Define the Adam optimizer."""

from __future__ import annotations

import jax.numpy as jnp

import shims
from shims._src.numeric import adam
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.grouping import group
from shims._src.v1.graph.standard_operators import multiply
from shims._src.v1.train.optimizer import Optimizer
from shims._src.v1.variables.training_kernels import (
    apply_dense,
    as_dtype_of,
    assigning,
    check_numbers,
    check_rows,
)


class AdamOptimizer(Optimizer):
    """Adam: updates computed from moving averages of the gradients and of their squares.

    Args:
      learning_rate: a number, a scalar tensor, or a function without arguments that returns a
        scalar.
      beta1: the decay rate of the average of gradients; same types as `learning_rate`.
      beta2: the decay rate of the average of squared gradients; same types as `learning_rate`.
      epsilon: a constant added to the root of the average of squares; same types as
        `learning_rate`.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations, and of the slots, such as `w/Adam:0`, `w/Adam_1:0`.
      use_own_namescope_for_non_slot_vars: whether `beta1_power` and `beta2_power` get their own
        scope.

    Differs from TensorFlow:
      Nothing in a graph. Sparse gradients update all rows: the averages of rows without a gradient decay.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [], initializer=tf.constant_initializer(1.0))
      ...     step = tf.train.AdamOptimizer(0.1).minimize(w * w)
      ...     session.run(tf.global_variables_initializer())
      ...     session.run(step)
      ...     print(session.run(w))
      0.90000004

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdamOptimizer
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        use_locking=False,
        name="Adam",
        use_own_namescope_for_non_slot_vars=False,
    ):
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _get_beta_accumulators(self):
        graph = get_default_graph()
        return tuple(self._get_non_slot_variable(f"beta{i}_power", graph) for i in (1, 2))

    def _create_slots(self, var_list):
        # Colocate the powers with the first variable by name, whatever the order of the list.
        first = min(var_list, key=lambda v: v.name)
        for name, value in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._create_non_slot_variable(self._call_if_callable(value), name, first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _prepare(self):
        given = {
            "learning_rate": self._lr,
            "beta1": self._beta1,
            "beta2": self._beta2,
            "epsilon": self._epsilon,
        }
        self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t = (
            convert_to_tensor(self._call_if_callable(value), name=name)
            for name, value in given.items()
        )

    def _slots_and_hyperparameters(self, var):
        """Return two lists: a variable with its slots, and the hyperparameters in the variable's dtype."""
        numbers = [*self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t]
        kept = [var, self.get_slot(var, "m"), self.get_slot(var, "v")]
        return kept, [as_dtype_of(var, x) for x in (*numbers, self._epsilon_t)]

    def _apply_whole(self, grad, var):
        kept, numbers = self._slots_and_hyperparameters(var)
        return apply_dense("ApplyAdam", kept, _whole, grad, numbers)

    def _apply_rows(self, rows, var, indices):
        kept, numbers = self._slots_and_hyperparameters(var)
        type_ = "AssignSubVariableOp" if var.is_resource else "AssignSub"
        check_rows(type_, var, rows)
        check_numbers(type_, numbers)
        return assigning(type_, None, kept, _by_rows, [rows, indices, *numbers])

    def _apply_dense(self, grad, var):
        return self._apply_whole(grad, var)

    def _resource_apply_dense(self, grad, handle):
        return self._apply_whole(grad, handle)

    def _apply_sparse(self, grad, var):
        return self._apply_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._apply_rows(grad, handle, indices)

    def _finish(self, update_ops, name_scope):
        with get_default_graph().control_dependencies(update_ops):
            powers = self._get_beta_accumulators()
            betas = (self._beta1_t, self._beta2_t)
            moved = [p.assign(multiply(p, b)) for p, b in zip(powers, betas, strict=True)]
        return group(*update_ops, *moved, name=name_scope)


def _whole(var, m, v, grad, power1, power2, rate, beta1, beta2, epsilon):
    m, v = adam.update_averages(m, v, grad, grad * grad, beta1, beta2)
    rate = adam.correct_rate(rate, power1, power2)
    return [var - adam.compute_step(m, v, rate, epsilon), m, v]


def _by_rows(var, m, v, rows, indices, power1, power2, rate, beta1, beta2, epsilon):
    at = shims.expand_dims(indices, 1)
    m = shims.tensor_scatter_nd_add(m * beta1, at, rows * (1 - beta1))
    v = shims.tensor_scatter_nd_add(v * beta2, at, rows * rows * (1 - beta2))
    step = adam.correct_rate(rate, power1, power2) * m / (jnp.sqrt(v) + epsilon)
    return [var - step, m, v]
