"""Define `scan`, `foldl` and `foldr`, which fold a function over the slices of arrays."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.array.joining import concat
from shims._src.control_flow.slices import (
    backwards,
    check_dtypes,
    elements_of,
    runs_eagerly,
    slice_at,
    stacked,
    staged,
)
from shims._src.control_flow.staging import structure
from shims._src.errors import errors
from shims._src.tracing.text_operands import elements


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
    """Fold `fn` over the slices of `elems`, and return all accumulators stacked.

    Args:
      fn: maps the accumulator and one slice of `elems` to the next accumulator.
      elems: arrays `[n, ...]`, nested.
      initializer: the accumulator before the first slice; the first slice itself if missing.
      parallel_iterations: accepted and ignored.
      back_prop: accepted and ignored.
      swap_memory: accepted and ignored.
      infer_shape: accepted and ignored.
      reverse: whether to go from the last slice to the first.
      name: accepted and ignored.

    Returns:
      Arrays `[n, ...]` in the structure of the accumulator; row i is the accumulator after slice i.

    Raises:
      OutOfRangeError: there are no slices and no `initializer`; inside `shims.function`, the error
        is an `InvalidArgumentError`.
      TypeError: the accumulator changes its structure or dtype.
      UnimplementedError: the accumulator changes its shape under a trace.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Becomes `lax.scan`; in eager execution, a Python loop.

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
    """Fold `fn` over the slices of `elems`, from the first to the last.

    Args:
      fn: maps the accumulator and one slice of `elems` to the next accumulator.
      elems: arrays `[n, ...]`, nested.
      initializer: the accumulator before the first slice; the first slice itself if missing.
      parallel_iterations: accepted and ignored.
      back_prop: accepted and ignored.
      swap_memory: accepted and ignored.
      name: accepted and ignored.

    Returns:
      The last accumulator.

    Raises:
      OutOfRangeError: there are no slices and no `initializer`; inside `shims.function`, the error
        is an `InvalidArgumentError`.
      TypeError: the accumulator changes its structure or dtype.
      UnimplementedError: the accumulator changes its shape under a trace.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Becomes `lax.scan`; in eager execution, a Python loop, in which shapes may change.

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
    """Fold `fn` over the slices of `elems`, from the last to the first.

    Args:
      fn: maps the accumulator and one slice of `elems` to the next accumulator.
      elems: arrays `[n, ...]`, nested.
      initializer: the accumulator before the last slice; the last slice itself if missing.
      parallel_iterations: accepted and ignored.
      back_prop: accepted and ignored.
      swap_memory: accepted and ignored.
      name: accepted and ignored.

    Returns:
      The last accumulator.

    Raises:
      OutOfRangeError: there are no slices and no `initializer`; inside `shims.function`, the error
        is an `InvalidArgumentError`.
      TypeError: the accumulator changes its structure or dtype.
      UnimplementedError: the accumulator changes its shape under a trace.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Becomes `lax.scan`; in eager execution, a Python loop, in which shapes may change.

    Example:
      >>> import jax.numpy as jnp
      >>> foldr(lambda a, x: 2 * a + x, jnp.arange(1, 4)).item()
      17

    https://www.tensorflow.org/api_docs/python/tf/foldr
    """
    del parallel_iterations, back_prop, swap_memory, name
    return _accumulate("foldr", fn, elems, initializer, reverse=True, keep=False)


def _accumulate(label: str, fn, elems, initializer, reverse: bool, *, keep: bool):
    elems, length = elements_of(elems, label)
    order = jax.tree.map(backwards, elems) if reverse else elems
    first = None
    if initializer is None:
        if isinstance(length, int) and length == 0:
            eagerly = runs_eagerly(elems)
            raise (errors.OutOfRangeError if eagerly else errors.InvalidArgumentError)(
                errors.message(
                    label,
                    "`elems` has no slices, and there is no `initializer`.",
                    required="an `initializer`, or at least one slice",
                    received="no slices",
                )
            )
        first = slice_at(order, 0)
        order, length = elements_of(jax.tree.map(lambda x: x[1:], order), label)
    start = jax.tree.map(elements, initializer) if first is None else first
    if runs_eagerly((order, start)):
        last, kept = _fold_eagerly(label, fn, start, order, length, keep)
    else:

        def body(values, item):
            new = jax.tree.map(elements, fn(values[0], item))
            return [new], (new if keep else ())

        (last,), kept = staged(body, [start], ["the accumulator"], order, length, label)
    if not keep:
        return last
    if first is not None:
        kept = jax.tree.map(lambda x, rest: concat([x[None], rest], 0), start, kept)
    return jax.tree.map(backwards, kept) if reverse else kept


def _fold_eagerly(label: str, fn, value, elems, length: int, keep: bool):
    """Fold `fn` in a Python loop; return the last accumulator, and with `keep` all of them, stacked."""
    seen: list = []
    tree: Any = jax.tree.structure(value)
    dtypes = value
    for i in range(length):
        value = jax.tree.map(elements, fn(value, slice_at(elems, i)))
        if jax.tree.structure(value) != tree:
            raise TypeError(
                errors.message(
                    label,
                    "the accumulator must keep its structure from one iteration to the next.",
                    required=structure(tree),
                    received=f"{structure(jax.tree.structure(value))} after one iteration",
                    do=(
                        "before the loop, give the accumulator the structure that it has after "
                        "an iteration."
                    ),
                )
            )
        what = "the accumulator must keep its dtype from one iteration to the next."
        check_dtypes(label, what, value, dtypes)
        if keep:
            seen.append(value)
    if keep and not seen:
        return value, jax.tree.map(lambda x: jnp.zeros((0, *x.shape), x.dtype), value)
    return value, (stacked(seen, label) if keep else None)
