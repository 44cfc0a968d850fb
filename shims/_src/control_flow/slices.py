"""Check, iterate over and stack slices of arrays along the leading axis."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.array.joining import stack
from shims._src.control_flow.loop_state import LoopState
from shims._src.control_flow.loops import stage_scan
from shims._src.control_flow.staging import (
    ambient_is_staging,
    aval_of,
    is_array,
    is_number,
    is_staged,
    slice_avals,
    structure,
)
from shims._src.errors import errors
from shims._src.sizes.padded import Padded
from shims._src.tracing import own_programs
from shims._src.tracing.text_operands import elements
from shims._src.types.composite import is_composite
from shims._src.types.host_tensor import HostTensor


def staged(body, values, names, elems, length, label: str):
    """Apply a function of the loop's state and one slice to all slices in turn, staged as a scan."""
    item = slice_avals(elems)
    make = lambda body: LoopState(body, values, names, item, label=label)
    loop = own_programs.traced(make, body, (values, item))
    values, emitted, _ = stage_scan(loop, elems, length)
    return values, emitted


def elements_of(elems, label: str):
    """Convert `elems` to arrays; return them and the common size of their leading axes."""
    _refuse_composites(elems, label)
    is_padded = lambda x: isinstance(x, Padded)
    elems = jax.tree.map(lambda leaf: _as_element(leaf, label), elems, is_leaf=is_padded)
    leaves = jax.tree.leaves(elems)
    if not leaves or any(leaf.ndim == 0 for leaf in leaves):
        raise ValueError(
            errors.message(
                label,
                "`elems` must have a leading axis.",
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
                "the arrays of `elems` must have the same length.",
                required="equal sizes along axis 0",
                received=", ".join(str(d) for d in lengths),
            )
        )
    return elems, lengths[0]


def _refuse_composites(elems, label: str) -> None:
    for leaf in jax.tree.leaves(elems, is_leaf=is_composite):
        if is_composite(leaf):
            raise errors.UnimplementedError(
                errors.message(
                    label,
                    f"`elems` contains a {type(leaf).__name__}, whose slices have different sizes.",
                    required="arrays",
                    do="first convert `elems` to a dense array (`to_tensor()`), or map the values: "
                    "`shims.ragged.map_flat_values`, `shims.sparse.map_values`",
                )
            )


def check_dtypes(label: str, what: str, found, wanted) -> None:
    """Check that a function's results have the dtypes that TensorFlow's tensor lists require.

    Raises:
      DtypeMismatchError: a dtype differs.
    """
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        if a.dtype != b.dtype:
            raise errors.DtypeMismatchError(
                errors.message(label, what, required=b.dtype.name, received=a.dtype.name)
            )


def _as_element(leaf, label: str):
    if (
        is_array(leaf)
        or is_number(leaf)
        or isinstance(leaf, Padded)
        or hasattr(leaf, "__jax_array__")
    ):
        return elements(leaf)
    raise TypeError(
        errors.message(
            label,
            "`elems` must be arrays.",
            required="arrays, or nested numbers",
            received=repr(leaf),
        )
    )


def runs_eagerly(tree) -> bool:
    """Return whether slices are computed one after the other in Python; slices of strings always are."""
    leaves = jax.tree.leaves(tree)
    if any(isinstance(x, HostTensor) for x in leaves):
        return True
    return not any(map(is_staged, leaves)) and not ambient_is_staging()


def slice_at(elems, i: int):
    return jax.tree.map(lambda x: x[i], elems)


def stacked(results, label: str):
    """Stack results of equal structure along a new leading axis."""
    results = [jax.tree.map(elements, result) for result in results]
    trees = {jax.tree.structure(r) for r in results}
    shapes = {tuple(aval_of(x).shape for x in jax.tree.leaves(r)) for r in results}
    if len(trees) > 1 or len(shapes) > 1:
        different = " and ".join(", ".join(map(str, s)) for s in sorted(shapes, key=str))
        raise errors.InvalidArgumentError(
            errors.message(
                label,
                "the results of `fn` must have equal structures and shapes to be stacked.",
                required="equal structures and shapes",
                received=different,
                do="pad the results, or reduce each of them inside of `fn`.",
            )
        )
    return jax.tree.map(lambda *xs: stack(xs), *results)


def backwards(x):
    """Return the slices of an array in reverse order."""
    return x[::-1] if isinstance(x, HostTensor) else jnp.flip(x, 0)
