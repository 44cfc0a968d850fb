"""Reports of every kind, each made once: the views are tested on them."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

from tf2jax_port.diff.report.report import Report

from .pair import Pair, given, run

SMALL = given(([0.0, 1.0, -2.0],), ([0.5, 0.25],))


def _square_root(x):
    return tf.reduce_sum(tf.where(x > 0, tf.sqrt(x), 0.0))


def _square_root_port(x):
    return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))


PAIRS = {
    "equal": Pair("", lambda x: {"y": tf.square(x), "n": tf.size(x)}, None, SMALL),
    "different": Pair("", tf.abs, jnp.abs, SMALL),
    "limited": Pair("", _square_root, _square_root_port, SMALL),
    "inconclusive": Pair("", lambda x: 0 * x, lambda x: 0 * x, SMALL),
    "error": Pair("", tf.abs, lambda x: 1 / 0, SMALL),
    "placement": Pair("", tf.reduce_sum, jnp.nansum, given(([1.0, np.nan],), ([1.0, 2.5],))),
    "structure": Pair("", lambda x: (x, x + 1), lambda x: x, SMALL),
    "complex": Pair(
        "", lambda z: z * z, lambda z: z * jnp.conj(z), lambda: [(np.complex64([1 + 2j, 1j]),)]
    ),
}


def _equal_port(x):
    return {"y": jnp.square(x), "n": jnp.asarray(x.size, jnp.int32)}


@functools.cache
def report(kind: str) -> Report:
    """The report of a kind: `equal`, `different`, ..."""
    pair = PAIRS[kind]
    return run(Pair(kind, pair.old, pair.new or _equal_port, pair.cases))


assert jax.config.jax_enable_x64 is False
