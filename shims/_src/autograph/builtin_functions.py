"""Replace Python's builtin functions by versions that also accept traced arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from shims._src.autograph import sizes
from shims._src.autograph.iteration import (
    TracedEnumerate,
    TracedIterable,
    TracedRange,
    TracedZip,
    is_traced_iterable,
)
from shims._src.control_flow.staging import current_value, is_staged
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def replacement_of(f) -> Callable | None:
    """Return the replacement of a builtin function, or `None` if it has none."""
    return _REPLACEMENTS.get(id(f))


def range_(*args):
    """Replace `range`; traced numbers and symbolic sizes are accepted, too."""
    args = [current_value(a) for a in args]
    if not any(is_staged(a) or jp.is_symbolic(a) for a in args):
        return range(*args)
    return TracedRange(0, args[0]) if len(args) == 1 else TracedRange(*args)


def len_(x):
    """Replace `len`; arrays with a symbolic size are accepted, too."""
    x = current_value(x)
    return x.shape[0] if is_staged(x) and x.ndim else len(x)


def int_(x=0, *args, **kwargs):
    """Replace `int`; a traced array is cast to int32."""
    x = current_value(x)
    return x.astype(jnp.int32) if is_staged(x) else int(x, *args, **kwargs)


def float_(x=0.0):
    """Replace `float`; a traced array is cast to float32."""
    x = current_value(x)
    return x.astype(jnp.float32) if is_staged(x) else float(x)


def bool_(x=False):
    """Replace `bool`; a traced scalar is compared with 0."""
    x = current_value(x)
    return x != 0 if is_staged(x) and not x.ndim else bool(x)


def enumerate_(iterable, start=0):
    """Replace `enumerate`; traced iterables are accepted, too."""
    traced = is_traced_iterable(iterable)
    return TracedEnumerate(iterable, start) if traced else enumerate(iterable, start)


def zip_(*iterables, strict=False):
    """Replace `zip`; a traced iterable is accepted if the others are arrays or ranges."""
    if any(is_traced_iterable(x) for x in iterables) and all(map(_has_items, iterables)):
        return TracedZip(*iterables, strict=strict)
    return zip(*iterables, strict=strict)


def _has_items(x) -> bool:
    return isinstance(current_value(x), (TracedIterable, jax.Array, range))


def sum_(iterable, /, start=0):
    """Replace `sum`; a traced array is summed along its first axis."""
    x = current_value(iterable)
    return jnp.sum(x, 0) + start if is_staged(x) and x.ndim else sum(iterable, start)


def any_(iterable):
    """Replace `any`; a traced vector is accepted, too."""
    x = current_value(iterable)
    return jnp.any(x) if is_staged(x) and x.ndim == 1 else any(iterable)


def all_(iterable):
    """Replace `all`; a traced vector is accepted, too."""
    x = current_value(iterable)
    return jnp.all(x) if is_staged(x) and x.ndim == 1 else all(iterable)


def sorted_(iterable, *, key=None, reverse=False):
    """Replace `sorted`; for a traced vector return the sorted vector."""
    x = current_value(iterable)
    if is_staged(x) and x.ndim == 1 and key is None:
        x = jnp.sort(x)
        return jnp.flip(x) if reverse else x
    return sorted(iterable, key=key, reverse=reverse)


def _extremum(builtin, reduction, pairwise):
    def extremum(*args, **kwargs):
        values = [current_value(a) for a in args]
        if not kwargs and len(values) == 1 and is_staged(values[0]) and values[0].ndim == 1:
            return reduction(values[0])
        if not kwargs and len(values) > 1 and any(is_staged(v) for v in values):
            return functools.reduce(pairwise, values)
        if not kwargs and len(values) > 1 and sizes.is_only_run_time(values):
            return functools.reduce(pairwise, map(primitives.as_size, values))
        return builtin(*args, **kwargs)

    return extremum


_REPLACEMENTS: dict[int, Callable] = {
    id(range): range_,
    id(len): len_,
    id(int): int_,
    id(float): float_,
    id(bool): bool_,
    id(enumerate): enumerate_,
    id(zip): zip_,
    id(sum): sum_,
    id(any): any_,
    id(all): all_,
    id(sorted): sorted_,
    id(min): _extremum(min, jnp.min, jnp.minimum),
    id(max): _extremum(max, jnp.max, jnp.maximum),
}
