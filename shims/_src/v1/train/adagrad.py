"""Define the Adagrad optimizers."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.v1.graph.conversion import constant, convert_to_tensor
from shims._src.v1.graph.standard_operators import add, fill, identity, shape
from shims._src.v1.train.gradient_descent import shrunk
from shims._src.v1.train.kernel_optimizer import KernelOptimizer
from shims._src.v1.train.slots import filled_with


class AdagradOptimizer(KernelOptimizer):
    """Adagrad: updates of `-learning_rate * gradient / sqrt(sum of squared gradients)`.

    Args:
      learning_rate: a number, a scalar tensor, or a function without arguments that returns a
        scalar.
      initial_accumulator_value: the initial value of the sum.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations, and of the slots, such as `w/Adagrad:0`.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.

    Differs from TensorFlow:
      Nothing in a graph.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdagradOptimizer
    """

    _kernel = "Adagrad"
    _slot_names = ("accumulator",)

    def __init__(
        self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"
    ):
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list):
        first = filled_with(self._initial_accumulator_value)
        for v in var_list:
            if v.shape.is_fully_defined():
                self._get_or_make_slot_with_initializer(
                    v, first, v.shape, v.dtype, "accumulator", self._name
                )
            else:
                self._get_or_make_slot(
                    v, like(v, self._initial_accumulator_value), "accumulator", self._name
                )

    def _hyperparameters(self):
        return [("learning_rate", self._learning_rate)]

    def _formula(self, var, total, grad, rate):
        total = total + grad * grad
        return [var - grad * rate * lax.rsqrt(total), total]


class ProximalAdagradOptimizer(KernelOptimizer):
    """Adagrad with proximal L1 and L2 regularization.

    Args:
      learning_rate: a number or a scalar tensor.
      initial_accumulator_value: the initial value of the sum of squared gradients.
      l1_regularization_strength: the strength of L1 regularization.
      l2_regularization_strength: the strength of L2 regularization.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations, and of the slots, such as `w/ProximalAdagrad:0`.

    Raises:
      ValueError: `initial_accumulator_value` is not positive.

    Differs from TensorFlow:
      Nothing in a graph.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/ProximalAdagradOptimizer
    """

    _kernel = "ProximalAdagrad"
    _slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate,
        initial_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="ProximalAdagrad",
    ):
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _create_slots(self, var_list):
        for v in var_list:
            first = like(v, self._initial_accumulator_value)
            self._get_or_make_slot(v, first, "accumulator", self._name)

    def _hyperparameters(self):
        return [
            ("learning_rate", self._learning_rate),
            ("l1_regularization_strength", self._l1_regularization_strength),
            ("l2_regularization_strength", self._l2_regularization_strength),
        ]

    def _formula(self, var, total, grad, rate, l1, l2):
        total = total + grad * grad
        rate = rate * lax.rsqrt(total)
        return [shrunk(var - grad * rate, rate, l1, l2), total]


class AdagradDAOptimizer(KernelOptimizer):
    """Adagrad dual averaging: weights computed from sums of gradients and squared gradients.

    Args:
      learning_rate: a number or a scalar tensor.
      global_step: the number of steps so far, an int64 variable or tensor.
      initial_gradient_squared_accumulator_value: the initial value of the sum of squares.
      l1_regularization_strength: the strength of L1 regularization.
      l2_regularization_strength: the strength of L2 regularization.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations, and of the slots, such as `w/AdagradDA:0`, `w/AdagradDA_1:0`.

    Raises:
      ValueError: `initial_gradient_squared_accumulator_value` is not positive.

    Differs from TensorFlow:
      Nothing in a graph.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdagradDAOptimizer
    """

    _kernel = "AdagradDA"
    _slot_names = ("gradient_accumulator", "gradient_squared_accumulator")

    def __init__(
        self,
        learning_rate,
        global_step,
        initial_gradient_squared_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="AdagradDA",
    ):
        _check_positive(
            "initial_gradient_squared_accumulator_value",
            initial_gradient_squared_accumulator_value,
        )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = (
            initial_gradient_squared_accumulator_value
        )
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step

    def _create_slots(self, var_list):
        for v in var_list:
            sums = like(v, 0.0)
            squares = like(v, self._initial_gradient_squared_accumulator_value)
            self._get_or_make_slot(v, sums, "gradient_accumulator", self._name)
            self._get_or_make_slot(v, squares, "gradient_squared_accumulator", self._name)

    def _hyperparameters(self):
        return [
            ("learning_rate", self._learning_rate),
            ("l1_regularization_strength", self._l1_regularization_strength),
            ("l2_regularization_strength", self._l2_regularization_strength),
        ]

    def _prepare(self):
        super()._prepare()
        step = identity(convert_to_tensor(self._global_step))
        self._step = add(step, convert_to_tensor(1, step.dtype))

    def _hyperparameters_for(self, variable):
        return [*super()._hyperparameters_for(variable), self._step]

    def _formula(self, var, total, squares, grad, rate, l1, l2, step):
        count = step.astype(var.dtype)
        total = total + grad
        squares = squares + grad * grad
        near = jnp.sign(total) * jnp.maximum(jnp.abs(total) - l1 * count, 0)
        direction = -jnp.where(l1 > 0, near, total)
        return [
            rate * direction / (l2 * count * rate + jnp.sqrt(squares)),
            total,
            squares,
        ]


def like(variable, number):
    """Create a constant tensor filled with a number, in the shape and dtype of a variable."""
    if variable.shape.is_fully_defined():
        return constant(number, variable.dtype, variable.shape)
    return fill(shape(variable), convert_to_tensor(number, variable.dtype))


def _check_positive(name: str, number) -> None:
    if number <= 0.0:
        raise ValueError(f"{name} must be positive: {number}")
