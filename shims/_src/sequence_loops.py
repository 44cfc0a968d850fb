"""`map_fn`, `vectorized_map`, `scan`, `foldl`, `foldr`: loops over the leading axis of arrays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src import errors, state
from shims._src.conversion import as_array
from shims._src.loop_state import LoopState
from shims._src.loops import stage_scan
from shims._src.staging import (
    ambient_is_staging,
    aval_of,
    is_array,
    is_number,
    is_staged,
    structure,
)
from shims._src.tensor_spec import as_numpy_dtype


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
    """The results of `fn` for each slice of `elems` along axis 0, stacked.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`.
      elems: arrays `[n, ...]`, nested.
      dtype: an older name of `fn_output_signature`.
      parallel_iterations: accepted; iterations run one after the other.
      back_prop: accepted.
      swap_memory: accepted.
      infer_shape: accepted.
      name: accepted.
      fn_output_signature: the dtype, or a spec, of each result; checked.

    Returns:
      Arrays `[n, ...]` in the structure of what `fn` returns.

    Raises:
      ValueError: `elems` has no axis, or axes of different lengths.
      InvalidArgumentError: the results differ in shape.
      TypeError: the results differ from `fn_output_signature`, or are not arrays.

    Differs from TensorFlow:
      Without `fn_output_signature` the results may have any dtype and structure. Ragged `elems`
      and ragged signatures are not supported. No slices at all give `[0, ...]` with the shape that
      `fn` would return, where TensorFlow's eager mode gives `[0]`.

    Under jit:
      A scan; `fn` is traced once.

    Example:
      >>> import jax.numpy as jnp
      >>> map_fn(lambda row: row.sum(), jnp.ones((2, 3))).tolist()
      [3.0, 3.0]

    https://www.tensorflow.org/api_docs/python/tf/map_fn
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape, name
    elems, length = _elements(elems, "map_fn")
    body = lambda values, item: (values, fn(item))
    if _runs_eagerly(elems) and length:
        results = _stack([fn(_slice(elems, i)) for i in range(length)], "map_fn")
    else:
        results = _staged(body, (), (), elems, length, "map_fn")[1]
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is not None:
        _check_signature(signature, results)
    return results


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """The results of `fn` for each slice of `elems` along axis 0, computed side by side.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`.
      elems: arrays `[n, ...]`, nested; those of length 1 serve every slice.
      fallback_to_while_loop: accepted; every function is vectorised.
      warn: accepted.

    Returns:
      Arrays `[n, ...]` in the structure of what `fn` returns.

    Raises:
      ValueError: the lengths differ and are not 1.
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
    leaves, tree = jax.tree.flatten(jax.tree.map(as_array, elems))
    lengths = [leaf.shape[0] if leaf.ndim else 1 for leaf in leaves]
    is_shared = [isinstance(d, int) and d == 1 for d in lengths]
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
                "`fn` assigns a variable, for which the slices run in no order.",
                received=", ".join(v.name for v in scope.written),
                do="use `map_fn`.",
            )
        )
    return results


