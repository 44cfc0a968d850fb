"""What Keras and JAX return for nothing: the tests are in `library_results_of_nothing.py`."""

import pytest

from tests.harness import keras_on_jax


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.long)])
def test_it_is_the_result_or_an_error_of_the_run(long):
    keras_on_jax.passes("tests/tracing/library_results_of_nothing.py", long=long)
