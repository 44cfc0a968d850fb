"""Loops and branches of eager dynamic programs are compiled once per text of their operations."""

import jax.numpy as jnp
import numpy as np

import shims
from shims._src.lowering import eager_programs

X = np.array([1.0, -2.0, 3.0, 4.0], np.float32)


def summed(number, table=None):
    def f(x):
        y = x[x > 0]
        start = number if table is None else jnp.asarray(table).sum()
        total = shims.while_loop(lambda t: t < 9, lambda t: (t + start,), [jnp.float32(0)])[0]
        return total + y.sum()

    return shims.dynamic(f)


def test_another_call_compiles_nothing():
    first = summed(2.0)(X)
    before = list(eager_programs._COMPILED)
    assert summed(2.0)(X) == first
    assert list(eager_programs._COMPILED) == before


def test_other_numbers_are_other_programs():
    assert [float(summed(n)(X)) for n in (2.0, 3.0, 5.0)] == [18, 17, 18]
    tables = [np.full(4, n, np.float32) for n in (0.5, 1.25)]
    assert [float(summed(0, table)(X)) for table in tables] == [18, 18]
    assert [float(summed(0, np.float32([n]))(X)) for n in (2, 7)] == [18, 22]
