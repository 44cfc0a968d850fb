"""Check that eager dynamic programs are not compiled once per input length."""

from __future__ import annotations

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np

import shims

RNG = np.random.default_rng(0)
_COMPILED = []


def _listen(name, duration, **details):
    if name == "/jax/core/compile/backend_compile_duration":
        _COMPILED.append(name)


jax.monitoring.register_event_duration_secs_listener(_listen)


def _compilations(f, lengths):
    before = len(_COMPILED)
    for n in lengths:
        f(RNG.normal(size=n).astype(np.float32))
    return len(_COMPILED) - before


def test_new_lengths_compile_nothing():
    for g in (lambda x: jnp.mean(x[x > 0]), lambda x: jax.nn.softmax(x[x > 0])):
        f = shims.dynamic(g)
        _compilations(f, range(70, 80))
        assert _compilations(f, range(80, 120)) == 0


def test_results_and_closures_are_those_of_every_call():
    seen = []
    factor = 1.0

    @shims.dynamic
    def f(x, y):
        seen.append(1)
        kept = x[x > 0] * factor
        return kept, jnp.sum(y), x.shape[0] + 0 * jnp.int32(1)

    for n in (5, 9, 9, 12, 20, 0, 1, 33, 2, 33):
        factor = float(n)
        x = RNG.normal(size=n).astype(np.float32)
        y = np.ones(n + n % 2, np.float32)
        kept, total, number = f(x, y)
        np.testing.assert_array_equal(kept, x[x > 0] * np.float32(factor))
        assert int(total) == n + n % 2
        assert int(number) == n
    assert len(seen) == 10


def test_a_function_that_needs_numbers_keeps_working():
    f = shims.dynamic(lambda x: jnp.stack([x[0] * i for i in np.arange(x.shape[0])]))
    for n in range(3, 8):
        assert f(np.ones(n, np.float32)).shape == (n,)


def test_gradients_are_those_of_exact_sizes():
    f = shims.dynamic(lambda x: jnp.sum(jnp.log(x[x > 0])))
    for n in range(3, 9):
        x = jnp.arange(1.0, n + 1)
        with shims.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        np.testing.assert_allclose(tape.gradient(y, x), 1 / x, rtol=1e-6)
