"""Compute sets of values, and positions in sorted ones, of arrays of unknown sizes as `jax.numpy` does."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.searching import insertion_points
from shims._src.numeric.sort_keys import ascending_key
from shims._src.platform import jax_private as jp


def _unique(
    state,
    original,
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    **options,
):
    if options.get("size") is not None or not jp.is_tracer(ar) or axis is not None:
        return original(ar, return_index, return_inverse, return_counts, axis, **options)
    from shims._src.arguments import sorted_unique

    # The derivative of `jnp.unique` is zero.
    ar = lax.stop_gradient(ar)
    return sorted_unique.unique(ar, return_index, return_inverse, return_counts)


def _union1d(state, original, ar1, ar2, *, size=None, fill_value=None):
    if size is not None or not (jp.is_tracer(ar1) or jp.is_tracer(ar2)):
        return original(ar1, ar2, size=size, fill_value=fill_value)
    return jnp.unique(jnp.concatenate((ar1, ar2), axis=None))


def _setdiff1d(state, original, ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    if size is not None or not (jp.is_tracer(ar1) or jp.is_tracer(ar2)):
        return original(ar1, ar2, assume_unique, size=size, fill_value=fill_value)
    kept, removed = jnp.ravel(ar1), jnp.ravel(ar2)
    kept = kept if assume_unique else jnp.unique(kept)
    return kept[~jnp.isin(kept, removed, assume_unique=assume_unique)]


def _searchsorted(state, original, a, v, side="left", sorter=None, **options):
    if not (np.ndim(a) == 1 and jp.is_symbolic(np.shape(a)[0])):
        return original(a, v, side=side, sorter=sorter, **options)
    a, v = jnp.asarray(a), jnp.asarray(v)
    kind = jnp.promote_types(a.dtype, v.dtype)
    a = a if sorter is None else a[sorter]
    a, v = (ascending_key(x.astype(kind)) for x in (a, v))
    return insertion_points(a, v.reshape(-1), side).reshape(v.shape)


FUNCTIONS = (
    ("unique", _unique),
    ("union1d", _union1d),
    ("setdiff1d", _setdiff1d),
    ("searchsorted", _searchsorted),
)
