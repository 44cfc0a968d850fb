"""Define predicates on tensors, `get_static_value`, `grad_pass_through` and `get_logger`."""

from __future__ import annotations

import logging

import jax
import numpy as np

from shims._src.gradients.custom_gradient import custom_gradient
from shims._src.platform import jax_private as jp
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.sizes.initial_values import known_value
from shims._src.types.composite import is_composite
from shims._src.types.host_tensor import HostTensor
from shims._src.variables.variable import Variable


class _AnyTensor(type):
    """The class of `Tensor`, which has the attributes of JAX arrays."""

    def __getattr__(cls, name: str):
        return getattr(jax.Array, name)

    def __instancecheck__(cls, value) -> bool:
        return isinstance(value, (jax.Array, HostTensor))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return subclass is cls or issubclass(subclass, (jax.Array, HostTensor))


class Tensor(metaclass=_AnyTensor):
    """The class of tensors, for `isinstance` and annotations: JAX arrays, tracers, and tensors on the host.

    Differs from TensorFlow:
      Nothing is an instance of this class alone: tensors are arrays of JAX, elements of datasets and
      strings are arrays of NumPy.

    https://www.tensorflow.org/api_docs/python/tf/Tensor
    """

    __module__ = "shims"

    def __new__(cls, *arguments, **options):
        del arguments, options
        raise TypeError(
            "`Tensor` cannot be instantiated: call `shims.constant` or `shims.convert_to_tensor`"
        )


def is_tensor(x) -> bool:
    """Return whether a value is an array, a variable, or a ragged or sparse tensor.

    https://www.tensorflow.org/api_docs/python/tf/is_tensor
    """
    composite = is_composite(x)
    return composite or isinstance(x, (jax.Array, HostTensor, Variable, IndexedSlices))


def is_symbolic_tensor(tensor) -> bool:
    """Return whether a value is a tracer.

    https://www.tensorflow.org/api_docs/python/tf/is_symbolic_tensor
    """
    return jp.is_tracer(tensor)


def get_static_value(tensor, partial=False):
    """Return a tensor as a NumPy array if it does not depend on traced values.

    Args:
      tensor: array, traced or not.
      partial: accepted and ignored, because an array is known as a whole or not at all.

    Returns:
      A NumPy array, or `None`.

    Differs from TensorFlow:
      Every value that does not depend on traced arguments is known, whichever operators compute it.

    Under jit:
      `None` for values that depend on traced arguments.

    https://www.tensorflow.org/api_docs/python/tf/get_static_value
    """
    del partial
    if isinstance(tensor, Variable):
        tensor = tensor.read_value()
    if isinstance(tensor, HostTensor):
        return tensor.numpy()
    if not isinstance(tensor, jax.Array):
        return tensor
    known = known_value(tensor)
    return None if known is None else np.asarray(known)[()]


def grad_pass_through(f):
    """Return `f` with the gradient of the identity.

    Args:
      f: a function of one array that returns an array of the same shape.

    Returns:
      The function.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts as `f` does.

    Example:
      >>> import jax, shims
      >>> float(jax.grad(shims.grad_pass_through(shims.round))(0.4))
      1.0

    https://www.tensorflow.org/api_docs/python/tf/grad_pass_through
    """

    @custom_gradient
    def passed_through(*args, **kwargs):
        def gradient(*cotangents, **unused):
            variables = unused.get("variables")
            return (cotangents, [None] * len(variables)) if variables else cotangents

        return f(*args, **kwargs), gradient

    return passed_through


def get_logger() -> logging.Logger:
    """Return the logger of this library.

    https://www.tensorflow.org/api_docs/python/tf/get_logger
    """
    return logging.getLogger("shims")
