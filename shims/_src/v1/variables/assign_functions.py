"""Provide functions that assign variables, such as `assign` and `scatter_update`."""

from __future__ import annotations

import numpy as np

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.nodes import Tensor, variable_behind
from shims._src.variables.variable import Variable


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Assign a value to a variable.

    Args:
      ref: the variable.
      value: a tensor or numbers.
      validate_shape: whether the value must have the shape of the variable; a static shape is always
        enforced.
      use_locking: accepted and ignored; a run is one program.
      name: the name of the operation.

    Returns:
      The new value.

    Raises:
      ValueError: the shapes differ.
      UnimplementedError: `validate_shape` is false, but the variable has a static shape, which
        `value` does not have.

    Differs from TensorFlow:
      A variable with a static shape keeps this shape.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
      ...     session.run(v.initializer)
      ...     print(session.run(tf.assign(v, 5.0)))
      5.0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/assign
    """
    del use_locking
    if validate_shape is False and not ref.shape.is_compatible_with(_shape_of(value)):
        raise errors.UnimplementedError(
            errors.message(
                "assign",
                f"the shape {ref.shape} of variable {ref.name} cannot change.",
                do="create the variable with `validate_shape=False`",
            )
        )
    return _written(ref).assign(value, name=name)


def _written(ref):
    """Return the variable that an argument is, or whose reference it is: the tensor `v:0` of a graph.

    Raises:
      TypeError: it is another tensor.
    """
    if not isinstance(ref, Tensor):
        return ref
    found = variable_behind(ref)
    if found is None:
        raise TypeError(f"The assignment requires a variable, not the tensor {ref.name}.")
    return found


def _with_rows(ref, kind: str, indices, updates, name):
    """Change rows of a variable, which is one of TensorFlow 2 where no graph is built."""
    variable = _written(ref)
    if not isinstance(variable, Variable):
        return variable._of_rows(kind, indices, updates, name)
    rows = IndexedSlices(as_array(updates, variable.dtype), as_array(indices))
    return getattr(variable, f"scatter_{kind.lower()}")(rows, name=name)


def _with_slices(ref, kind: str, indices, updates, name):
    """Change slices of a variable, which is one of TensorFlow 2 where no graph is built."""
    variable = _written(ref)
    if not isinstance(variable, Variable):
        return variable._of_coordinates(kind, indices, updates, name)
    return getattr(variable, f"scatter_nd_{kind.lower()}")(indices, updates, name=name)


def _shape_of(value):
    return value.shape if hasattr(value, "shape") else np.shape(value)


def assign_add(ref, value, use_locking=None, name=None):
    """Add a value to a variable.

    Args:
      ref: the variable.
      value: a tensor or numbers of the shape of the variable.
      use_locking: accepted and ignored.
      name: the name of the operation.

    Returns:
      The new value.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     v = tf.get_variable("v", [], initializer=tf.ones_initializer())
      ...     session.run(v.initializer)
      ...     print(session.run(tf.assign_add(v, 2.0)))
      3.0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/assign_add
    """
    del use_locking
    return _written(ref).assign_add(value, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """Subtract a value from a variable.

    Args:
      ref: the variable.
      value: a tensor or numbers of the shape of the variable.
      use_locking: accepted and ignored.
      name: the name of the operation.

    Returns:
      The new value.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/assign_sub
    """
    del use_locking
    return _written(ref).assign_sub(value, name=name)


def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Replace rows of a variable; with repeated indices the last update wins.

    Args:
      ref: the variable.
      indices: row indices, of any shape.
      updates: the new rows, of shape `indices.shape + ref.shape[1:]`, or a scalar.
      use_locking: accepted and ignored.
      name: the name of the operation.

    Returns:
      The new value.

    Raises:
      InvalidArgumentError: an index is out of range when the operation runs.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_update
    """
    del use_locking
    return _with_rows(ref, "Update", indices, updates, name)


def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """Add to rows of a variable; the arguments are those of `scatter_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_add
    """
    del use_locking
    return _with_rows(ref, "Add", indices, updates, name)


def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtract from rows of a variable; the arguments are those of `scatter_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_sub
    """
    del use_locking
    return _with_rows(ref, "Sub", indices, updates, name)


def scatter_mul(ref, indices, updates, use_locking=False, name=None):
    """Multiply rows of a variable; the arguments are those of `scatter_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_mul
    """
    del use_locking
    return _with_rows(ref, "Mul", indices, updates, name)


def scatter_div(ref, indices, updates, use_locking=False, name=None):
    """Divide rows of a variable; the arguments are those of `scatter_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_div
    """
    del use_locking
    return _with_rows(ref, "Div", indices, updates, name)


def scatter_min(ref, indices, updates, use_locking=False, name=None):
    """Replace rows by their element-wise minimum with updates; arguments as for `scatter_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_min
    """
    del use_locking
    return _with_rows(ref, "Min", indices, updates, name)


def scatter_max(ref, indices, updates, use_locking=False, name=None):
    """Replace rows by their element-wise maximum with updates; arguments as for `scatter_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_max
    """
    del use_locking
    return _with_rows(ref, "Max", indices, updates, name)


def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
    """Replace slices of a variable.

    Args:
      ref: the variable.
      indices: coordinates in the last axis, as for `tensor_scatter_nd_update`.
      updates: the new slices.
      use_locking: accepted and ignored.
      name: the name of the operation.

    Returns:
      The new value.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_nd_update
    """
    del use_locking
    return _with_slices(ref, "Update", indices, updates, name)


def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
    """Add to slices of a variable; the arguments are those of `scatter_nd_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_nd_add
    """
    del use_locking
    return _with_slices(ref, "Add", indices, updates, name)


def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtract from slices of a variable; the arguments are those of `scatter_nd_update`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scatter_nd_sub
    """
    del use_locking
    return _with_slices(ref, "Sub", indices, updates, name)
