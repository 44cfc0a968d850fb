"""`--optimizers optax` takes TensorFlow's steps: 25 of each, with rows, without some gradients."""

import runpy

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.meta import tree
from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.options import Options

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
OPTIMIZERS = {
    "adam": f"{K}.Adam(0.1)",
    "adam by default": f"{K}.Adam()",
    "adam betas": f"{K}.Adam(0.1, 0.8, 0.99, 1e-3)",
    "adam amsgrad": f"{K}.Adam(0.1, amsgrad=True)",
    "adam decay": f"{K}.Adam(0.1, weight_decay=0.2)",
    "adam norm": f"{K}.Adam(0.1, clipnorm=0.5)",
    "adam norms": f"{K}.Adam(0.1, global_clipnorm=0.5)",
    "adamw": f"{K}.AdamW(0.1)",
    "adamw decay": f"{K}.AdamW(0.1, 0.3, 0.8)",
    "sgd": f"{K}.SGD()",
    "sgd cut": f"{K}.SGD(0.1, clipvalue=0.3)",
    "momentum": f"{K}.SGD(0.1, 0.9)",
    "nesterov": f"{K}.SGD(0.1, 0.9, True)",
    "rmsprop": f"{K}.RMSprop(0.1)",
    "rmsprop all": f"{K}.RMSprop(0.1, 0.8, 0.5, 1e-3, True)",
    "adagrad": f"{K}.Adagrad(0.1)",
    "adadelta": f"{K}.Adadelta(0.1)",
    "adamax": f"{K}.Adamax(0.1)",
    "lion": f"{K}.Lion(0.1)",
    "lion decay": f"{K}.Lion(0.1, weight_decay=0.2)",
    "lamb": f"{K}.Lamb(0.1)",
    "nadam": f"{K}.Nadam(0.1)",
    "nadam betas": f"{K}.Nadam(0.1, 0.8, 0.99, 1e-3)",
    "ftrl": f"{K}.Ftrl(0.1)",
    "ftrl penalties": f"{K}.Ftrl(0.1, -0.6, 0.2, 0.01, 0.02, 0.03, 0.04)",
    "descent v1": f"{V1}.GradientDescentOptimizer(0.1)",
    "momentum v1": f"{V1}.MomentumOptimizer(0.1, 0.9)",
    "nesterov v1": f"{V1}.MomentumOptimizer(0.1, 0.9, use_nesterov=True)",
    "adam v1": f"{V1}.AdamOptimizer(0.1)",
    "adam v1 by default": f"{V1}.AdamOptimizer()",
    "rmsprop v1": f"{V1}.RMSPropOptimizer(0.1)",
    "rmsprop v1 all": f"{V1}.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3, centered=True)",
    "adagrad v1": f"{V1}.AdagradOptimizer(0.1)",
    "adadelta v1": f"{V1}.AdadeltaOptimizer(0.1)",
    "ftrl v1": f"{V1}.FtrlOptimizer(0.1, l1_regularization_strength=0.01)",
    "adam falling": f"{K}.Adam({S}.ExponentialDecay(0.1, 5, 0.5))",
    "momentum falling": f"{K}.SGD({S}.PiecewiseConstantDecay([3, 7], [0.1, 0.02, 0.004]), 0.9)",
    "decay of a function": f"{K}.Adam(lambda: 0.2, weight_decay=0.2)",
}
SCHEDULES = {
    "exponential": "ExponentialDecay(0.1, 5, 0.5)",
    "exponential stairs": "ExponentialDecay(0.1, 5, 0.5, True)",
    "exponential to nothing": "ExponentialDecay(0.1, 5, 0.0)",
    "inverse": "InverseTimeDecay(0.1, 5, 0.5)",
    "inverse stairs": "InverseTimeDecay(0.1, 5, 0.5, True)",
    "polynomial": "PolynomialDecay(0.1, 20)",
    "polynomial cycles": "PolynomialDecay(0.1, 7, 0.01, 2.0, True)",
    "cosine": "CosineDecay(0.1, 20)",
    "cosine left": "CosineDecay(0.1, 10, 0.1)",
    "cosine warm": "CosineDecay(0.1, 10, 0.1, warmup_target=0.5, warmup_steps=4)",
    "restarts": "CosineDecayRestarts(0.1, 5)",
    "restarts alike": "CosineDecayRestarts(0.1, 5, 1.0, 0.9, 0.2)",
    "piecewise": "PiecewiseConstantDecay([3, 7], [0.1, 0.02, 0.004])",
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


def rewritten(text):
    """What a call becomes in a program that uses it, and what it makes."""
    program = (
        f"import tensorflow as tf\n\nmade = {text}\n\n\ndef use(pairs, step):\n"
        "    with tf.GradientTape():\n        pass\n    USE\n"
    )
    use = "made(step)" if text.startswith(S) else "made.apply_gradients(pairs)"
    outcome = rewrite(program.replace("USE", use).encode(), Options(optimizers="optax"))
    codes = {finding.code for finding in outcome.findings}
    assert codes == {"TJ401", "TJ406"}
    namespace = {}
    exec(outcome.data.decode(), namespace)
    return namespace["made"]


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
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_tensorflows(name):
    text = OPTIMIZERS[name]
    is_settable = not any(word in text for word in ("v1", "schedules", "lambda"))
    ours = walk(rewritten(text), shims, [shims.Variable(x) for x in START], is_settable)
    theirs = eval(text, {"tf": tf})
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


@pytest.mark.parametrize("name", SCHEDULES)
def test_rates_are_tensorflows(name):
    text = f"{S}.{SCHEDULES[name]}"
    ours, theirs = rewritten(text), eval(text, {"tf": tf})
    steps = range(24)  # all borders, and what is beyond them
    np.testing.assert_allclose(
        [ours(n) for n in steps], [theirs(n).numpy() for n in steps], rtol=1e-6, atol=1e-9
    )
    assert ours(shims.Variable(3)).dtype.name == theirs(3).dtype.name


@pytest.mark.parametrize("case", INVALID)
def test_invalid_arguments(case):
    with pytest.raises(ValueError, match=r"Received|must be"):
        eval(INVALID[case], dict(vars(shims.optax)))


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
