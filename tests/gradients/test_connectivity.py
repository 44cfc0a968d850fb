"""Which outputs depend on which inputs, through calls, branches and loops."""

import jax
import jax.numpy as jnp
import pytest

from shims._src.recording.connectivity import links_through

PROGRAMS = {
    "identity": (lambda a, b, c: (a, c), [{0}, {2}]),
    "sum": (lambda a, b, c: a * b + c, [{0, 1, 2}]),
    "floor": (lambda a, b, c: jnp.floor(a) * b, [{1}]),
    "stopped": (lambda a, b, c: jax.lax.stop_gradient(a) + b, [{1}]),
    "through-integers": (lambda a, b, c: a.astype(int).astype(float) + c, [{2}]),
    "compared": (lambda a, b, c: jnp.where(a > 0, b, c), [{1, 2}]),
    "jit": (lambda a, b, c: jax.jit(lambda x, y: (y * 2, jnp.round(x)))(a, b), [{1}, set()]),
    "custom": (lambda a, b, c: jax.nn.relu(b) * jax.nn.silu(c), [{1, 2}]),
    "checkpoint": (lambda a, b, c: jax.checkpoint(lambda x: x * c)(a), [{0, 2}]),
    "cond": (
        lambda a, b, c: jax.lax.cond(a > 0, lambda: (b, c), lambda: (b * 2, a)),
        [{1}, {0, 2}],
    ),
    "scan": (
        lambda a, b, c: jax.lax.scan(
            lambda s, x: ((s[1], s[0] * c), jnp.floor(x) + s[0]), (a, b), jnp.arange(3.0)
        ),
        [{0, 1, 2}, {0, 1, 2}, {0, 1, 2}],
    ),
    "scan-one-way": (
        lambda a, b, c: jax.lax.scan(lambda s, x: (s * b, x * c), a, jnp.arange(3.0)),
        [{0, 1}, {2}],
    ),
    "while": (
        lambda a, b, c: jax.lax.while_loop(
            lambda s: s[0] < b, lambda s: (s[0] + 1, s[1] * c), (jnp.floor(a), a)
        ),
        [set(), {0, 2}],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_links(name):
    program, expected = PROGRAMS[name]
    x = jnp.float32(1)
    found = links_through(jax.make_jaxpr(program)(x, x, x))
    assert [set(link) for link in found] == expected
