"""Define the FTRL (follow the regularized leader) optimizer."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.standard_operators import maximum
from shims._src.v1.train.kernel_optimizer import KernelOptimizer
from shims._src.v1.train.slots import filled_with


class FtrlOptimizer(KernelOptimizer):
    """The FTRL (follow the regularized leader) optimizer, which yields sparse weights.

    Args:
      learning_rate: a number or a scalar tensor.
      learning_rate_power: the exponent of the learning rate decay, at most 0; 0 for a constant
        rate.
      initial_accumulator_value: the initial value of the sum of squares.
      l1_regularization_strength: the strength of L1 regularization.
      l2_regularization_strength: the strength of L2 regularization.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations, and of the slots, such as `w/Ftrl:0`, `w/Ftrl_1:0`.
      accum_name: the name of the accumulators of squares; `name` when `None`.
      linear_name: the name of the linear accumulators; `name` when `None`.
      l2_shrinkage_regularization_strength: the strength of the L2 shrinkage, which is added to the
        gradient.
      beta: the parameter beta of the paper; 0 when `None`.

    Raises:
      ValueError: an argument has the wrong sign.

    Differs from TensorFlow:
      Nothing in a graph.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/FtrlOptimizer
    """

    _slot_names = ("accum", "linear")

    def __init__(
        self,
        learning_rate,
        learning_rate_power=-0.5,
        initial_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="Ftrl",
        accum_name=None,
        linear_name=None,
        l2_shrinkage_regularization_strength=0.0,
        beta=None,
    ):
        super().__init__(use_locking, name)
        for kind, number in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if number < 0.0:
                raise ValueError(f"{kind} {number:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name, self._linear_name = accum_name, linear_name
        self._kernel = "FtrlV2" if l2_shrinkage_regularization_strength > 0.0 else "Ftrl"

    def _create_slots(self, var_list):
        first = filled_with(self._initial_accumulator_value)
        for v in var_list:
            self._get_or_make_slot_with_initializer(
                v, first, v.shape, v.dtype, "accum", self._accum_name or self._name
            )
            self._zeros_slot(v, "linear", self._linear_name or self._name)

    def _hyperparameters(self):
        slow = maximum(convert_to_tensor(self._learning_rate), 1e-36)
        return [
            ("learning_rate", self._learning_rate),
            ("l1_regularization_strength", self._l1_regularization_strength),
            (
                "adjusted_l2_regularization_strength",
                self._l2_regularization_strength + self._beta / (2.0 * slow),
            ),
            (
                "l2_shrinkage_regularization_strength",
                self._l2_shrinkage_regularization_strength,
            ),
            ("learning_rate_power", self._learning_rate_power),
        ]

    def _formula(self, var, squares, linear, grad, rate, l1, l2, shrinkage, power):
        # The squares exclude the shrinkage, which would otherwise lower the learning rate.
        if self._kernel == "FtrlV2":
            moved = grad + 2 * shrinkage * var
        else:
            moved = grad
        total = squares + grad * grad
        grown = self._raise_to_power(total, power)
        linear = linear + moved - (grown - self._raise_to_power(squares, power)) / rate * var
        near = l1 * jnp.sign(linear) - linear
        new = jnp.where(jnp.abs(linear) > l1, near / (grown / rate + 2 * l2), 0)
        return [new, total, linear]

    def _raise_to_power(self, squares, power):
        """Compute `squares ** -power`; for the usual power -0.5 use the square root, as TensorFlow does."""
        return jnp.sqrt(squares) if self._learning_rate_power == -0.5 else squares**-power
