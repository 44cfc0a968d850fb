"""`shims.optax` makes TensorFlow's steps: over 25 of them, with rows, without some gradients."""

import runpy

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.meta import tree

optax = pytest.importorskip("optax", reason="Optax is not installed")

STEPS = 25
START = [
    np.float32([1.0, -2.0, 0.5, 3.0, 0.0, 1e-3]),
    np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 2),
]
RNG = np.random.default_rng(0)
# Ordinary gradients, small ones (which tell where epsilon stands), constant ones, and zeros.
GRADIENTS = RNG.normal(size=(STEPS, 6)).astype(np.float32) * np.float32([1, 1e-4, 1e-7, 1, 1, 1])
GRADIENTS[:, 3] = 1
GRADIENTS[:, 4] = 0
GRADIENTS[::2, 5] = 0
# Row 0 comes twice, row 3 never; at every fifth step the first variable has no gradient.
ROWS = RNG.normal(size=(STEPS, 3, 2)).astype(np.float32)
TAKEN = [0, 2, 0]
SETTING = 12  # before this step the learning rate is set

K, S, V1 = "tf.keras.optimizers", "tf.keras.optimizers.schedules", "tf.compat.v1.train"
PAIRS = {
    "adam": ("adam(0.1)", f"{K}.Adam(0.1)"),
    "adam by default": ("adam()", f"{K}.Adam()"),
    "adam betas": ("adam(0.1, 0.8, 0.99, 1e-3)", f"{K}.Adam(0.1, 0.8, 0.99, 1e-3)"),
    "adam amsgrad": ("adam(0.1, amsgrad=True)", f"{K}.Adam(0.1, amsgrad=True)"),
    "adam decay": ("adam(0.1, weight_decay=0.2)", f"{K}.Adam(0.1, weight_decay=0.2)"),
    "adam norm": ("adam(0.1, clipnorm=0.5)", f"{K}.Adam(0.1, clipnorm=0.5)"),
    "adam norms": ("adam(0.1, global_clipnorm=0.5)", f"{K}.Adam(0.1, global_clipnorm=0.5)"),
    "adamw": ("adamw(0.1)", f"{K}.AdamW(0.1)"),
    "adamw decay": ("adamw(0.1, 0.3, 0.8)", f"{K}.AdamW(0.1, 0.3, 0.8)"),
    "sgd": ("sgd()", f"{K}.SGD()"),
    "sgd cut": ("sgd(0.1, clipvalue=0.3)", f"{K}.SGD(0.1, clipvalue=0.3)"),
    "momentum": ("sgd(0.1, 0.9)", f"{K}.SGD(0.1, 0.9)"),
    "nesterov": ("sgd(0.1, 0.9, True)", f"{K}.SGD(0.1, 0.9, True)"),
    "rmsprop": ("rmsprop(0.1)", f"{K}.RMSprop(0.1)"),
    "rmsprop all": (
        "rmsprop(0.1, 0.8, 0.5, 1e-3, True)",
        f"{K}.RMSprop(0.1, 0.8, 0.5, 1e-3, True)",
    ),
    "adagrad": ("adagrad(0.1)", f"{K}.Adagrad(0.1)"),
    "adadelta": ("adadelta(0.1)", f"{K}.Adadelta(0.1)"),
    "adamax": ("adamax(0.1)", f"{K}.Adamax(0.1)"),
    "lion": ("lion(0.1)", f"{K}.Lion(0.1)"),
    "lion decay": ("lion(0.1, weight_decay=0.2)", f"{K}.Lion(0.1, weight_decay=0.2)"),
    "lamb": ("lamb(0.1)", f"{K}.Lamb(0.1)"),
    "nadam": ("nadam(0.1)", f"{K}.Nadam(0.1)"),
    "nadam betas": ("nadam(0.1, 0.8, 0.99, 1e-3)", f"{K}.Nadam(0.1, 0.8, 0.99, 1e-3)"),
    "ftrl": ("ftrl(0.1)", f"{K}.Ftrl(0.1)"),
    "ftrl penalties": (
        "ftrl(0.1, -0.6, 0.2, 0.01, 0.02, 0.03, 0.04)",
        f"{K}.Ftrl(0.1, -0.6, 0.2, 0.01, 0.02, 0.03, 0.04)",
    ),
    "descent v1": ("gradient_descent_v1(0.1)", f"{V1}.GradientDescentOptimizer(0.1)"),
    "momentum v1": ("momentum_v1(0.1, 0.9)", f"{V1}.MomentumOptimizer(0.1, 0.9)"),
    "nesterov v1": (
        "momentum_v1(0.1, 0.9, True)",
        f"{V1}.MomentumOptimizer(0.1, 0.9, use_nesterov=True)",
    ),
    "adam v1": ("adam_v1(0.1)", f"{V1}.AdamOptimizer(0.1)"),
    "adam v1 by default": ("adam_v1()", f"{V1}.AdamOptimizer()"),
    "rmsprop v1": ("rmsprop_v1(0.1)", f"{V1}.RMSPropOptimizer(0.1)"),
    "rmsprop v1 all": (
        "rmsprop_v1(0.1, 0.8, 0.5, 1e-3, True)",
        f"{V1}.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3, centered=True)",
    ),
    "adagrad v1": ("adagrad_v1(0.1)", f"{V1}.AdagradOptimizer(0.1)"),
    "adadelta v1": ("adadelta_v1(0.1)", f"{V1}.AdadeltaOptimizer(0.1)"),
    "ftrl v1": (
        "ftrl_v1(0.1, l1_regularization_strength=0.01)",
        f"{V1}.FtrlOptimizer(0.1, l1_regularization_strength=0.01)",
    ),
    "adam falling": (
        "adam(exponential_decay(0.1, 5, 0.5))",
        f"{K}.Adam({S}.ExponentialDecay(0.1, 5, 0.5))",
    ),
    "momentum falling": (
        "sgd(piecewise_constant_decay([3, 7], [0.1, 0.02, 0.004]), 0.9)",
        f"{K}.SGD({S}.PiecewiseConstantDecay([3, 7], [0.1, 0.02, 0.004]), 0.9)",
    ),
    "decay of a function": (
        "adam(lambda: 0.2, weight_decay=0.2)",
        f"{K}.Adam(lambda: 0.2, weight_decay=0.2)",
    ),
}
SCHEDULES = {
    "exponential": ("exponential_decay(0.1, 5, 0.5)", "ExponentialDecay(0.1, 5, 0.5)"),
    "exponential stairs": (
        "exponential_decay(0.1, 5, 0.5, True)",
        "ExponentialDecay(0.1, 5, 0.5, True)",
    ),
    "exponential to nothing": ("exponential_decay(0.1, 5, 0.0)", "ExponentialDecay(0.1, 5, 0.0)"),
    "inverse": ("inverse_time_decay(0.1, 5, 0.5)", "InverseTimeDecay(0.1, 5, 0.5)"),
    "inverse stairs": (
        "inverse_time_decay(0.1, 5, 0.5, True)",
        "InverseTimeDecay(0.1, 5, 0.5, True)",
    ),
    "polynomial": ("polynomial_decay(0.1, 20)", "PolynomialDecay(0.1, 20)"),
    "polynomial cycles": (
        "polynomial_decay(0.1, 7, 0.01, 2.0, True)",
        "PolynomialDecay(0.1, 7, 0.01, 2.0, True)",
    ),
    "cosine": ("cosine_decay(0.1, 20)", "CosineDecay(0.1, 20)"),
    "cosine left": ("cosine_decay(0.1, 10, 0.1)", "CosineDecay(0.1, 10, 0.1)"),
    "cosine warm": (
        "cosine_decay(0.1, 10, 0.1, warmup_target=0.5, warmup_steps=4)",
        "CosineDecay(0.1, 10, 0.1, warmup_target=0.5, warmup_steps=4)",
    ),
    "restarts": ("cosine_decay_restarts(0.1, 5)", "CosineDecayRestarts(0.1, 5)"),
    "restarts alike": (
        "cosine_decay_restarts(0.1, 5, 1.0, 0.9, 0.2)",
        "CosineDecayRestarts(0.1, 5, 1.0, 0.9, 0.2)",
    ),
    "piecewise": (
        "piecewise_constant_decay([3, 7], [0.1, 0.02, 0.004])",
        "PiecewiseConstantDecay([3, 7], [0.1, 0.02, 0.004])",
    ),
}
INVALID = {
    "momentum": "sgd(momentum=2.0)",
    "two ways to clip": "adam(clipnorm=1.0, clipvalue=1.0)",
    "beta": "lion(beta_1=0.0)",
    "no decay": "adamw(weight_decay=None)",
    "power": "ftrl(learning_rate_power=0.5)",
    "strength": "ftrl(l1_regularization_strength=-1.0)",
    "sum": "adagrad_v1(0.1, 0.0)",
    "steps": "exponential_decay(0.1, 0, 0.5)",
    "values": "piecewise_constant_decay([1], [0.1])",
}


