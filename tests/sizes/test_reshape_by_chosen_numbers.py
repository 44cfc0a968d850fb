"""`reshape` to numbers that are traced: assigned by an `if` over data, or computed from them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.arange(1, 9, dtype=np.float32)
MASKS = [least < X for least in (8, 7, 6, 4)]


def chosen(x, mask):
    if x[0] > 0:
        k = mask.sum()
    else:
        k = 2
    return k


PROGRAMS = {
    "method": lambda q, k: q[: k * 2].reshape(k, 2),
    "tuple": lambda q, k: q[: k * 2].reshape((2, k)),
    "list": lambda q, k: q[: k * 2].reshape([k, 1, 2]),
    "vector": lambda q, k: q[: k * 2].reshape(jnp.array([k, 2])),
    "one": lambda q, k: q[:k].reshape(k),
    "function": lambda q, k: jnp.reshape(q[: k * 2], (k, 2)),
    "Fortran's order": lambda q, k: q[: k * 2].reshape(k, 2, order="F"),
    "result": lambda q, k: q[: k * 2].reshape(k, 2) * jnp.arange(k)[:, None] + jnp.ones((k, 1)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_for_numbers(name):
    f = shims.function(lambda x, mask: PROGRAMS[name](x, chosen(x, mask)))
    for mask in MASKS:
        want = PROGRAMS[name](jnp.asarray(X), int(mask.sum()))
        np.testing.assert_array_equal(f(X, mask), want)


def test_a_number_that_does_not_fit():
    f = shims.function(lambda x, mask: x.reshape(chosen(x, mask), 2))
    np.testing.assert_array_equal(f(X, X > 4), X.reshape(4, 2))
    for mask in (X > 5, X > 3):
        with pytest.raises(shims.errors.InvalidArgumentError, match="reshape: the input has 8"):
            f(X, mask)
    with pytest.raises(shims.errors.InvalidArgumentError, match="a size must be >= 0"):
        shims.function(lambda x, k: x.reshape(k, 2))(X, np.int32(-4))


@pytest.mark.parametrize("name", ["method", "function", "result"])
def test_the_remedy_under_an_enclosing_jit(name):
    def program(x, mask, bounded):
        k = chosen(x, mask)
        return PROGRAMS[name](x, shims.bounded(k, max=4) if bounded else k)

    run = jax.jit(shims.dynamic(program), static_argnums=2)
    with pytest.raises(shims.errors.CapacityError, match=r"write `shims\.bounded"):
        run(X, MASKS[0], False)
    for mask in MASKS:
        want = PROGRAMS[name](jnp.asarray(X), int(mask.sum()))
        np.testing.assert_array_equal(run(X, mask, True).unpad(), want)
