"""The bits of selected elements as another dtype: a narrower one adds an axis, a wider one takes the last axis."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

FORMS = {
    "vector": ((6,), lambda x, m: x[m]),
    "rows": ((6, 4), lambda x, m: x[m]),
    "columns": ((4, 6), lambda x, m: x[:, m]),
    "negated": ((6,), lambda x, m: -x[m]),
    "spread": ((6,), lambda x, m: jnp.broadcast_to(x[0], x[m].shape)),
}
PAIRS = [
    *[("float32", "int16"), ("float32", "uint8"), ("int16", "int8"), ("bfloat16", "uint8")],
    *[("int8", "float16"), ("int16", "float32"), ("uint8", "int32"), ("int32", "float32")],
]
MASKS = {
    "some": [True, False, True, True, False, False],
    "all": [True] * 6,
    "one": [False, False, True, False, False, False],
    "none": [False] * 6,
}


def as_pieces(x, dtype):
    """The bits of `x`, whose last axis becomes the pieces of a wider dtype."""
    pieces = jnp.dtype(dtype).itemsize // x.dtype.itemsize
    return lax.bitcast_convert_type(jnp.stack([x] * pieces, -1) if pieces > 1 else x, dtype)


def bits_of(x):
    array = np.asarray(x.unpad() if isinstance(x, shims.Padded) else x)
    return array.shape, array.dtype, array.tobytes()


@pytest.mark.parametrize(("source", "target"), PAIRS)
@pytest.mark.parametrize("form", FORMS)
def test_bits_of_a_selection(source, target, form):
    shape, select = FORMS[form]
    x = jnp.arange(1, 1 + np.prod(shape)).reshape(shape).astype(source)
    run = jax.jit(shims.function(lambda x, m: as_pieces(select(x, m), target)))
    for mask in MASKS.values():
        m = np.array(mask)
        assert bits_of(run(x, m)) == bits_of(as_pieces(select(x, m), target))


@pytest.mark.parametrize("target", ["int16", "uint8", "int32"])
def test_a_view(target):
    x = jnp.array([3.0, -1.0, 1.0, 2.0])
    run = jax.jit(shims.function(lambda x: x[x > 0].view(target)))
    for data in (x, -x, jnp.abs(x), -jnp.abs(x)):
        assert bits_of(run(data)) == bits_of(data[data > 0].view(target))


def test_padding_that_is_nan_as_a_float_reaches_no_gradient():
    x = jnp.array([1.5, -1.0, 2.0, -2.0])

    def f(w, x):
        marked = ~lax.bitcast_convert_type(x[x > 0], jnp.int32)
        return (w * lax.bitcast_convert_type(~marked & 0x7FFFFFFF, jnp.float32)).sum() + (
            w * lax.bitcast_convert_type(marked ^ -1, jnp.float32)
        ).sum()

    run = jax.jit(jax.value_and_grad(shims.function(f)))
    for data in (x, -x, -jnp.abs(x)):
        np.testing.assert_array_equal(run(2.0, data), jax.value_and_grad(f)(2.0, data))


def test_integers_whose_padding_is_nan_as_floats():
    x = jnp.array([5, -1, 7, -3], jnp.int32)

    def f(w, x):
        return (w * lax.bitcast_convert_type(~x[x > 0] ^ -1 | 0x3F800000, jnp.float32)).sum()

    def g(w, x):
        return (
            w
            * lax.bitcast_convert_type(
                0x7FFFFFFF ^ jnp.where(x[x > 0] > 0, 0x40000000, 0), jnp.float32
            )
        ).sum()

    for h in (f, g):
        run = jax.jit(jax.grad(shims.function(h)))
        for data in (x, -x):
            np.testing.assert_array_equal(run(2.0, data), jax.grad(h)(2.0, data))
