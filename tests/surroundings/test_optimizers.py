"""The optimisers of `examples/training` make TensorFlow's steps, over more than twenty of them."""

import numpy as np
import pytest
import tensorflow as tf

from tests.meta import tree

optax = pytest.importorskip("optax", reason="Optax is not installed")

RECIPES = {}
_SOURCE = tree.ROOT / "examples" / "training" / "optimizers.py"
exec(compile(_SOURCE.read_text(), str(_SOURCE), "exec"), RECIPES)

STEPS = 25
START = np.float32([1.0, -2.0, 0.5, 3.0, 0.0, 1e-3])
RNG = np.random.default_rng(0)
# Ordinary gradients, small ones (which tell where epsilon stands), constant ones, and zeros.
GRADIENTS = RNG.normal(size=(STEPS, 6)).astype(np.float32) * np.float32([1, 1e-4, 1e-7, 1, 1, 1])
GRADIENTS[:, 3] = 1
GRADIENTS[:, 4] = 0
GRADIENTS[::2, 5] = 0

K, V1 = "keras.optimizers", "compat.v1.train"
PAIRS = {
    "adam": ("adam(0.1)", f"{K}.Adam(0.1)"),
    "adam-betas": ("adam(0.1, 0.8, 0.99, 1e-3)", f"{K}.Adam(0.1, 0.8, 0.99, 1e-3)"),
    "adam-v1": ("adam_v1(0.1)", f"{V1}.AdamOptimizer(0.1)"),
    "adamw": ("adamw(0.1)", f"{K}.AdamW(0.1)"),
    "sgd": ("sgd(0.1)", f"{K}.SGD(0.1)"),
    "momentum": ("sgd(0.1, 0.9)", f"{K}.SGD(0.1, 0.9)"),
    "nesterov": ("sgd(0.1, 0.9, True)", f"{K}.SGD(0.1, 0.9, True)"),
    "momentum-v1": ("sgd(0.1, 0.9)", f"{V1}.MomentumOptimizer(0.1, 0.9)"),
    "descent-v1": ("sgd(0.1)", f"{V1}.GradientDescentOptimizer(0.1)"),
    "rmsprop": ("rmsprop(0.1)", f"{K}.RMSprop(0.1)"),
    "rmsprop-v1": ("rmsprop_v1(0.1)", f"{V1}.RMSPropOptimizer(0.1)"),
    "rmsprop-v1-momentum": (
        "rmsprop_v1(0.1, momentum=0.5)",
        f"{V1}.RMSPropOptimizer(0.1, momentum=0.5)",
    ),
    "adagrad": ("adagrad(0.1)", f"{K}.Adagrad(0.1)"),
    "adagrad-v1": ("adagrad(0.1, epsilon=0.0)", f"{V1}.AdagradOptimizer(0.1)"),
    "adadelta": ("adadelta(0.1)", f"{K}.Adadelta(0.1)"),
    "adamax": ("adamax(0.1)", f"{K}.Adamax(0.1)"),
    "lion": ("lion(0.1)", f"{K}.Lion(0.1)"),
    "lamb": ("lamb(0.1)", f"{K}.Lamb(0.1)"),
    "nadam": ("nadam(0.1)", f"{K}.Nadam(0.1)"),
    "nadam-betas": ("nadam(0.1, 0.8, 0.99, 1e-3)", f"{K}.Nadam(0.1, 0.8, 0.99, 1e-3)"),
    "ftrl": ("ftrl(0.1)", f"{K}.Ftrl(0.1)"),
    "ftrl-regularised": (
        "ftrl(0.1, -0.6, 0.2, 0.01, 0.02, 0.03, 0.04)",
        f"{K}.Ftrl(0.1, -0.6, 0.2, 0.01, 0.02, 0.03, 0.04)",
    ),
    "ftrl-v1": (
        "ftrl(0.1, l1_regularization_strength=0.01)",
        f"{V1}.FtrlOptimizer(0.1, l1_regularization_strength=0.01)",
    ),
    "piecewise": (
        "sgd(piecewise_constant([3, 7], [0.1, 0.02, 0.004]))",
        f"{K}.SGD({K}.schedules.PiecewiseConstantDecay([3, 7], [0.1, 0.02, 0.004]))",
    ),
    "exponential": (
        "sgd(optax.exponential_decay(0.1, 5, 0.5))",
        f"{K}.SGD({K}.schedules.ExponentialDecay(0.1, 5, 0.5))",
    ),
    "cosine": (
        "sgd(optax.cosine_decay_schedule(0.1, 20))",
        f"{K}.SGD({K}.schedules.CosineDecay(0.1, 20))",
    ),
    "polynomial": (
        "sgd(optax.polynomial_schedule(0.1, 0.0001, 1.0, 20))",
        f"{K}.SGD({K}.schedules.PolynomialDecay(0.1, 20))",
    ),
    "clipped": (
        "optax.chain(optax.clip_by_global_norm(0.5), adam(0.1))",
        f"{K}.Adam(0.1, global_clipnorm=0.5)",
    ),
}


def theirs(text):
    """The values after each step of TensorFlow's optimiser."""
    optimizer = eval(
        text.replace("keras.", "tf.keras.").replace("compat.", "tf.compat."), {"tf": tf}
    )
    variable = tf.Variable(START)
    found = []
    for gradient in GRADIENTS:
        optimizer.apply_gradients([(tf.constant(gradient), variable)])
        found.append(variable.numpy())
    return np.stack(found)


def ours(text):
    """The values after each step of the recipe."""
    transformation = eval(text, RECIPES)
    params = {"w": START}
    state = transformation.init(params)
    found = []
    for gradient in GRADIENTS:
        updates, state = transformation.update({"w": gradient}, state, params)
        params = optax.apply_updates(params, updates)
        found.append(np.asarray(params["w"]))
    return np.stack(found)


@pytest.mark.parametrize("pair", PAIRS)
def test_steps_are_tensorflows(pair):
    recipe, original = PAIRS[pair]
    np.testing.assert_allclose(ours(recipe), theirs(original), rtol=2e-5, atol=2e-6)


def test_the_comparison_sees_where_epsilon_stands():
    plain = ours("optax.adam(0.1, eps=1e-7)")
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(plain, theirs(PAIRS["adam"][1]), rtol=2e-5, atol=2e-6)
