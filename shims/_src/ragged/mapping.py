"""Implement `map_fn` over rows of ragged tensors and with ragged results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.array.joining import stack
from shims._src.control_flow.slices import elements_of, runs_eagerly
from shims._src.control_flow.staging import structure as structure_text
from shims._src.errors import errors
from shims._src.ragged import joining, partition
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.ragged.tensor import RaggedTensor, is_ragged
from shims._src.tracing.text_operands import elements


def holds_ragged(elems, signature) -> bool:
    """Return whether any input or result of `map_fn` is ragged."""
    return any(map(is_ragged, _leaves(elems)[0])) or any(map(_is_spec, _leaves(signature)[0]))


def _is_spec(x) -> bool:
    return isinstance(x, RaggedTensorSpec)


def _leaves(tree) -> tuple[list[Any], Any]:
    is_leaf = lambda x: not isinstance(x, (tuple, list, dict)) or hasattr(x, "dtype")
    return jax.tree.flatten(tree, is_leaf=is_leaf)


def map_rows(fn: Callable[..., Any], elems, signature, map_arrays: Callable[..., Any]):
    """Implement `map_fn` for ragged inputs or results.

    Args:
      fn: a function of one slice; a slice of a ragged tensor is a row.
      elems: arrays and ragged tensors, nested.
      signature: the dtype or spec of each result; by default that of `elems`.
      map_arrays: the implementation for arrays, called as `map_arrays(fn, elems, signature)`.

    Raises:
      UnimplementedError: ragged results while the program is traced.
      InvalidArgumentError: the results differ from the signature.
      ValueError: the arrays and ragged tensors differ in length.
    """
    leaves, tree = _leaves(elems)
    arrays = [jnp.arange(x.nrows()) if is_ragged(x) else elements(x) for x in leaves]

    def on_slice(items):
        rows = [x[i] if is_ragged(x) else i for x, i in zip(leaves, items, strict=True)]
        return fn(tree.unflatten(rows))

    if signature is None:
        signature = tree.unflatten([_spec_of(x) for x in leaves])
    specs, spec_tree = _leaves(signature)
    if not any(map(_is_spec, specs)):
        return map_arrays(on_slice, arrays, signature)
    if not runs_eagerly([leaves, arrays]):
        raise errors.UnimplementedError(
            errors.message(
                "map_fn",
                "ragged results are not supported while the program is traced.",
                required="results of the same shape",
                do=(
                    "map the values with `shims.ragged.map_flat_values`, or call this operator "
                    "outside of the traced function"
                ),
            )
        )
    arrays, length = elements_of(arrays, "map_fn")
    results = [on_slice([x[i] for x in arrays]) for i in range(length)]
    columns = list(zip(*(_result_leaves(result, spec_tree) for result in results), strict=True))
    columns = columns or [()] * len(specs)
    return spec_tree.unflatten(
        [_stack_results(spec, found) for spec, found in zip(specs, columns, strict=True)]
    )


def _spec_of(x):
    """Return the spec of a slice (row) of an array or ragged tensor."""
    if is_ragged(x):
        return RaggedTensorSpec([None] * (x.shape.rank - 1), x.dtype, x.ragged_rank - 1)
    return x.dtype


def _result_leaves(result, tree) -> list[Any]:
    found, structure = _leaves(result)
    if structure != tree:
        raise _signature_error(structure_text(tree), structure_text(structure))
    return found


def _signature_error(required: str, received: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(
        errors.message(
            "map_fn",
            "the result of `fn` does not match `fn_output_signature`.",
            required=required,
            received=received,
        )
    )


def _stack_results(spec, found):
    if not _is_spec(spec):
        return stack([elements(x) for x in found])
    found = [x if is_ragged(x) else elements(x) for x in found]
    for x in found:
        fits = x.dtype == jax.dtypes.canonicalize_dtype(spec.dtype)
        if not fits or not spec.shape.is_compatible_with(x.shape):
            received = f"{np.dtype(x.dtype).name}{list(x.shape)}"
            raise _signature_error(f"{spec.dtype.name}{list(spec.shape)}", received)
    if found:
        out = joining.stack(found)
        return out.with_row_splits_dtype(spec.row_splits_dtype) if is_ragged(out) else out
    values: Any = jnp.zeros((0, *(d or 0 for d in list(spec.shape)[spec.ragged_rank + 1 :])))
    values = values.astype(jax.dtypes.canonicalize_dtype(spec.dtype))
    for _ in range(spec.ragged_rank + 1):
        values = RaggedTensor(values, jnp.zeros((1,), partition.splits_dtype()))
    return values
