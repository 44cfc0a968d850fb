"""Call JAX's reductions over unknown sizes without their `jit`; sums and means take a short path.

JAX traces the `jit` around a reduction once per type and caches the result. The result of each selection, such
as `boolean_mask`, has a size symbol and so a type of its own, for which the cache has no entry.
"""

from __future__ import annotations

import functools
import inspect
import math

import numpy as np
from jax import lax

from shims._src.platform import jax_private as jp

# The operand, and options that change nothing where it has one of these dtypes.
_WITHOUT_EFFECT = frozenset({"a", "promote_integers", "upcast_f16_for_computation"})
_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def call_in_place(state, original, *args, **kwargs):
    """Call a reduction of JAX without its `jit` if its operand has unknown sizes."""
    a = args[0] if args else None
    if not any(map(jp.is_symbolic, np.shape(a))):
        return original(*args, **kwargs)
    direct = _DIRECT.get(original.__name__)
    axes = None if direct is None else _plain_axes(original, args, kwargs)
    result = None if axes is None else direct(a, axes)
    return original.__wrapped__(*args, **kwargs) if result is None else result


def _plain_axes(original, args, kwargs) -> tuple[int, ...] | None:
    """Return the axes of a reduction of a traced array, as positive numbers.

    Return `None` if other options or an unusual dtype require JAX's own implementation.
    """
    a = args[0]
    if not jp.is_tracer(a) or a.dtype not in _DTYPES or a.aval.weak_type:
        return None
    options = dict(zip(_names(original), args, strict=False)) | kwargs
    axis = options.pop("axis", None)
    for name, value in options.items():
        if value is not None and value is not False and name not in _WITHOUT_EFFECT:
            return None
    axes = tuple(range(a.ndim)) if axis is None else axis if type(axis) is tuple else (axis,)
    if not all(type(i) is int and -a.ndim <= i < a.ndim for i in axes):
        return None
    axes = tuple(i % a.ndim for i in axes)
    return axes if len(set(axes)) == len(axes) else None


@functools.cache
def _names(original) -> tuple[str, ...]:
    return tuple(inspect.signature(original).parameters)


def _sum(a, axes):
    return lax.reduce_sum(a, axes)


def _mean(a, axes):
    count = math.prod(a.shape[i] for i in axes)
    if not jp.is_symbolic(count):
        return None
    number = lax.convert_element_type(jp.core.dimension_as_value(count), a.dtype)
    return lax.div(lax.reduce_sum(a, axes), number)


_DIRECT = {"_reduce_sum": _sum, "_mean": _mean}
