"""Convert values between the dtypes of variables of `shims` and the dtypes in TensorFlow's checkpoints."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.checkpoint import element_types
from shims._src.errors import errors
from shims._src.recording import state
from shims._src.sizes import trace
from shims._src.variables.keras_state import OfKeras
from shims._src.variables.variable import Variable

_NARROW = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


class SaveCounter(Variable):
    """The number of checkpoints that were saved."""

    def __init__(self):
        super().__init__(0, False, name="save_counter")


class SavedValue:
    """A value of an object with the methods `checkpoint_arrays` and `restore_arrays`.

    Args:
      owner: the object.
      name: the name of the value.
    """

    full_name = ""

    def __init__(self, owner, name: str = ""):
        self.owner, self._name = owner, name

    def array(self):
        """Return the value to write."""
        return self.owner.checkpoint_arrays()[self._name]

    def checked(self, stored: np.ndarray, key: str):
        """Return the value to assign for one that was read.

        Raises:
          ValueError: the shape differs.
          InvalidArgumentError: the dtype differs.
        """
        del key
        return stored

    def assign(self, value) -> None:
        """Assign a checked value."""
        self.owner.restore_arrays({self._name: value})


class VariableValue(SavedValue):
    """The value of a variable."""

    @property
    def full_name(self) -> str:  # type: ignore[override]
        """The name of the variable."""
        return self.owner.name.removesuffix(":0")

    def array(self):
        """Return the value to write."""
        return self.owner.numpy()

    def checked(self, stored: np.ndarray, key: str):
        """Return the value to assign for one that was read; see `SavedValue`."""
        stored = narrowed(stored, self.owner.dtype, key)
        if not self.owner.shape.is_compatible_with(stored.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {stored.shape} when attempting to restore "
                f"variable with shape {self.owner.shape} and name {self.owner.name}."
            )
        return stored

    def assign(self, value) -> None:
        """Assign a checked value; while a function is traced, to the variable and not in its program."""
        scope = state.current_scope()
        if isinstance(self.owner, OfKeras) and self.owner.stored_value is None:
            # Keras computes the initial value later.
            self.owner.keras._initializer = lambda shape, dtype=None: jnp.asarray(value, dtype)
        elif scope is None:
            self.owner.assign(value)
        else:
            scope.forget_assignments(self.owner)
            with trace.resume(None), jax.ensure_compile_time_eval():
                self.owner.stored_value = jnp.asarray(value, self.owner.dtype)


class StepCount(VariableValue):
    """The value of an integer variable that has 64 bits in TensorFlow."""

    def array(self):
        """Return the value to write."""
        return super().array().astype(np.int64)


class RandomState(VariableValue):
    """The state of a random number generator: 64-bit integers, or pairs of 32-bit words here."""

    def array(self):
        """Return the value to write."""
        state = np.ascontiguousarray(super().array())
        return state.view(np.int64)[:, 0] if state.dtype == np.uint32 else state

    def checked(self, stored: np.ndarray, key: str):
        """Return the value to assign for one that was read; see `SavedValue`."""
        if self.owner.dtype == np.uint32 and stored.dtype == np.int64 and stored.ndim == 1:
            stored = np.ascontiguousarray(stored[:, None]).view(np.uint32)
        return super().checked(stored, key)


def narrowed(stored: np.ndarray, dtype: np.dtype, key: str) -> np.ndarray:
    """Return a stored array with the dtype of a variable.

    Without `jax_enable_x64` a variable that TensorFlow gives 64 bits has 32; a value that keeps all its
    digits is accepted.

    Raises:
      InvalidArgumentError: the dtypes differ.
    """
    if stored.dtype == dtype:
        return stored
    said = f"tensor_name = {key}; expected dtype {dtype.name} does not equal original dtype {_name(stored)}"
    if jax.config.jax_enable_x64 or _NARROW.get(stored.dtype.name) != dtype.name:
        raise errors.InvalidArgumentError(said)
    with np.errstate(over="ignore"):
        value = stored.astype(dtype)
    if not np.array_equal(value.astype(stored.dtype), stored, equal_nan=stored.dtype.kind in "fc"):
        raise errors.InvalidArgumentError(
            errors.message(
                "",
                f"{said}, and the stored values are outside the range of {dtype.name}.",
                do='set `jax.config.update("jax_enable_x64", True)` before the variable is created',
            )
        )
    return value


def _name(stored: np.ndarray) -> str:
    return element_types.name_of(element_types.number_of(stored.dtype) or 0)
