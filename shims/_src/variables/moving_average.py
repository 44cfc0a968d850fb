"""`train.ExponentialMovingAverage`: shadows of variables that follow them slowly."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.recording.contexts import init_scope
from shims._src.variables.variable import Variable


class ExponentialMovingAverage:
    """Keeps moving averages of variables: `average = decay * average + (1 - decay) * value`.

    Args:
      decay: scalar.
      num_updates: a count that makes `decay` smaller in the beginning:
        `min(decay, (1 + num_updates) / (10 + num_updates))`.
      zero_debias: accepted; it is for tensors, which have no averages here.
      name: what the names of the averages end in.

    Differs from TensorFlow:
      `apply` needs its variables.

    Under jit:
      As assignments to variables: inside of a `shims.function`.

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
        """What the names of the averages end in."""
        return self._name

    def apply(self, var_list=None) -> None:
        """Bring the averages of variables up to date; a new one begins with the present value.

        Args:
          var_list: variables of floating-point dtypes.

        Raises:
          TypeError: one is no variable, or of another dtype.
          ValueError: there is no list.
        """
        if var_list is None:
            raise ValueError(
                errors.message(
                    "ExponentialMovingAverage.apply",
                    "`var_list` is missing; there is no collection of all variables.",
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
                    "only variables have averages.",
                    received=type(variable).__name__,
                )
            )
        if not jnp.issubdtype(variable.dtype, jnp.floating):
            raise TypeError(f"The variables must be half, float, or double: {variable.name}")

    def average(self, var):
        """The variable that holds the average of `var`; `None` where there is none."""
        return self._averages.get(var.ref())

    def average_name(self, var) -> str:
        """The name of the average of `var`, whether it exists or not."""
        return self._full_name(var)

    def _full_name(self, variable) -> str:
        return f"{variable.name.removesuffix(':0')}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None) -> dict[str, Variable]:
        """Which variable is to get the value of each saved average, by the average's name."""
        chosen = moving_avg_variables or [r.deref() for r in self._averages]
        return {self._full_name(v): v for v in chosen}
