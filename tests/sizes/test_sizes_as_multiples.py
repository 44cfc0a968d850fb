"""Input sizes that a program divides: one program for all multiples, where symbols do not do."""

import warnings

import jax.numpy as jnp
import numpy as np
import pytest

import shims

VECTOR = [shims.TensorSpec([None], shims.float32)]


@pytest.mark.parametrize("number", [2, 3])
def test_sizes_that_are_divided_are_multiples(number):
    def f(x):
        return x + jnp.concatenate(jnp.split(x, number))

    compiled = shims.function(f, input_signature=VECTOR)
    with warnings.catch_warnings():
        warnings.simplefilter("error", shims.errors.SpecializationWarning)
        for size in (12, 30, 60):
            x = np.arange(size, dtype=np.float32)
            np.testing.assert_array_equal(compiled(x), f(jnp.asarray(x)))
    assert compiled.experimental_get_tracing_count() == 2
    assert f"input size 0 is a multiple of {number}" in compiled.explain()


def test_numbers_in_a_message_are_no_divisors():
    def refuse(x):
        if type(x.shape[0]) is not int:
            raise ValueError("4 is not what 8 divides; see floordiv(n0, 4)")
        return x

    compiled = shims.function(refuse, input_signature=VECTOR, autograph=False)
    with pytest.warns(shims.errors.SpecializationWarning):
        compiled(np.arange(8, dtype=np.float32))
    assert compiled.experimental_get_tracing_count() == 2
    assert "input size 0 is the constant 8" in compiled.explain()
