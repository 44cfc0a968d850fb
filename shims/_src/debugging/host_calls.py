"""Call Python functions on the host: `py_function` and `numpy_function`."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.operands import operand
from shims._src.errors import errors
from shims._src.platform import host_programs
from shims._src.platform import jax_private as jp
from shims._src.recording.contexts import executing_eagerly
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_spec import TensorSpec


def py_function(func=None, inp=None, Tout=None, name=None):
    """Call a Python function on JAX arrays; it may use operators and is differentiable.

    Args:
      func: the function; `func` receives JAX arrays.
      inp: a list of arrays.
      Tout: the dtype of the result, a list of dtypes for several results, or an empty list for
        none. Inside a trace, give a `TensorSpec` for each result, which adds the shape; a size may
        be the size of an input, such as `x.shape[0]`.
      name: ignored.

    Returns:
      An array, or a list of arrays if `Tout` is a list.

    Raises:
      InvalidArgumentError: a result has a different dtype or shape.
      UnimplementedError: the shape of a result is not known while tracing.

    Differs from TensorFlow:
      Inside a trace the shape must be given, and exceptions of `func` become JAX runtime errors;
      outside a trace, the exceptions propagate unchanged.

    Under jit:
      Uses `jax.pure_callback`, so a call may be skipped or repeated. A call without results is made
      exactly once, in program order.

    Example:
      >>> import shims
      >>> float(shims.py_function(lambda x: x * 2, [3.0], shims.float32))
      6.0

    https://www.tensorflow.org/api_docs/python/tf/py_function
    """
    if func is None:
        return lambda f: lambda *args: py_function(f, args, Tout)
    return _call_host("py_function", func, inp, Tout, numpy=False, ordered=False)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Call a Python function on NumPy arrays; it has no gradient.

    Args:
      func: the function; `func` receives NumPy arrays.
      inp: a list of arrays.
      Tout: the dtype of the result, a list of dtypes for several results, or an empty list for
        none. Inside a trace, give a `TensorSpec` for each result, which adds the shape; a size may
        be the size of an input, such as `x.shape[0]`.
      stateful: whether calls have side effects; if False, a call may be skipped or repeated.
      name: ignored.

    Returns:
      An array, or a list of arrays if `Tout` is a list.

    Raises:
      InvalidArgumentError: a result has a different dtype or shape.
      UnimplementedError: the shape of a result is not known while tracing.

    Differs from TensorFlow:
      Inside a trace the shape must be given, and exceptions of `func` become JAX runtime errors;
      outside a trace, the exceptions propagate unchanged.

    Under jit:
      `jax.experimental.io_callback`, or `jax.pure_callback` if `stateful` is False.

    Example:
      >>> import shims
      >>> print(shims.numpy_function(lambda x: x + 1.0, [shims.constant(1.0)], shims.float32))
      2.0

    https://www.tensorflow.org/api_docs/python/tf/numpy_function
    """
    if func is None:
        return lambda f: lambda *args: numpy_function(f, args, Tout, stateful)
    return _call_host("numpy_function", func, inp, Tout, numpy=True, ordered=stateful)


def _call_host(function: str, func, inp, outputs, *, numpy: bool, ordered: bool):
    several = isinstance(outputs, (list, tuple))
    specs = list(outputs) if several else [outputs]
    arrays = [operand(x) for x in inp]
    if numpy:
        arrays = [jax.lax.stop_gradient(x) for x in arrays]
    traced = any(map(jp.is_tracer, arrays)) or not executing_eagerly()

    def listed(*values):
        return _as_list(func(*values), several)

    run = _run_staged if traced else _run_eagerly
    results = run(function, listed, arrays, specs, numpy, ordered)
    return results if several else results[0]


def _as_list(result, several: bool):
    """Convert the result of a function to a list: empty for `None`, one item for a single value."""
    if result is None:
        return []
    return list(result) if several and isinstance(result, (list, tuple)) else [result]


def _run_eagerly(
    function: str, func, arrays: Sequence, specs: Sequence, numpy: bool, ordered: bool
):
    results = func(*(map(np.asarray, arrays) if numpy else arrays))
    _check_count(function, results, specs)
    if numpy:
        return [operand(r) for r in results]
    return [_convert_result(function, r, s) for r, s in zip(results, specs, strict=True)]


def _check_count(function: str, results, specs) -> None:
    if len(results) < len(specs):
        raise errors.InvalidArgumentError(
            errors.message(
                function,
                "`func` returned fewer results than `Tout` declares.",
                required=f"{len(specs)}",
                received=f"{len(results)}",
            )
        )
    del results[len(specs) :]


