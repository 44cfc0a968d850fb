"""Implement `map_fn` and `vectorized_map`: map a function over the slices of arrays."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import as_array
from shims._src.control_flow.slices import (
    check_dtypes,
    elements_of,
    runs_eagerly,
    slice_at,
    stacked,
    staged,
)
from shims._src.control_flow.staging import structure
from shims._src.errors import errors
from shims._src.ragged import mapping
from shims._src.recording import state
from shims._src.sizes.padded import Padded
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec, as_numpy_dtype


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=None,
    swap_memory=None,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """Apply `fn` to each slice of `elems` along axis 0 and stack the results.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`.
      elems: arrays `[n, ...]` and ragged tensors of `n` rows, nested.
      dtype: a deprecated name of `fn_output_signature`.
      parallel_iterations: ignored; iterations run sequentially.
      back_prop: ignored.
      swap_memory: ignored.
      infer_shape: ignored.
      name: ignored.
      fn_output_signature: the dtype or spec of each result; checked. A `RaggedTensorSpec` allows
        results of different sizes.

    Returns:
      Arrays `[n, ...]` in the structure of the results of `fn`; ragged tensors where the signature
      is a `RaggedTensorSpec`, or where there is no signature and `elems` is ragged.

    Raises:
      ValueError: `elems` has no axis, or axes of different lengths.
      InvalidArgumentError: the results differ in shape or, without a signature, do not have the dtype
        of `elems`.
      UnimplementedError: `elems` contains sparse tensors, or results are ragged in a traced
        program.
      TypeError: the results differ from `fn_output_signature`, or are not arrays.

    Differs from TensorFlow:
      Without `fn_output_signature` the results may have any structure. Ragged results inside `shims.function`
      are rejected. For zero slices the result has the shape `[0, ...]` with the shape of the results of `fn`,
      whereas TensorFlow's eager mode returns `[0]`. If `fn` cannot be traced because it depends on values,
      the shape is `[0]`, too.

    Under jit:
      Becomes a scan; `fn` is traced once.

    Example:
      >>> import jax.numpy as jnp
      >>> map_fn(lambda row: row.sum(), jnp.ones((2, 3))).tolist()
      [3.0, 3.0]

    https://www.tensorflow.org/api_docs/python/tf/map_fn
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape, name
    signature = dtype if fn_output_signature is None else fn_output_signature
    if mapping.holds_ragged(elems, signature):
        return mapping.map_rows(fn, elems, signature, _map_arrays)
    return _map_arrays(fn, elems, signature)


def _map_arrays(fn, elems, signature):
    elems, length = elements_of(elems, "map_fn")
    body = lambda values, item: (values, fn(item))
    if runs_eagerly(elems) and length:
        results = stacked([fn(slice_at(elems, i)) for i in range(length)], "map_fn")
    elif runs_eagerly(elems):
        results = _map_zero_slices(body, elems, signature)
    else:
        results = staged(body, (), (), elems, length, "map_fn")[1]
    if signature is not None:
        _check_signature(signature, results)
    elif jax.tree.structure(results) == jax.tree.structure(elems):
        what = "without `fn_output_signature` the results must have the dtypes of `elems`."
        check_dtypes("map_fn", what, results, elems)
    return results


def _map_zero_slices(body, elems, signature):
    """Return the results of `map_fn` for zero slices in eager mode; `fn` is not called."""
    try:
        return staged(body, (), (), elems, 0, "map_fn")[1]
    except Exception:  # noqa: BLE001 - `fn` depends on values, so it cannot be traced
        specs = elems if signature is None else signature
        return jax.tree.map(_zero_results, specs, is_leaf=_is_spec)


def _zero_results(spec):
    """Return the result of `map_fn` for zero slices: `[0, ...]` if the spec has a shape, else `[0]`."""
    shape = TensorShape(spec.shape if isinstance(spec, TensorSpec) else None)
    known = shape.as_list() if shape.is_fully_defined() else []
    return jnp.zeros((0, *known), _dtype_of(spec))


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Apply `fn` to all slices of `elems` along axis 0 at once and stack the results.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`.
      elems: arrays `[n, ...]`, nested; arrays of length 1 are passed to all slices.
      fallback_to_while_loop: ignored; every function is vectorized.
      warn: ignored.

    Returns:
      Arrays of shape `[n, ...]` in the structure of the results of `fn`.

    Raises:
      InvalidArgumentError: the lengths differ and are not 1.
      UnimplementedError: `fn` assigns a variable.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `jax.vmap`.

    Example:
      >>> import jax.numpy as jnp
      >>> vectorized_map(lambda x: x * 2, jnp.arange(3)).tolist()
      [0, 2, 4]

    https://www.tensorflow.org/api_docs/python/tf/vectorized_map
    """
    del fallback_to_while_loop, warn
    is_padded = lambda x: isinstance(x, Padded)
    leaves, tree = jax.tree.flatten(jax.tree.map(as_array, elems, is_leaf=is_padded))
    lengths = [leaf.shape[0] if leaf.ndim else 1 for leaf in leaves]
    is_shared = [isinstance(d, int) and d == 1 for d in lengths]
    known = {d for d in lengths if isinstance(d, int) and d != 1}
    if len(known) > 1:
        raise errors.InvalidArgumentError(
            errors.message(
                "vectorized_map",
                "the arrays of `elems` must have the same length.",
                required="equal sizes along axis 0, or size 1",
                received=", ".join(map(str, lengths)),
            )
        )
    if all(is_shared):
        is_shared = [False] * len(leaves)
    shared = [leaf[0] if once and leaf.ndim else leaf for leaf, once in zip(leaves, is_shared)]
    axes = [None if once else 0 for once in is_shared]
    scope = state.Overlay(state.current_scope())

    def on_slice(*slices):
        with state.state_scope(scope):
            result = fn(jax.tree.unflatten(tree, slices))
        return jax.tree.map(as_array, result)

    results = jax.vmap(on_slice, in_axes=axes)(*shared)
    if scope.writes:
        raise errors.UnimplementedError(
            errors.message(
                "vectorized_map",
                "`fn` assigns a variable, but the order of the slices is undefined.",
                received=", ".join(v.name for v in scope.written),
                do="use `map_fn`.",
            )
        )
    return results


def _check_signature(signature, results) -> None:
    wanted: list
    tree: Any
    wanted, tree = jax.tree.flatten(signature, is_leaf=_is_spec)
    found = jax.tree.leaves(results)
    if tree != jax.tree.structure(results):
        raise TypeError(
            errors.message(
                "map_fn",
                "the result of `fn` does not match `fn_output_signature`.",
                required=structure(tree),
                received=structure(jax.tree.structure(results)),
            )
        )
    for spec, result in zip(wanted, found):
        shape: Any = getattr(spec, "shape", None)
        dtype = _dtype_of(spec)
        fits = not hasattr(shape, "is_compatible_with") or shape.is_compatible_with(
            result.shape[1:]
        )
        if np.dtype(result.dtype) != dtype or not fits:
            raise TypeError(
                errors.message(
                    "map_fn",
                    "the result of `fn` does not match `fn_output_signature`.",
                    required=str(spec) if shape is not None else dtype.name,
                    received=f"{result.dtype.name}{list(result.shape[1:])}",
                )
            )


def _is_spec(x) -> bool:
    return not isinstance(x, (tuple, list, dict)) or hasattr(x, "dtype")


def _dtype_of(spec) -> np.dtype:
    """Return the dtype of a spec or an array; return a dtype unchanged."""
    dtype = spec if getattr(spec, "shape", None) is None else spec.dtype
    return jax.dtypes.canonicalize_dtype(as_numpy_dtype(dtype))
