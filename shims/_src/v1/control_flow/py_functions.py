"""Functions of Python in a graph: `py_func`, `numpy_function`, `py_function`."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
from jax.experimental import io_callback

import shims
from shims._src.errors import errors
from shims._src.types.dtypes import as_dtype
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly, graph_scope
from shims._src.v1.graph.nodes import Operation


def py_func(func, inp, Tout, stateful=True, name=None):
    """What a function of NumPy arrays gives whenever the session computes it.

    Args:
      func: the function.
      inp: a list of tensors.
      Tout: the dtype of the result, or a list of them for several.
      stateful: whether every call counts; every call is made in either case.
      name: the name of the operation.

    Returns:
      A tensor, or a list of them where `Tout` is one; the operation if that is empty. Their shapes
      are unknown, and can be said by `set_shape`. They have no gradient.

    Raises:
      InvalidArgumentError: when it runs, `func` gives another number of results, or other dtypes.

    Differs from TensorFlow:
      Inside of branches and loops the shapes must be said by `set_shape`. Where compiled operations
      need the result, what it is computed from is computed twice, without effects the first time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/py_func
    """
    if executing_eagerly():
        return shims.numpy_function(func, inp, Tout, stateful)
    return _called(func, inp, Tout, name or "PyFunc", "PyFunc", np.asarray)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """The same as `py_func`.

    https://www.tensorflow.org/api_docs/python/tf/numpy_function
    """
    if func is None:
        return lambda f: lambda *args: numpy_function(f, args, Tout, stateful)
    return py_func(func, inp, Tout, stateful, name)


def py_function(func=None, inp=None, Tout=None, name=None):
    """What a function of arrays, which may use operators, gives whenever the session computes it.

    Args:
      func: the function; it gets JAX arrays.
      inp: a list of tensors.
      Tout: the dtype of the result, or a list of them for several.
      name: the name of the operation.

    Returns:
      As `py_func`.

    Differs from TensorFlow:
      As `py_func`; and differentiating by what it takes is refused.

    https://www.tensorflow.org/api_docs/python/tf/py_function
    """
    if func is None:
        return lambda f: lambda *args: py_function(f, args, Tout)
    if executing_eagerly():
        return shims.py_function(func, inp, Tout)
    return _called(func, inp, Tout, name or "EagerPyFunc", "EagerPyFunc", jax.numpy.asarray)


def _called(func, inp, outputs, name: str, type_: str, convert):
    graph = get_default_graph()
    several = isinstance(outputs, (list, tuple))
    dtypes = [as_dtype(d) for d in (outputs if several else [outputs])]
    given = [convert_to_tensor(x) for x in inp]
    unique = graph.unique_name(name)

    def compute(session, op, values):
        del session, op
        with graph_scope(None):
            result = func(*(v if v.dtype == object else convert(v) for v in values))
        return _results(result, dtypes, unique)

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
    op.attributes["traced"] = _traced
    if not dtypes:
        return op
    return op.outputs if several else op.outputs[0]


def _results(result, dtypes: Sequence, name: str) -> list:
    """The results of a function as arrays of the dtypes that it was said to have."""
    if result is None:
        result = []
    listed = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(listed) != len(dtypes) and len(dtypes) == 1:
        listed = [result]
    if len(listed) != len(dtypes):
        raise errors.InvalidArgumentError(
            f"{name} returns {len(listed)} values, but expects to see {len(dtypes)} values."
        )
    return [_array(x, d, i, name) for i, (x, d) in enumerate(zip(listed, dtypes, strict=True))]


def _array(value, dtype, position: int, name: str) -> np.ndarray:
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


def _traced(op: Operation, values) -> list:
    """The operation inside of a compiled program, where the shapes of its results must be known."""
    for tensor in op.outputs:
        if not tensor.shape.is_fully_defined():
            raise errors.UnimplementedError(
                errors.message(
                    "Session.run",
                    f"{op.name} is inside of a branch or a loop, and the shape of what it gives is "
                    "not known.",
                    received=f"{tensor.name} of shape {tensor.shape}",
                    do="say the shape: `result.set_shape([...])`",
                )
            )
    specs = [jax.ShapeDtypeStruct(tuple(t.shape.as_list()), t.dtype.dtype) for t in op.outputs]

    def host(*arrays):
        return op.compute(None, op, [np.asarray(a) for a in arrays])

    return list(io_callback(host, specs, *values, ordered=True))