def made(text):
    return eval(text, dict(vars(shims.optax)))


def walk(optimizer, library, variables, is_settable):
    """The values after each step; the learning rate is set on the way, where it can be."""
    found = []
    for number, (gradient, values) in enumerate(zip(GRADIENTS, ROWS, strict=True)):
        if number == SETTING and is_settable:
            optimizer.learning_rate = 0.03
        first = None if number % 5 == 4 else library.constant(gradient)
        second = library.IndexedSlices(library.constant(values), library.constant(TAKEN), (4, 2))
        optimizer.apply_gradients(zip([first, second], variables, strict=True))
        found.append(np.concatenate([np.ravel(v.numpy()) for v in variables]))
    return np.stack(found)


@pytest.mark.filterwarnings("ignore:Gradients do not exist")
@pytest.mark.parametrize("pair", PAIRS)
def test_steps_are_tensorflows(pair):
    recipe, original = PAIRS[pair]
    is_settable = not any(word in original for word in ("v1", "schedules", "lambda"))
    ours = shims.optax.Optimizer(made(recipe))
    ours = walk(ours, shims, [shims.Variable(x) for x in START], is_settable)
    theirs = eval(original, {"tf": tf})
    theirs = walk(theirs, tf, [tf.Variable(x) for x in START], is_settable)
    np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


