"""Padding that a broadcast filled with NaN or infinity reaches no value and no derivative.

An array that is broadcast over a selection keeps what it holds in the padding, unless the program is
differentiated, so that XLA computes it inside of the reduction that reads it.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = jnp.array([3.0, -2.0, jnp.inf, 5.0])
Y = jnp.array([1.0, -1.0, 2.0])
TABLE = jnp.array([1.0, jnp.inf, 2.0])

WIDE = {
    "outer": lambda a, b, w: a[:, None] * b[None] * w,
    "difference": lambda a, b, w: (a[:, None] - b[None] * w) ** 2,
    "own": lambda a, b, w: (a * w)[:, None] * a[None],
    "table": lambda a, b, w: a[:, None] * TABLE * w,
    "row": lambda a, b, w: jnp.stack([a, a * w], 1) - jnp.array([jnp.nan, 1.0]) * w,
    "scalar": lambda a, b, w: jnp.sin(a)[:, None] * (w / 0.0) + b[None],
    "triple": lambda a, b, w: a[:, None, None] * b[None, :, None] * jnp.arange(3.0) * w,
    "flag": lambda a, b, w: jnp.where(a[:, None] > b[None], a[:, None] * w, b[None]),
}


def _total(z):
    return (z**2).sum()


USES = {
    "sum": jnp.sum,
    "scan": lambda z: lax.scan(lambda c, r: (c + jnp.tanh(r).sum() * c, c), 1.0, z)[0],
    "inner": lambda z: jnp.exp(-z.sum(-1)).sum(),
    "first": lambda z: _total(z.sum(0)),
    "max": lambda z: z.max(0, initial=-1.0).sum(),
    "matmul": lambda z: jnp.tensordot(z, z, [[0], [0]]).sum(),
    "cumsum": lambda z: _total(jnp.cumsum(z, 0)),
    "reverse": lambda z: _total(z[::-1]),
    "concat": lambda z: _total(jnp.concatenate([z, z * 2], 0)),
    "map": lambda z: lax.map(lambda r: jnp.tanh(r).sum(), z).sum(),
    "flat": lambda z: _total(z.reshape(-1)),
    "sort": lambda z: (jnp.sort(z, 0) * 2).sum(),
    "softmax": lambda z: (jax.nn.softmax(z, axis=0) * z).sum(),
    "norm": lambda z: jnp.linalg.norm(z, axis=-1).sum(),
    "relu": lambda z: jax.nn.relu(z).sum(),
    "remat": lambda z: jax.checkpoint(lambda z: jnp.sin(z) * z)(z).sum(),
    "cond": lambda z: lax.cond(z.sum() > 0, _total, lambda z: z.sum() * 3, z),
    "slice": lambda z: _total(z[:1]),
    "transpose": lambda z: _total(jnp.swapaxes(z, 0, 1)),
    "std": jnp.std,
    "prod": lambda z: z.prod(0).sum(),
    "finite": lambda z: jnp.where(jnp.isfinite(z), z, 0.0).sum(),
}


def programs(wide, use, level):
    """Return a program over selections (of the second array, what is above `level`), and over exact arrays."""
    rows, columns = (np.flatnonzero(np.asarray(v) > n) for v, n in ((X, 0.0), (Y, level)))
    made = lambda a, b, w: USES[use](WIDE[wide](a, b, w))
    given = shims.dynamic(lambda x, y, w: made(x[x > 0], y[y > level], w))
    return jax.jit(given), lambda x, y, w: made(x[rows], y[columns], w)


def check(wide, use, level):
    """Compare a program and its derivatives, one way after the other, with those of exact arrays."""
    given, plain = programs(wide, use, level)
    w = jnp.float32(1.5)
    value, slopes = jax.value_and_grad(plain, (1, 2))(X, Y, w)
    found = [given(X, Y, w), *jax.grad(given, (1, 2))(X, Y, w), jax.grad(given, 2)(X, Y, w)]
    for a, b in zip(found, [value, *slopes, slopes[1]], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5, err_msg=f"{wide} {use} {level}")


PROGRAMS = list(itertools.product(WIDE, USES))


@pytest.mark.parametrize(("wide", "use"), PROGRAMS[::25])
def test_a_few_programs(wide, use):
    check(wide, use, 0.0)


@pytest.mark.long
@pytest.mark.parametrize("wide", WIDE)
def test_all_programs(wide):
    for use, level in itertools.product(USES, (0.0, 9.0)):
        try:
            check(wide, use, level)
        finally:
            jax.clear_caches()


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: jax.jacfwd(f, 2),
        lambda f: jax.hessian(f, 2),
        lambda f: lambda *a: jax.linearize(functools.partial(f, *a[:2]), a[2])[1](1.0),
        lambda f: lambda *a: jax.vmap(jax.grad(f, 2))(*(v[None] for v in a))[0],
        lambda f: lambda *a: jax.jit(jax.vmap(f))(*(v[None] for v in a))[0],
    ],
)
@pytest.mark.parametrize("level", [0.0, 9.0])
def test_other_transformations(transform, level):
    given, plain = programs("outer", "sum", level)
    w = jnp.float32(1.5)
    np.testing.assert_array_equal(transform(given)(X, Y, w), transform(plain)(X, Y, w))


def test_the_transpose_of_a_linear_program():
    given = jax.jit(shims.dynamic(lambda x, y, w: (x[x > 0][:, None] * y[y > 9][None] * w).sum()))
    (slope,) = jax.linear_transpose(lambda w: given(X, Y, w), 1.0)(1.0)
    assert slope == 0.0


def test_a_result_has_no_infinite_padding():
    given = jax.jit(shims.dynamic(lambda x, y: x[x > 0][:, None] * y[y > 0][None]))
    found = given(X, Y)
    valid = np.asarray(found.values)
    inside = np.zeros(valid.shape, bool)
    inside[: int(found.sizes[0]), : int(found.sizes[1])] = True
    assert np.isfinite(valid[~inside]).all()


@pytest.mark.parametrize(
    "use",
    [
        lambda z, w: z @ (w * jnp.ones(3)),
        lambda z, w: lax.map(lambda row: row * w, z),
        lambda z, w: lax.scan(lambda c, row: (c + row * w, c), jnp.zeros(3), z)[0],
        lambda z, w: lax.cond(w > 0, lambda z: z * w, lambda z: z, z),
    ],
)
def test_a_parameter_beside_an_infinite_row_of_nothing(use):
    given = jax.jit(shims.dynamic(lambda x, w: use(x[x > 9][:, None] + TABLE, w).sum()))
    assert given(Y, 1.5) == 0.0
    assert jax.grad(given, 1)(Y, 1.5) == 0.0
    assert jax.vmap(jax.grad(given, 1))(Y[None], jnp.array([1.5]))[0] == 0.0
