"""Operations of Keras variables give what they give in plain Keras, wherever Keras holds the values.

Runs on its own: `KERAS_BACKEND=jax python -m pytest tests/facade/keras_variable_cases.py`.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
import shims.keras as keras

READS = {
    "v[0]": lambda v, x: x + v[0],
    "v[...]": lambda v, x: x + v[...],
    "v + x": lambda v, x: v + x,
    "v[-1]": lambda v, x: x + v[-1],
    "v[1:]": lambda v, x: x + v[1:].sum(),
    "v[:]": lambda v, x: x + jnp.max(v[:]),
    "v[None]": lambda v, x: x + v[None],
    "v[array]": lambda v, x: x + v[jnp.array([2, 0, 1])],
    "v[mask]": lambda v, x: x + v[np.array([True, False, True])].sum(),
    "v[traced]": lambda v, x: x + v[jnp.argmax(x[0])],
    "v[0].astype": lambda v, x: x + v[0].astype(x.dtype),
    "iteration": lambda v, x: x + sum(e for _, e in zip(range(3), v)),
    "positions": lambda v, x: x + sum(v[i] * i for i in range(3)),
    "-v": lambda v, x: x + (-v),
    "abs": lambda v, x: x + abs(v),
    "v ** 2": lambda v, x: x + v**2,
    "v > 0": lambda v, x: keras.ops.where(v > 0, x, x * keras.ops.convert_to_tensor(v)),
    "jnp": lambda v, x: x + jnp.asarray(v),
    "keras.ops": lambda v, x: x + keras.ops.sum(v),
    "v.value": lambda v, x: x + v.value,
}
QUICK = ("v[0]", "v[...]", "v + x")
X = np.arange(6, dtype=np.float32).reshape(2, 3)
VALUES = np.float32([[5, -2, 3], [1, 7, -4]])


def layer_of(read, decorator, dtype=None, *, built=True):
    class Reading(keras.layers.Layer):
        def build(self, shape):
            self.v = self.add_weight(shape=(3,), initializer="ones", name="v")

        @decorator
        def call(self, x):
            return read(self.v, x)

    layer = Reading(dtype=dtype)
    if built:
        layer.build((None, 3))
    return layer


def by_call(*made):
    layer, out = layer_of(*made), []
    for value in VALUES:
        layer.v.assign(value)
        out.append(layer(X))
    return out


def by_stateless_call(*made):
    layer = layer_of(*made)
    return [layer.stateless_call([value], [], X)[0] for value in VALUES]


def by_jit(*made):
    layer = layer_of(*made)
    return [jax.jit(lambda v: layer.stateless_call([v], [], X)[0])(value) for value in VALUES]


def by_grad(*made):
    layer = layer_of(*made)

    def loss(v):
        return layer.stateless_call([v], [], X)[0].astype("float32").sum() ** 2

    return [jax.grad(loss)(value) for value in VALUES]


def by_vmap(*made):
    layer = layer_of(*made)
    return [jax.vmap(lambda v: layer.stateless_call([v], [], X)[0])(VALUES)]


def by_model(*made):
    layer, inputs = layer_of(*made, built=False), keras.Input((3,))
    model = keras.Model(inputs, layer(inputs))
    return [model(X), np.array(str((model.output.shape, model.output.dtype)))]


def by_fit(*made):
    layer = layer_of(*made, built=False)
    model = keras.Sequential([layer])
    model.compile("sgd", "mse")
    history = model.fit(X, X[::-1], epochs=2, verbose=0, batch_size=1, shuffle=False)
    trained = np.array(layer.v.value)  # `predict` donates the array
    return [trained, np.array(history.history["loss"]), model.predict(X, verbose=0)]


WAYS = (by_call, by_stateless_call, by_jit, by_grad, by_vmap, by_model, by_fit)
HALF = (by_call, by_stateless_call, by_grad, by_model)
POINTS = [
    pytest.param(
        name,
        way,
        dtype,
        id=f"{name}-{way.__name__}-{dtype}",
        marks=[] if name in QUICK or (way is not by_fit and dtype is None) else pytest.mark.long,
    )
    for name in READS
    for way in WAYS
    for dtype in (None, "mixed_float16")
    if dtype is None or way in HALF
]


def as_written(f):
    return f


def in_plain_keras(way, name, dtype, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(keras.Variable, "__getitem__", keras.Variable.__getitem__.__wrapped__)
        return way(READS[name], as_written, dtype)


def check_same(found, wanted):
    for ours, theirs in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        assert ours.dtype == theirs.dtype
        if ours.dtype.kind == "U":
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize(("name", "way", "dtype"), POINTS)
def test_a_read_is_that_of_plain_keras(name, way, dtype, monkeypatch):
    wanted = in_plain_keras(way, name, dtype, monkeypatch)
    check_same(way(READS[name], as_written, dtype), wanted)
    check_same(way(READS[name], shims.function, dtype), wanted)


def test_a_read_that_ignores_the_scope_is_found(monkeypatch):
    wanted = in_plain_keras(by_jit, "v[0]", None, monkeypatch)
    monkeypatch.setattr(keras.Variable, "__getitem__", lambda self, i: self._value[i])
    with pytest.raises(AssertionError):
        check_same(by_jit(READS["v[0]"], as_written, None), wanted)


def whole(v, x):
    v.assign(v * 2 + x[0])


def added(v, x):
    v.assign_add(x[0])


def part(v, x):
    v[1].assign(v[1] * 2 + x[0, 1])


def parts(v, x):
    v[1:].assign(v[1:] + x[0, 1:])


def part_in_a_loop(v, x):
    for i in shims.range(3):
        if x[0, i] > 0.5:
            v[i].assign(v[i] + x[0, i])


def whole_in_a_loop(v, x):
    for _ in shims.range(3):
        v.assign_add(x[0] * 2)


ASSIGNMENTS = {
    whole: lambda v, x: v * 2 + x[0],
    added: lambda v, x: v + x[0],
    part: lambda v, x: np.stack([v[0], v[1] * 2 + x[0, 1], v[2]]),
    parts: lambda v, x: np.concatenate([v[:1], v[1:] + x[0, 1:]]),
    part_in_a_loop: lambda v, x: v + np.where(x[0] > 0.5, x[0], 0),
    whole_in_a_loop: lambda v, x: v + 6 * x[0],
}
# A tracer has no `assign`: only converted code assigns to a part of a traced value.
UNCONVERTED = (whole, added)
PLACES = [
    (change, decorator)
    for change in ASSIGNMENTS
    for decorator in (shims.function, as_written)
    if decorator is shims.function or change in UNCONVERTED
]


def counting(change, decorator):
    class Counting(keras.layers.Layer):
        def build(self, shape):
            self.v = self.add_weight(shape=(3,), initializer="ones", trainable=False, name="v")

        @decorator
        def call(self, x):
            change(self.v, x)
            return x * self.v + self.v[0]

    layer = Counting()
    layer.build((None, 3))
    return layer


@pytest.mark.parametrize("around", [as_written, jax.jit, shims.function, "tape"])
@pytest.mark.parametrize(("change", "decorator"), PLACES)
def test_stateless_call_returns_what_is_assigned(change, decorator, around):
    layer = counting(change, decorator)

    def call(v, x):
        if around != "tape":
            return layer.stateless_call([], [v], x)
        with shims.GradientTape():
            return layer.stateless_call([], [v], x)

    run = call if around == "tape" else around(call)
    for value in VALUES:
        y, (v,) = run(value, X)
        wanted = ASSIGNMENTS[change](value, X)
        np.testing.assert_allclose(v, wanted)
        np.testing.assert_allclose(y, X * wanted + wanted[0])
        np.testing.assert_array_equal(layer.v.value, np.ones(3))


@pytest.mark.parametrize(("change", "decorator"), PLACES)
def test_fit_keeps_what_is_assigned(change, decorator):
    class Metric(keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="metric")
            self.v = self.add_weight(name="v", shape=(3,), initializer="zeros")

        @decorator
        def update_state(self, y_true, y_pred, sample_weight=None):
            change(self.v, y_true)

        def result(self):
            return keras.ops.sum(self.v)

    layer, metric = counting(change, decorator), Metric()
    model = keras.Sequential([keras.Input((3,)), layer, keras.layers.Dense(3)])
    model.compile("sgd", "mse", metrics=[metric])
    model.fit(X, X, batch_size=1, shuffle=False, verbose=0)
    for variable, start in ((layer.v, np.ones(3)), (metric.v, np.zeros(3))):
        wanted = ASSIGNMENTS[change](ASSIGNMENTS[change](start, X[:1]), X[1:])
        np.testing.assert_allclose(variable.value, wanted)


def test_a_tape_sees_the_variables_of_a_stateless_call():
    class Loss(keras.layers.Layer):
        def build(self, shape):
            self.v = self.add_weight(shape=(3,), initializer="ones", name="v")

        def call(self, x):
            with shims.GradientTape() as tape:
                y = shims.reduce_sum(x * self.v[0] ** 2)
            return tape.gradient(y, self.v)

    layer = Loss()
    layer.build((None, 3))
    for value in VALUES:
        for call in (layer.stateless_call, jax.jit(layer.stateless_call)):
            np.testing.assert_allclose(call([value], [], X)[0], [2 * value[0] * X.sum(), 0, 0])