def test_the_comparison_sees_where_epsilon_stands():
    ours = shims.optax.Optimizer(optax.inject_hyperparams(optax.adam)(0.1, eps=1e-7))
    ours = walk_alone(ours, shims)
    theirs = walk_alone(tf.keras.optimizers.Adam(0.1), tf)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


def walk_alone(optimizer, library):
    """The value of one variable after the first step."""
    variable = library.Variable(START[0])
    optimizer.apply_gradients([(library.constant(GRADIENTS[0]), variable)])
    return variable.numpy()


@pytest.mark.parametrize("pair", SCHEDULES)
def test_rates_are_tensorflows(pair):
    ours, theirs = made(SCHEDULES[pair][0]), eval(f"{S}.{SCHEDULES[pair][1]}", {"tf": tf})
    steps = range(24)  # all borders, and what is beyond them
    np.testing.assert_allclose(
        [ours(n) for n in steps], [theirs(n).numpy() for n in steps], rtol=1e-6, atol=1e-9
    )
    assert ours(shims.Variable(3)).dtype.name == theirs(3).dtype.name


@pytest.mark.parametrize("case", INVALID)
def test_invalid_arguments(case):
    with pytest.raises(ValueError, match=r"Received|must be"):
        made(INVALID[case])


def test_the_example_is_the_loop_of_tensorflow():
    program = runpy.run_path(str(tree.ROOT / "examples" / "training" / "optimizers.py"))
    batches = [(x, np.float32([1.0, -1.0])) for x in ROWS[:12, :2]]
    start = {"w": np.float32([0.5, -0.5]), "b": np.float32(0.0)}
    params, losses = program["fit"](
        lambda p, x, y: ((x @ p["w"] + p["b"] - y) ** 2).mean(), start, batches
    )
    w, b = (tf.Variable(start[name]) for name in ("w", "b"))
    optimizer = tf.keras.optimizers.Adam(
        tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    )
    expected = []
    for x, y in batches:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(x, w) + b - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        expected.append(float(loss))
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    np.testing.assert_allclose(params["w"], w, rtol=1e-5)
