"""The float32 sine, cosine and logarithm of normal draws, of every number that a draw can ask for.

A digest stands for the results of the GNU C library 2.36, which agreed to the bit, with FMA and without.
Nothing here rests on the processor: that XLA fuses float64 products and sums changes no float32.
"""

import hashlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from shims._src.random import distributions, libm

DIGEST = "e57836c4bb14b5a112807443456390b85daa0c5ca2db050edf54a8b1ded87116"


def results():
    """Sine, cosine and logarithm for each of the 23 bits that become a uniform number."""

    @jax.jit
    def compute(words):
        uniform = distributions.float32_of(words)
        angle = (2 * np.pi * uniform.astype(jnp.float64)).astype(jnp.float32)
        sine, cosine = libm.sine_and_cosine(angle)
        return sine, cosine, libm.logarithm(jnp.maximum(uniform, jnp.float32(1e-7)))

    with jax.enable_x64(True):
        return [np.asarray(x) for x in compute(jnp.arange(1 << 23, dtype=jnp.uint32))]


@pytest.mark.long
def test_every_number():
    digest = hashlib.sha256(b"".join(x.tobytes() for x in results()))
    assert digest.hexdigest() == DIGEST
