"""Sums and means in a dynamic trace are the programs that JAX traces itself."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.tracing import hooked_reductions

OPTIONS = (
    {},
    {"axis": 0},
    {"axis": -1},
    {"axis": (0, 1)},
    {"axis": ()},
    {"axis": 1, "keepdims": True},
    {"dtype": jnp.float32},
    {"axis": np.int64(0)},
    {"where": np.array([[True, False, True]])},
)
DTYPES = (np.float32, np.float16, np.int32, np.int8, np.bool_, np.complex64)
REDUCTIONS = {"sum": jnp.sum, "mean": jnp.mean, "method": lambda x, **kw: x.sum(**kw)}


def _text(jaxpr) -> str:
    return str(jaxpr).replace(" ratio ", " div ")  # a division with TensorFlow's derivative


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_reduction_of_a_plain_array_is_the_program_of_jax(name, dtype):
    x = np.ones((4, 3), dtype)
    for options in OPTIONS:
        if "dtype" in options and dtype is np.complex64:
            continue  # a conversion that warns
        reduce = lambda x, options=options: REDUCTIONS[name](x, **options)
        expected = jax.make_jaxpr(reduce)(x)
        assert _text(jax.make_jaxpr(shims.dynamic(reduce))(x)) == _text(expected), options


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_of_a_selection_is_the_program_of_jax(name, monkeypatch):
    x = np.ones((4, 3), np.float32)
    for options, cast in itertools.product(OPTIONS, (jnp.float32, jnp.float16, jnp.int32)):
        reduce = shims.dynamic(
            lambda x, options=options, cast=cast: REDUCTIONS[name](
                x[x[:, 0] > 0].astype(cast), **options
            )
        )
        traced = jax.make_jaxpr(reduce)(x)
        with monkeypatch.context() as patch:
            patch.setattr(hooked_reductions, "_DIRECT", {})
            expected = jax.make_jaxpr(reduce)(x)
        assert str(traced) == str(expected), (options, cast)
