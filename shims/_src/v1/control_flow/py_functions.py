"""Provide operations that call Python functions: `py_func`, `numpy_function`, `py_function`."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np

import shims
from shims._src.errors import errors
from shims._src.platform import host_programs
from shims._src.types.dtypes import as_dtype
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly, graph_scope
from shims._src.v1.graph.nodes import Operation


def py_func(func, inp, Tout, stateful=True, name=None):
    """Call a function of NumPy arrays whenever the session computes the result.

    Args:
      func: the function.
      inp: a list of argument tensors.
      Tout: the dtype of the result, or a list of dtypes for several results.
      stateful: accepted and ignored, because every call is made in either case.
      name: the name of the operation.

    Returns:
      A tensor, or a list of tensors if `Tout` is a list; the operation if the list is empty. The
      shapes are unknown, and can be set with `set_shape`. There is no gradient.

    Raises:
      InvalidArgumentError: `func` returns more or fewer results than `Tout` declares, or results of
        different dtypes.

    Differs from TensorFlow:
      Inside of branches and loops the shapes must be set with `set_shape`. If compiled operations
      need the result, the arguments are computed twice, the first time without side effects.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     y = tf.py_func(lambda x: x + 1.0, [tf.constant(1.0, tf.float64)], tf.float64)
      ...     print(session.run(y))
      2.0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/py_func
    """
    if executing_eagerly():
        return shims.numpy_function(func, inp, Tout, stateful)
    return _add_call(func, inp, Tout, name or "PyFunc", "PyFunc", np.asarray)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Call a function of NumPy arrays; see `py_func`.

    https://www.tensorflow.org/api_docs/python/tf/numpy_function
    """
    if func is None:
        return lambda f: lambda *args: numpy_function(f, args, Tout, stateful)
    return py_func(func, inp, Tout, stateful, name)


def py_function(func=None, inp=None, Tout=None, name=None):
    """Call a function on JAX arrays whenever the session runs it; the function may use operators.

    Args:
      func: the function; `func` receives JAX arrays.
      inp: a list of argument tensors.
      Tout: the dtype of the result, or a list of dtypes for several results.
      name: the name of the operation.

    Returns:
      See `py_func`.

    Differs from TensorFlow:
      See `py_func`; in addition, gradients with respect to the arguments are not supported.

    https://www.tensorflow.org/api_docs/python/tf/py_function
    """
    if func is None:
        return lambda f: lambda *args: py_function(f, args, Tout)
    if executing_eagerly():
        return shims.py_function(func, inp, Tout)
    return _add_call(func, inp, Tout, name or "EagerPyFunc", "EagerPyFunc", jax.numpy.asarray)


def _add_call(func, inp, outputs, name: str, type_: str, convert):
    graph = get_default_graph()
    several = isinstance(outputs, (list, tuple))
    dtypes = [as_dtype(d) for d in (outputs if several else [outputs])]
    given = [convert_to_tensor(x) for x in inp]
    unique = graph.unique_name(name)

    def compute(session, op, values):
        del session, op
        with graph_scope(None):
            result = func(*(v if v.dtype == object else convert(v) for v in values))
        return _check_results(result, dtypes, unique)

    op = Operation(
        graph,
        type_,
        unique,
        compute,
        given,
        [(None, d) for d in dtypes],
        graph.present_control_inputs(),
    )
    op.on_host = True
    if type_ == "PyFunc":
        op.links = (frozenset(),) * len(dtypes)
    op.attributes["traced"] = _compute_traced
    if not dtypes:
        return op
    return op.outputs if several else op.outputs[0]


def _check_results(result, dtypes: Sequence, name: str) -> list:
    """Convert the results of a Python function to arrays, and check their number and dtypes."""
    if result is None:
        result = []
    listed = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(listed) != len(dtypes) and len(dtypes) == 1:
        listed = [result]
    if len(listed) != len(dtypes):
        raise errors.InvalidArgumentError(
            f"{name} returns {len(listed)} values, but expects to see {len(dtypes)} values."
        )
    return [
        _check_result(x, d, i, name) for i, (x, d) in enumerate(zip(listed, dtypes, strict=True))
    ]


def _check_result(value, dtype, position: int, name: str) -> np.ndarray:
    array = np.asarray(value)
    if dtype.name == "string":
        flat = [x.encode() if isinstance(x, str) else x for x in array.ravel().tolist()]
        text = np.empty(len(flat), object)
        text[:] = flat
        return text.reshape(array.shape)
    if array.dtype != dtype.dtype:
        raise errors.InvalidArgumentError(
            f"{position}-th value returned by {name} is {array.dtype.name}, but expects "
            f"{dtype.name}"
        )
    return array


def _compute_traced(op: Operation, values) -> list:
    """Call the Python function of an operation from inside a compiled program.

    This requires static output shapes.
    """
    for tensor in op.outputs:
        if not tensor.shape.is_fully_defined():
            raise errors.UnimplementedError(
                errors.message(
                    "Session.run",
                    f"{op.name} is inside a branch or a loop, and the shape of its result is not known.",
                    received=f"{tensor.name} of shape {tensor.shape}",
                    do="set the shape: `result.set_shape([...])`",
                )
            )
    specs = [jax.ShapeDtypeStruct(tuple(t.shape.as_list()), t.dtype.dtype) for t in op.outputs]

    def host(*arrays):
        return op.compute(None, op, [np.asarray(a) for a in arrays])

    return list(host_programs.io_callback(host, specs, *values, ordered=True))
