"""Call Python functions while a compiled program runs."""

from __future__ import annotations

import jax
from jax.experimental import io_callback as _io_callback

from shims._src.platform import jax_private as jp


def pure_callback(host, shapes, *arrays, vmap_method=None):
    """Call `jax.pure_callback`; in `shard_map` the results vary over the mesh axes of the arrays.

    JAX takes them for equal on all devices.
    """
    return jp.varying_as(jax.pure_callback(host, shapes, *arrays, vmap_method=vmap_method), arrays)


def io_callback(host, shapes, *arrays, ordered=False):
    """Call `jax.experimental.io_callback`; in `shard_map` the results vary as those of `pure_callback`."""
    return jp.varying_as(_io_callback(host, shapes, *arrays, ordered=ordered), arrays)