def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """Everything that an accumulator becomes on its way through `elems`, stacked.

    Args:
      fn: from the accumulator and one slice of `elems` to the next accumulator.
      elems: arrays `[n, ...]`, nested.
      initializer: the accumulator before the first slice; the first slice itself if missing.
      parallel_iterations: accepted.
      back_prop: accepted.
      swap_memory: accepted.
      infer_shape: accepted.
      reverse: whether to go from the last slice to the first.
      name: accepted.

    Returns:
      Arrays `[n, ...]` in the structure of the accumulator, the i-th after slice i.

    Raises:
      OutOfRangeError: there are no slices and no `initializer`.
      TypeError: the accumulator changes its structure or dtype.
      UnimplementedError: the accumulator changes its shape under a trace.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `lax.scan`; eagerly a Python loop.

    Example:
      >>> import jax.numpy as jnp
      >>> scan(lambda a, x: a + x, jnp.arange(4)).tolist()
      [0, 1, 3, 6]

    https://www.tensorflow.org/api_docs/python/tf/scan
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape, name
    return _accumulate("scan", fn, elems, initializer, reverse, keep=True)


def foldl(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """What an accumulator becomes on its way through `elems`, from the first slice to the last.

    Args:
      fn: from the accumulator and one slice of `elems` to the next accumulator.
      elems: arrays `[n, ...]`, nested.
      initializer: the accumulator before the first slice; the first slice itself if missing.
      parallel_iterations: accepted.
      back_prop: accepted.
      swap_memory: accepted.
      name: accepted.

    Returns:
      The last accumulator.

    Raises:
      OutOfRangeError: there are no slices and no `initializer`.
      TypeError: the accumulator changes its structure or dtype.
      UnimplementedError: the accumulator changes its shape under a trace.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `lax.scan`; eagerly a Python loop, in which shapes may change.

    Example:
      >>> import jax.numpy as jnp
      >>> foldl(lambda a, x: 2 * a + x, jnp.arange(1, 4)).item()
      11

    https://www.tensorflow.org/api_docs/python/tf/foldl
    """
    del parallel_iterations, back_prop, swap_memory, name
    return _accumulate("foldl", fn, elems, initializer, reverse=False, keep=False)


def foldr(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """What an accumulator becomes on its way through `elems`, from the last slice to the first.

    The arguments, the errors and the rest are those of `foldl`.

    Returns:
      The last accumulator.

    Example:
      >>> import jax.numpy as jnp
      >>> foldr(lambda a, x: 2 * a + x, jnp.arange(1, 4)).item()
      17

    https://www.tensorflow.org/api_docs/python/tf/foldr
    """
    del parallel_iterations, back_prop, swap_memory, name
    return _accumulate("foldr", fn, elems, initializer, reverse=True, keep=False)


def _accumulate(label: str, fn, elems, initializer, reverse: bool, *, keep: bool):
    elems, length = _elements(elems, label)
    order = jax.tree.map(lambda x: jnp.flip(x, 0), elems) if reverse else elems
    first = None
    if initializer is None:
        if isinstance(length, int) and length == 0:
            raise errors.OutOfRangeError(
                errors.message(
                    label,
                    "there is nothing to start from.",
                    required="an `initializer`, or at least one slice",
                    received="no slices",
                )
            )
        first = _slice(order, 0)
        order, length = jax.tree.map(lambda x: x[1:], order), length - 1
    start = jax.tree.map(as_array, initializer) if first is None else first
    if _runs_eagerly((order, start)):
        last, kept = _fold(label, fn, start, order, length, keep)
    else:

        def body(values, item):
            new = jax.tree.map(as_array, fn(values[0], item))
            return [new], (new if keep else ())

        (last,), kept = _staged(body, [start], ["the accumulator"], order, length, label)
    if not keep:
        return last
    if first is not None:
        kept = jax.tree.map(lambda x, rest: jnp.concatenate([x[None], rest]), start, kept)
    return jax.tree.map(lambda x: jnp.flip(x, 0), kept) if reverse else kept


def _fold(label: str, fn, value, elems, length: int, keep: bool):
    """The accumulator after the last slice and, if they are kept, all of them stacked."""
    seen, tree = [], jax.tree.structure(value)
    for i in range(length):
        value = jax.tree.map(as_array, fn(value, _slice(elems, i)))
        if jax.tree.structure(value) != tree:
            raise TypeError(
                errors.message(
                    label,
                    "`the accumulator` must keep its structure from one iteration to the next.",
                    required=structure(tree),
                    received=f"{structure(jax.tree.structure(value))} after one iteration",
                    do="give it the structure before the loop that it has in it.",
                )
            )
        if keep:
            seen.append(value)
    if keep and not seen:
        return value, jax.tree.map(lambda x: jnp.zeros((0, *x.shape), x.dtype), value)
    return value, (_stack(seen, label) if keep else None)


def _staged(body, values, names, elems, length, label: str):
    item = jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype, weak_type=x.weak_type), elems
    )
    loop = LoopState(body, values, names, item, label=label)
    values, emitted, _ = stage_scan(loop, elems, length)
    return values, emitted


def _elements(elems, label: str):
    """`elems` as arrays, and how many slices they have."""
    elems = jax.tree.map(_element, elems)
    leaves = jax.tree.leaves(elems)
    if not leaves or any(leaf.ndim == 0 for leaf in leaves):
        raise ValueError(
            errors.message(
                label,
                "`elems` must have an axis to go along.",
                required="arrays of rank 1 or more",
                received=structure(jax.tree.structure(elems)).replace("*", "a scalar")
                if leaves
                else "no arrays",
            )
        )
    lengths = [leaf.shape[0] for leaf in leaves]
    if any(d is not lengths[0] and d != lengths[0] for d in lengths[1:]):
        raise ValueError(
            errors.message(
                label,
                "the arrays of `elems` must be equally long.",
                required="equal sizes along axis 0",
                received=", ".join(str(d) for d in lengths),
            )
        )
    return elems, lengths[0]


def _element(leaf):
    if is_array(leaf) or is_number(leaf) or hasattr(leaf, "__jax_array__"):
        return as_array(leaf)
    raise TypeError(f"`elems` must be arrays, received {leaf!r}.")


def _runs_eagerly(tree) -> bool:
    return not any(is_staged(x) for x in jax.tree.leaves(tree)) and not ambient_is_staging()


def _slice(elems, i: int):
    return jax.tree.map(lambda x: x[i], elems)


def _stack(results, label: str):
    """Results of one structure as arrays with a new leading axis."""
    results = [jax.tree.map(as_array, result) for result in results]
    trees = {jax.tree.structure(r) for r in results}
    shapes = {tuple(aval_of(x).shape for x in jax.tree.leaves(r)) for r in results}
    if len(trees) > 1 or len(shapes) > 1:
        different = " and ".join(", ".join(map(str, s)) for s in sorted(shapes, key=str))
        raise errors.InvalidArgumentError(
            errors.message(
                label,
                "the results of `fn` must be alike to be stacked.",
                required="equal structures and shapes",
                received=different,
                do="pad them, or return a reduction of each.",
            )
        )
    return jax.tree.map(lambda *xs: jnp.stack(xs), *results)


def _check_signature(signature, results) -> None:
    is_spec = lambda x: not isinstance(x, (tuple, list, dict)) or hasattr(x, "dtype")
    wanted, tree = jax.tree.flatten(signature, is_leaf=is_spec)
    found = jax.tree.leaves(results)
    if tree != jax.tree.structure(results):
        raise TypeError(
            errors.message(
                "map_fn",
                "`fn` must return what `fn_output_signature` says.",
                required=structure(tree),
                received=structure(jax.tree.structure(results)),
            )
        )
    for spec, result in zip(wanted, found):
        shape = getattr(spec, "shape", None)
        dtype = as_numpy_dtype(getattr(spec, "dtype", spec) if shape is not None else spec)
        dtype = jax.dtypes.canonicalize_dtype(dtype)
        fits = not hasattr(shape, "is_compatible_with") or shape.is_compatible_with(
            result.shape[1:]
        )
        if np.dtype(result.dtype) != dtype or not fits:
            raise TypeError(
                errors.message(
                    "map_fn",
                    "`fn` must return what `fn_output_signature` says.",
                    required=str(spec) if shape is not None else dtype.name,
                    received=f"{result.dtype.name}{list(result.shape[1:])}",
                )
            )
