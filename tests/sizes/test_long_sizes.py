"""Sizes that are computed by many operations, such as a half of a half, are bounded in short time."""

import itertools
import random
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import core, export

import shims
from shims._src.platform import jax_private as jp
from shims._src.sizes import linear_bounds


class Fresh(dict):
    limit = dict.get


def state_of(bound):
    decisions = SimpleNamespace(least=lambda name: 0, most=lambda name, high: high)
    return SimpleNamespace(input_sizes={"n": 5}, decisions=decisions, fresh=Fresh(u=bound))


def expression(draw, sizes, depth):
    if not depth or draw.random() < 0.15:
        return draw.choice([*sizes, *sizes, draw.randint(-3, 9)])
    a = expression(draw, sizes, depth - 1)
    kind = draw.choice(["+", "-", "-", "//", "%", "min", "max", "scaled", "*"])
    if kind in ("//", "%", "scaled"):
        number = draw.randint(2, 4)
        return {"//": lambda: a // number, "%": lambda: a % number, "scaled": lambda: a * number}[
            kind
        ]()
    b = expression(draw, sizes, depth - 1)
    operators = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}
    pick = {"min": core.min_dim, "max": core.max_dim}.get(kind)
    return pick(a, b) if pick else operators[kind]()


@pytest.mark.parametrize("bound", [6, None])
def test_bounds_hold(bound):
    sizes = export.symbolic_shape("n, u")
    finite = 0
    for seed in range(60):
        d = expression(random.Random(seed), sizes, 3)
        if not jp.is_symbolic(d):
            continue
        low, high = linear_bounds.bounds(state_of(bound), d)
        for n, u in itertools.product((1, 2, 3, 5, 8), range(7)):
            assert low <= d._evaluate({"n": n, "u": u}) <= high, (str(d), n, u)
        finite += low > -np.inf
    assert finite > 20  # the bounds say something


def test_the_upper_half_of_an_upper_half_is_no_longer_than_nothing():
    (n,) = export.symbolic_shape("n")
    d = n
    for _ in range(6):
        d = d - d // 2
        assert linear_bounds.bounds(state_of(None), d)[0] >= 0
    assert linear_bounds.is_long(d)


@pytest.mark.parametrize("of_selection", [False, True])
def test_halves_of_halves(of_selection):
    def f(x):
        x = x[x > 0] if of_selection else x
        for _ in range(4):
            x = x[x.shape[0] // 2 :]
        return x.sum()

    x = jnp.arange(1.0, 100.0)
    run = shims.function(f, input_signature=[shims.TensorSpec([None])])
    assert float(run(x)) == float(f(x))
    assert run.stats().traces == 1
    assert jax.jit(shims.dynamic(f))(x) == f(x)
