"""Sizes that JAX writes in several ways are one size."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import shims
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, equal_forms

A, B = export.symbolic_shape("a, b")
LARGER, SMALLER = jp.core.max_dim, jp.core.min_dim
FORMS = (
    A,
    A - 1,
    A - SMALLER(A, 3),
    LARGER(0, A - 3),
    A - LARGER(0, A - 3),
    SMALLER(A, 3),
    SMALLER(A, B),
    A + B - LARGER(A, B),
    LARGER(A, B),
    LARGER(A - B, 0) + B,
    SMALLER(A, 3) * B,
    3 * B - LARGER(0, 3 - A) * B,
    SMALLER(A // 2, B),
    A // 2 - LARGER(0, A // 2 - B),
)


def test_forms_are_equal_where_their_values_are():
    sizes = [{"a": a, "b": b} for a in range(1, 7) for b in range(1, 7)]
    for one, other in itertools.combinations(FORMS, 2):
        same = all(dims.concrete(one, s) == dims.concrete(other, s) for s in sizes)
        assert equal_forms.are_equal(one, other) == same, (one, other)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_slices_of_a_selection(count):
    def body(x, y):
        return (
            jnp.ediff1d(y),
            lax.sub(y[1:], y[:-1]),
            jnp.concatenate([jnp.stack([y[1:], y[:-1]]), jnp.stack([y[:-1], y[1:]])]),
            jnp.dot(y[1:], y[:-1]),
            lax.scan(lambda c, p: (c + p[0] * p[1], p[0] - c), 0.0, (y[1:], y[:-1])),
            jnp.unique(y, size=4, fill_value=0),
            jnp.setxor1d(y, x[:2]),
        )

    x = jnp.asarray([2.0, 1.0, 2.0, 4.0, 3.0])
    mask = jnp.arange(5) < count
    found = jax.jit(shims.dynamic(lambda x, mask: body(x, x[mask])))(x, mask)
    exact = jax.tree.leaves(body(x, x[:count]))
    found = jax.tree.leaves(found, is_leaf=lambda v: isinstance(v, shims.Padded))
    for a, b in zip(found, exact, strict=True):
        np.testing.assert_allclose(a.unpad() if isinstance(a, shims.Padded) else a, b, rtol=1e-6)
