"""What a library returns for nothing may be of a different rank; under `jit` it is an error of the run, or NaN."""

from __future__ import annotations

import inspect
import re

import jax
import jax.numpy as jnp
import jax.scipy.signal
import keras
import numpy as np
import pytest

import shims

RNG = np.random.default_rng(0)
X, T = (jnp.asarray(RNG.uniform(0.1, 1, (6, 3)), jnp.float32) for _ in range(2))
# `CTC` and the like take sequences, `SparseCategoricalCrossentropy` classes.
_OF_OTHER_OPERANDS = {
    "Loss",
    "CTC",
    "Circle",
    "SparseCategoricalCrossentropy",
    "CategoricalGeneralizedCrossEntropy",
}
LOSSES = sorted(
    name
    for name, loss in vars(keras.losses).items()
    if inspect.isclass(loss) and name not in _OF_OTHER_OPERANDS
)


def _loss(name, weighted):
    def f(x, t, bound):
        kept = x[:, 0] > bound
        weights = t[kept][:, 0] if weighted else None
        return getattr(keras.losses, name)()(t[kept], x[kept], sample_weight=weights)

    return f


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_selected_rows(name, weighted):
    f = _loss(name, weighted)
    step = jax.jit(jax.value_and_grad(shims.dynamic(f)))
    for bound in (0.0, 0.5):
        value, gradient = step(X, T, bound)
        expected, expected_gradient = jax.value_and_grad(f)(X, T, bound)
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-4, atol=1e-6)
    nothing = f(X, T, 9.0)
    expected = (
        nothing if nothing.shape == () else np.nan
    )  # a shape of (0,), of which there is no gradient
    np.testing.assert_allclose(step(X, T, 9.0)[0], expected, rtol=1e-5)


def test_a_function_of_jax():
    def f(x, bound):
        return jax.scipy.signal.stft(x[x[:, 0] > bound], nperseg=2)[2]

    compiled = jax.jit(shims.dynamic(f))
    np.testing.assert_allclose(compiled(X, 0.5).unpad(), f(X, 0.5), rtol=1e-4)
    with pytest.raises(
        shims.errors.InvalidArgumentError, match="results for empty data and for nonempty data"
    ):
        compiled(X, 9.0).unpad()


def test_the_own_question_of_a_program_is_refused():
    def f(x):
        y = x[x > 0]
        return jnp.zeros(0) if y.shape[0] == 0 else jnp.sum(y)

    with pytest.raises(shims.errors.FreshSizeError, match="differ in structure"):
        jax.jit(shims.dynamic(f))(X[:, 0])


def test_the_line_is_the_users():
    def f(x):
        return keras.ops.reshape(x[x[:, 0] > 9.0], (2, 3))

    text = re.escape("library_results_of_nothing.py:")
    with pytest.raises(shims.errors.InvalidArgumentError, match=rf"At: +{text}\d+  return keras"):
        shims.function(f)(X)
