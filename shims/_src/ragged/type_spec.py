"""Provide `TypeSpec`, the abstract base of all specs, and `type_spec_from_value`."""

from __future__ import annotations

import abc

import jax
import numpy as np

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.ragged.tensor import RaggedTensor
from shims._src.sparse.spec import SparseTensorSpec
from shims._src.sparse.tensor import SparseTensor
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.variable import Variable


class TypeSpec(abc.ABC):
    """The abstract base of specs: `TensorSpec`, `RaggedTensorSpec` and `SparseTensorSpec`.

    Differs from TensorFlow:
      Only for `isinstance` and annotations; user-defined subclasses are not supported.

    https://www.tensorflow.org/api_docs/python/tf/TypeSpec
    """

    __module__ = "shims"

    @abc.abstractmethod
    def is_compatible_with(self, spec_or_value) -> bool:
        """Return whether a value, or the values of another spec, may match this spec."""


for _spec in (TensorSpec, RaggedTensorSpec, SparseTensorSpec):
    TypeSpec.register(_spec)


def type_spec_from_value(value):
    """Return the spec of a value.

    Args:
      value: array, ragged or sparse tensor, variable, numbers.

    Returns:
      A spec.

    Raises:
      TypeError: there is no spec for this value.

    Differs from TensorFlow:
      The spec of a variable is the spec of its value.

    Under jit:
      Sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/type_spec_from_value
    """
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec.from_value(value)
    if isinstance(value, (jax.Array, np.ndarray, Variable)):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, (bool, int, float, complex, np.generic, list, tuple)):
        array = as_array(value)
        return TensorSpec(array.shape, array.dtype)
    raise TypeError(
        errors.message(
            "type_spec_from_value",
            "there is no spec for this value.",
            required="an array, a ragged or a sparse tensor",
            received=f"{value!r} of {type(value).__name__}",
        )
    )