def _dtype(function: str, spec) -> np.dtype:
    return array_dtype(
        getattr(spec, "dtype", spec) if isinstance(spec, TensorSpec) else spec, function
    )


def _convert_result(function: str, result, spec):
    dtype = _dtype(function, spec)
    try:
        return operand(result, dtype)
    except (TypeError, ValueError) as error:
        raise errors.InvalidArgumentError(
            errors.message(
                function,
                "`func` returned an array whose dtype differs from `Tout`.",
                required=dtype.name,
                received=str(error),
            )
        ) from None


# ---- inside a trace ------------------------------------------------------------------------------


def _run_staged(function: str, func, arrays: Sequence, specs: Sequence, numpy: bool, ordered: bool):
    shapes = [_result_shape(function, s) for s in specs]

    def host(*values):
        given = [np.asarray(v) for v in values] if numpy else [jnp.asarray(v) for v in values]
        results = func(*given)
        _check_count(function, results, specs)
        return [_check_result(function, r, s) for r, s in zip(results, shapes, strict=True)]

    if not specs or (ordered and not any(map(jp.is_batched, arrays))):
        return list(
            host_programs.io_callback(host, shapes, *arrays, ordered=bool(ordered or not specs))
        )
    if numpy:
        return list(host_programs.pure_callback(host, shapes, *arrays, vmap_method="sequential"))
    return list(_differentiable(func, host, shapes)(*arrays))


def _result_shape(function: str, spec) -> jax.ShapeDtypeStruct:
    sizes = (
        list(spec.shape) if isinstance(spec, TensorSpec) and spec.shape.rank is not None else None
    )
    if sizes is None or any(d is None or isinstance(d, str) for d in sizes):
        raise errors.UnimplementedError(
            errors.message(
                function,
                "the shape of the result of `func` is not known while the program is traced.",
                required="a `TensorSpec` in `Tout` that has all sizes",
                received=f"Tout={spec}",
                do="write `Tout=shims.TensorSpec(x.shape, shims.float32)` with the shape of the result",
            )
        )
    return jax.ShapeDtypeStruct(tuple(sizes), _dtype(function, spec))


def _check_result(function: str, result, shape) -> np.ndarray:
    found = np.asarray(result)
    if isinstance(result, (int, float, list, tuple)) or found.dtype.itemsize == 8:
        found = found.astype(shape.dtype) if found.dtype.kind == shape.dtype.kind else found
    known = [(a, b) for a, b in zip(found.shape, shape.shape, strict=False) if isinstance(b, int)]
    fits = found.ndim == len(shape.shape) and all(a == b for a, b in known)
    if found.dtype != shape.dtype or not fits:
        raise errors.InvalidArgumentError(
            errors.message(
                function,
                "the result of `func` does not match `Tout`.",
                required=f"{shape.dtype.name}{list(shape.shape)}",
                received=f"{found.dtype.name}{list(found.shape)}",
            )
        )
    return found


def _differentiable(func, host, shapes):
    """Wrap a host call so that JAX can differentiate it, by another host call in the backward pass."""

    @jax.custom_vjp
    def call(*arrays):
        return host_programs.pure_callback(host, shapes, *arrays, vmap_method="sequential")

    def forward(*arrays):
        return call(*arrays), arrays

    def backward(arrays, cotangents):
        moving = [i for i, x in enumerate(arrays) if jnp.issubdtype(x.dtype, jnp.inexact)]

        def host_gradient(arrays, cotangents):
            given = [jnp.asarray(a) for a in arrays]

            def outputs(*primals):
                full = list(given)
                for i, value in zip(moving, primals, strict=True):
                    full[i] = value
                return [operand(r) for r in func(*full)]

            _, pull = jax.vjp(outputs, *(given[i] for i in moving))
            return [np.asarray(g) for g in pull([jnp.asarray(c) for c in cotangents])]

        wanted = [jax.ShapeDtypeStruct(arrays[i].shape, arrays[i].dtype) for i in moving]
        found = iter(
            host_programs.pure_callback(
                host_gradient, wanted, arrays, list(cotangents), vmap_method="sequential"
            )
        )
        return tuple(
            next(found) if i in moving else np.zeros(x.shape, jax.dtypes.float0)
            for i, x in enumerate(arrays)
        )

    call.defvjp(forward, backward)
    return call
