"""Refuse reductions of the leaves of a `Padded` that would count its padding.

The leaves have padding of 0 (`padded_leaves.py`), which is right for sums and norms, but not for means or
maxima. Code that reduces all leaves of a pytree also reduces the code of the sizes, which has a rare shape. JAX
asks for the result type of each operation when it traces or first runs it, and there the code is recognized.

Until the leaves of some `Padded` have been handed out, there is no code, and every array is what it seems.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import size_code


class _Codes:
    """The state of this process with regard to codes."""

    are_handed_out = False
    # Whether an array with the shape of a code, but none, was reduced: JAX's caches hold its programs.
    were_imitated = False


def watch() -> None:
    """Look for codes from now on, because the leaves of a `Padded` are handed out."""
    if _Codes.are_handed_out:
        return
    _Codes.are_handed_out = True
    if _Codes.were_imitated:
        jax.clear_caches()


def install() -> None:
    """Let JAX's reductions refuse codes of sizes."""
    for parameter, primitives in jp.READS_ZEROS.items():
        for primitive in primitives:
            rule = _checked(primitive.abstract_eval, primitive.name, parameter)
            setattr(primitive, "abstract_eval", rule)  # noqa: B010 - JAX annotates it otherwise
    summed = jp.reduce_sum_p
    setattr(summed, "abstract_eval", _checked(summed.abstract_eval, "count", "axes", counts=True))  # noqa: B010
    jp.mlir.register_lowering(summed, functools.partial(_lowered_sum, jp.lowering_rule(summed)))
    for module, name in jp.reductions_by_place():
        setattr(module, name, _checked_function(getattr(module, name)))


def _checked(original: Any, name: str, parameter: str, counts: bool = False) -> Any:
    @functools.wraps(original)
    def rule(*operands: Any, **params: Any) -> Any:
        for x in operands:
            if counts and np.issubdtype(x.dtype, np.inexact):
                continue
            _check(x, params.get(parameter), name)
        return original(*operands, **params)

    return rule


def _checked_function(original: Any) -> Any:
    name = {"_count": "mean"}.get(original.__name__, original.__name__.strip("_"))
    signature = inspect.signature(original)

    @functools.wraps(original)
    def checked(a: Any, *args: Any, **kwargs: Any) -> Any:
        axis = signature.bind(a, *args, **kwargs).arguments.get("axis")
        axes = axis if axis is None or isinstance(axis, tuple | list) else (axis,)
        _check(a, axes, name)
        return original(a, *args, **kwargs)

    return checked


def _lowered_sum(original: Any, context: Any, x: Any, *, axes: Any, **params: Any) -> Any:
    """Lower a sum; that of a code is NaN if a function such as `cos` was applied, which makes 0 count."""
    (operand,), (result,) = context.avals_in, context.avals_out
    if not _reads_code(operand.shape, axes):
        return original(context, x, axes=axes, **params)
    summed = functools.partial(_sum_of_small, axes=tuple(axes), shape=result.shape)
    return jp.mlir.lower_fun(summed, multiple_results=False)(context, x)


def _sum_of_small(code: Any, *, axes: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    # Without the dimensions of 1, this is not a code.
    rows, columns = code.ndim - size_code.RANK, code.ndim - 1
    plain = lax.reshape(code, (*code.shape[: rows + 1], code.shape[-1]))
    kept = tuple(rows + 1 if i == columns else i for i in axes if i <= rows or i == columns)
    is_small = lax.abs(plain) <= size_code.LARGEST
    total = lax.reduce_sum(plain, kept)
    return lax.reshape(jnp.where(lax.reduce_and(is_small, kept), total, jnp.nan), shape)


def _reads_code(shape: tuple[Any, ...], axes: Any) -> bool:
    """Return whether a reduction reads a code, other than along an axis that stacks several."""
    if not size_code.has_shape_of_code(shape):
        return False
    if not _Codes.are_handed_out:
        _Codes.were_imitated = True
        return False
    return axes is None or any(i % len(shape) >= len(shape) - size_code.RANK for i in axes)


def _check(x: Any, axes: Any, name: str) -> None:
    shape = np.shape(x)
    if not _reads_code(shape, axes):
        return
    raise errors.PaddedUseError(
        errors.message(
            "Padded",
            f"the leaves of a padded value are reduced (`{name}`), which would include the padding.",
            required="sums, norms and elementwise functions of the leaves",
            received=f"the leaf that stores the sizes of the padded value, an array {x.dtype.name}{list(shape)}",
            do=(
                "wrap the whole computation, so that the computation receives arrays without padding: "
                "`shims.dynamic(f)(tree)`, for instance `shims.dynamic(optimizer.update)(updates, state, params)`"
            ),
        )
    )
