"""`jnp.pad` with widths that are sizes of selections."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.float32([3.0, -2.0, 1.0, 5.0])
LANES = {
    "function": shims.function,
    "as written": lambda f: shims.function(f, autograph=False),
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}
WIDTHS = {
    "up to eight": lambda n: [[0, 8 - n]],
    "in front": lambda n: (8 - n, 1),
    "for every axis": lambda n: 8 - n,
    "by axis": lambda n: {0: (1, n)},
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", WIDTHS)
def test_as_numpy(name, lane):
    def program(x):
        y = x[x > 0]
        return jnp.sum(jnp.pad(y, WIDTHS[name](y.shape[0]), constant_values=2.0) * 3.0)

    run = LANES[lane](program)
    for x in (X, -X, np.abs(X), np.zeros_like(X)):
        kept = x[x > 0]
        width = WIDTHS[name](len(kept))
        assert run(jnp.asarray(x)) == 3 * np.pad(kept, width, constant_values=2.0).sum()


def test_a_negative_width_is_an_error():
    @shims.function
    def program(x):
        y = x[x > 0]
        return jnp.pad(y, (0, 2 - y.shape[0]))

    assert program(jnp.asarray(-X)).tolist() == [2.0, 0.0]
    with pytest.raises(shims.errors.InvalidArgumentError, match="a padding width is negative"):
        program(jnp.asarray(X))
