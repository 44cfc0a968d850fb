"""Operators of Python's and NumPy's numbers give numbers inside an enclosing trace: sizes, bounds, positions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.float32([3.0, -2.0, 1.0, 5.0])

PROGRAMS = {
    "range of floats": lambda x: shims.range(1.0, 5.0) * x,
    "boolean_mask": lambda x: shims.boolean_mask(x, [True, False, True, True]) * 2,
    "range(shape)": lambda x: sum(x[i] for i in range(shims.shape(x)[0])),
    "cast of a quotient": lambda x: x[: shims.cast(shims.shape(x)[0] / 2, shims.int32)],
    "half": lambda x: x[: shims.shape(x)[0] // 2],
    "reshape": lambda x: shims.reshape(x, [shims.shape(x)[0] // 2, -1]),
    "part of a shape": lambda x: jnp.zeros(shims.shape(x)[0:1]),
    "product": lambda x: jnp.zeros(shims.reduce_prod(shims.shape(x))),
    "concat": lambda x: jnp.zeros(shims.concat([shims.shape(x), [2]], 0)),
    "unstack": lambda x: jnp.zeros(shims.unstack(shims.shape(x))),
    "broadcast": lambda x: jnp.zeros(shims.broadcast_dynamic_shape([2, 1], [1, 3])),
    "linspace": lambda x: [x[i:] for i in shims.cast(shims.linspace(0.0, 3.0, 4), shims.int32)],
    "where": lambda x: jnp.zeros(shims.where([True, False, True]).shape),
    "choice": lambda x: jnp.zeros(shims.where(True, 2, 3)),
    "repeat": lambda x: shims.repeat(x, [2, 1, 0, 3]),
    "rank": lambda x: shims.shape(x)[shims.rank(x) - 1 :],
    "size": lambda x: jnp.zeros(shims.size(x)),
    "minimum": lambda x: x[: shims.minimum(2, x.shape[0])],
    "ceil": lambda x: x[: int(shims.math.ceil(x.shape[0] / 3))],
    "a traced index": lambda x: shims.range(10)[jnp.argmax(x)],
    "an update": lambda x: shims.range(4).at[jnp.argmax(x)].set(7),
    "dtypes": lambda x: (shims.range(3), shims.range(3.0), shims.cast(2.7, shims.int64)),
    "loop": lambda x: jax.lax.fori_loop(0, shims.shape(x)[0], lambda i, c: c + i, 0),
    "gradient": lambda x: jax.grad(lambda v: shims.reduce_sum(shims.range(4.0) * v))(x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_without_a_trace(name):
    program = PROGRAMS[name]
    got, want = jax.jit(program)(jnp.asarray(X)), program(jnp.asarray(X))
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert (a.shape, a.dtype, a.tolist()) == (b.shape, b.dtype, b.tolist())


def test_outside_of_traces_results_are_arrays():
    for x in (shims.range(3), shims.shape(X), shims.rank(X), shims.size(X)):
        assert isinstance(x, jax.Array)


@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.dynamic(f))])
def test_the_rank_of_a_selection_is_known(lane):
    def program(x):
        kept = shims.boolean_mask(x, x > 0)
        if shims.rank(kept) == 0:
            return kept
        return shims.shape(kept)[shims.rank(kept) - 1 :]

    assert lane(program)(jnp.asarray(X)).tolist() == [3]


def test_numbers_beside_sizes():
    @shims.function
    def program(x):
        return x[: shims.minimum(2, jnp.shape(x[x > 0])[0])]

    assert program(jnp.asarray(X)).tolist() == [3.0, -2.0]
