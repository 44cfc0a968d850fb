"""Define `train.ExponentialMovingAverage`, which maintains moving averages of variables."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.recording.contexts import init_scope
from shims._src.variables.variable import Variable


class ExponentialMovingAverage:
    """Maintains moving averages of variables: `average = decay * average + (1 - decay) * value`.

    Args:
      decay: scalar.
      num_updates: a count of updates, which reduces the decay at the start to `min(decay, (1 +
        num_updates) / (10 + num_updates))`.
      zero_debias: accepted and ignored, because the argument applies only to averages of tensors,
        which are not supported.
      name: the suffix of the names of the averages.

    Differs from TensorFlow:
      `apply` requires its list of variables.

    Under jit:
      Like every assignment to variables, `apply` works under `shims.function`, but not under other traces.

    Example:
      >>> import shims
      >>> average, v = shims.train.ExponentialMovingAverage(0.5), shims.Variable(2.0)
      >>> average.apply([v])
      >>> _ = v.assign(4.0)
      >>> average.apply([v])
      >>> float(average.average(v))
      3.0

    https://www.tensorflow.org/api_docs/python/tf/train/ExponentialMovingAverage
    """

    __module__ = "shims.train"

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        del zero_debias
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._averages: dict = {}

    @property
    def name(self) -> str:
        """The suffix of the names of the averages."""
        return self._name

    def apply(self, var_list=None) -> None:
        """Update the averages of variables; a new average starts with the current value.

        Args:
          var_list: variables of floating-point dtypes.

        Raises:
          TypeError: an element is not a variable, or has a different dtype.
          ValueError: `var_list` is missing.
        """
        if var_list is None:
            raise ValueError(
                errors.message(
                    "ExponentialMovingAverage.apply",
                    "`var_list` is missing, and `shims` has no collection of all variables.",
                    do="pass the variables: `apply(model.trainable_variables)`",
                )
            )
        for variable in var_list:
            self._check(variable)
            if variable.ref() not in self._averages:
                with init_scope():
                    self._averages[variable.ref()] = Variable(
                        variable.read_value(), trainable=False, name=self._full_name(variable)
                    )
        decay = as_array(self._decay)
        if self._num_updates is not None:
            count = as_array(self._num_updates).astype(jnp.float32)
            decay = jnp.minimum(decay, (1.0 + count) / (10.0 + count))
        for variable in var_list:
            average = self._averages[variable.ref()]
            rest = (1.0 - decay).astype(average.dtype)
            average.assign_sub((average - variable) * rest)

    def _check(self, variable) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(
                errors.message(
                    "ExponentialMovingAverage.apply",
                    "`var_list` must contain only variables.",
                    received=type(variable).__name__,
                )
            )
        if not jnp.issubdtype(variable.dtype, jnp.floating):
            raise TypeError(f"The variables must be half, float, or double: {variable.name}")

    def average(self, var):
        """Return the variable that holds the average of `var`, or `None` if there is none."""
        return self._averages.get(var.ref())

    def average_name(self, var) -> str:
        """Return the name of the average of `var`, whether it exists or not."""
        return self._full_name(var)

    def _full_name(self, variable) -> str:
        return f"{variable.name.removesuffix(':0')}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None) -> dict[str, Variable]:
        """Map the name of each saved average to the variable to restore from it."""
        chosen = moving_avg_variables or [r.deref() for r in self._averages]
        return {self._full_name(v): v for v in chosen}
