"""Where JAX itself advises how to write a call without the value of an array, the message passes that on, and it works."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = jnp.array([3.0, 1.0, 2.0])
PLACES = jnp.array([0, 1, 1])
CASES = {
    "choose": (
        lambda x, i: jnp.choose(i, [x, -x]),
        "use mode='wrap' or mode='clip' instead",
        [
            lambda x, i: jnp.choose(i, [x, -x], mode="wrap"),
            lambda x, i: jnp.choose(i, [x, -x], mode="clip"),
        ],
    ),
    "ravel_multi_index": (
        lambda x, i: jnp.ravel_multi_index((i, i), (3, 3)),
        "use mode='wrap' or mode='clip' instead",
        [
            lambda x, i: jnp.ravel_multi_index((i, i), (3, 3), mode="wrap"),
            lambda x, i: jnp.ravel_multi_index((i, i), (3, 3), mode="clip"),
        ],
    ),
    "roots": (
        lambda x, i: jnp.roots(x),
        "pass strip_zeros=False",
        [lambda x, i: jnp.roots(x, strip_zeros=False)],
    ),
    "scan": (
        lambda x, i: lax.scan(lambda c, _: (c * 2, None), x, None, length=i[1])[0],
        "use `while_loop` or `fori_loop`",
        [
            lambda x, i: lax.fori_loop(0, i[1], lambda _, c: c * 2, x),
            lambda x, i: lax.while_loop(
                lambda s: s[0] < i[1], lambda s: (s[0] + 1, s[1] * 2), (0, x)
            )[1],
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_advice_is_named_and_works(name):
    refused, text, advised = CASES[name]
    with pytest.raises(shims.errors.TracedValueError) as info:
        shims.function(refused, autograph=False)(X, PLACES)
    assert text in str(info.value).partition("  Do:")[2]
    assert "At:" in str(info.value)
    for f in advised:
        np.testing.assert_allclose(shims.function(f)(X, PLACES), refused(X, PLACES), rtol=1e-6)


def test_a_value_that_the_program_asks_for_has_the_general_advice():
    with pytest.raises(shims.errors.TracedValueError, match="keep the value as an array"):
        shims.function(lambda x: x[0].item(), autograph=False)(X)


NUMBERS = {
    "split": lambda x, k: jnp.split(x, k)[0],
    "diag": lambda x, k: jnp.diag(x, k),
    "diff": lambda x, k: jnp.diff(x, k),
    "diagonal": lambda x, k: jnp.diagonal(jnp.outer(x, x), k),
    "round": lambda x, k: jnp.round(x, k),
    "sum": lambda x, k: jnp.sum(jnp.outer(x, x), axis=k - 3),
    "hanning": lambda x, k: jnp.hanning(k),
    "tril_indices": lambda x, k: jnp.tril_indices(k)[0],
    "fft": lambda x, k: jnp.fft.fft(x, k),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_where_jax_takes_a_number_the_message_says_so(name):
    f = shims.function(NUMBERS[name], autograph=False)
    with pytest.raises(shims.errors.TracedValueError, match="JAX needs a Python number here"):
        f(X, jnp.asarray(3))
    np.testing.assert_array_equal(f(X, 3), NUMBERS[name](X, 3))
