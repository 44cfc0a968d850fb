"""Programs of loaded functions: gradients, training, sizes, checks, random numbers, and other programs around them."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import assert_same


def reloaded(module, folder, signatures=None):
    shims.saved_model.save(module, str(folder), signatures)
    return shims.saved_model.load(str(folder))


def with_function(f, *signature):
    module = shims.Module()
    module.f = shims.function(f, input_signature=list(signature))
    return module


class Scale(shims.Module):
    def __init__(self):
        super().__init__()
        self.v = shims.Variable(2.0)

    @shims.function(input_signature=[shims.TensorSpec([None])])
    def __call__(self, x):
        return shims.reduce_sum(self.v**3 * shims.sin(x))

    @shims.function
    def add(self, x):
        self.v.assign_add(x)


@pytest.fixture(scope="module")
def scale(tmp_path_factory):
    module = Scale()
    module.add(shims.constant(0.0))
    return module, reloaded(module, tmp_path_factory.mktemp("scale"))


def gradients(model, x):
    with shims.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with shims.GradientTape() as inner:
            inner.watch(x)
            y = model(x)
        first = inner.gradient(y, [x, model.v])
        total = shims.reduce_sum(first[0]) + first[1]
    return first, outer.gradient(total, [x, model.v])


def test_gradients_of_both_orders(scale):
    x = shims.constant([0.5, 1.5])
    assert_same(gradients(scale[1], x), gradients(scale[0], x), 1e-6)


def test_around_a_loaded_function(scale):
    module, loaded = scale
    x = shims.constant([0.5, 1.5])
    for around in (shims.function, jax.jit, jax.grad):
        assert_same(around(lambda x: loaded(x))(x), around(lambda x: module(x))(x), 1e-6)


def test_training_and_saving_again(tmp_path):
    loaded = reloaded(Scale(), tmp_path / "first")

    @shims.function
    def step():
        with shims.GradientTape() as tape:
            loss = (loaded(shims.constant([1.0])) - 1.0) ** 2
        loaded.v.assign_sub(0.01 * tape.gradient(loss, loaded.v))
        return loss

    losses = [float(step()) for _ in range(20)]
    assert losses[-1] < 0.05 < losses[0]
    again = reloaded(loaded, tmp_path / "second")
    assert_same(again(shims.constant([1.0])), loaded(shims.constant([1.0])), 0)


def clipping(library):
    @library.custom_gradient
    def clipped(y):
        return y, lambda dy: library.clip_by_norm(dy, 0.5)

    module = library.Module()
    module.f = library.function(clipped, [library.TensorSpec(None)])
    return module


def test_custom_gradients(tmp_path):
    found = {}
    for library in (tf, shims):
        options = library.saved_model.SaveOptions(experimental_custom_gradients=True)
        path = str(tmp_path / library.__name__)
        library.saved_model.save(clipping(library), path, options=options)
        v = library.Variable(2.0)
        with library.GradientTape() as tape:
            y = library.saved_model.load(path).f(v * v)
        found[library] = tape.gradient(y, v)
    assert_same(found[shims], found[tf], 0)


def value_and_gradient(call, x):
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
        squares = shims.add_n([shims.reduce_sum(part**2) for part in jax.tree.leaves(y)])
    return y, tape.gradient(squares, x)


SIZES = {
    "squeezed": (lambda tf, x: tf.squeeze(x, axis=0) if x.shape[0] == 1 else x, [None, 2]),
    "at least": (lambda tf, x: x * 2.0 if x.shape[0] >= 3 else x, [None, 2]),
    "divided": (lambda tf, x: tf.split(x, 2), [None, 2]),
    "last": (lambda tf, x: x[-1:] - x[:1], [None, 2]),
    "spread": (lambda tf, x: x / tf.norm(x, axis=0) + tf.reduce_max(x, 1, True), [None, 2]),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(tmp_path, name):
    f, shape = SIZES[name]
    loaded = reloaded(with_function(lambda x: f(shims, x), shims.TensorSpec(shape)), tmp_path)
    for rows in range(6):
        x = np.random.default_rng(rows).normal(size=[rows, *shape[1:]]).astype(np.float32)
        if name == "divided" and rows % 2:
            with pytest.raises(
                shims.InvalidArgumentError, match="cannot be divided into 2 equal parts"
            ):
                loaded.f(x)
        else:
            calls = (loaded.f, lambda x: f(shims, x))
            assert_same(*(value_and_gradient(call, shims.constant(x)) for call in calls), 1e-6)


def test_two_unknown_sizes(tmp_path):
    spec = shims.TensorSpec([None])
    loaded = reloaded(with_function(lambda x, y: x + y, spec, spec), tmp_path)
    for one, other in ((3, 3), (1, 3), (3, 1), (1, 1), (0, 0), (0, 1)):
        assert loaded.f(
            np.ones(one, np.float32), np.ones(other, np.float32)
        ).shape == np.broadcast_shapes([one], [other])
    with pytest.raises(shims.InvalidArgumentError, match="saved for other sizes"):
        loaded.f(np.ones(2, np.float32), np.ones(3, np.float32))


REFUSED = {
    "parity": (lambda x: x * 2.0 if x.shape[0] % 2 == 0 else x, "the program is valid only if"),
    "selection": (lambda x: shims.boolean_mask(x, x > 0), "data-dependent sizes"),
    "printing": (lambda x: shims.print(x), "the function calls Python code on the host"),
    "three": (lambda x: x + shims.ones([3]), "incompatible shapes"),
    "text": (lambda x: "text", "a result of type"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_program(tmp_path, name):
    f, reason = REFUSED[name]
    with pytest.raises((ValueError, TypeError), match=reason):
        reloaded(with_function(f, shims.TensorSpec([None])), tmp_path / "model")
    assert not shims.saved_model.contains_saved_model(tmp_path / "model")


def test_selections_of_known_size(tmp_path):
    loaded = reloaded(
        with_function(lambda x: shims.boolean_mask(x, x > 0), shims.TensorSpec([4])), tmp_path
    )
    x = shims.constant([1.0, -1.0, 2.0, -3.0])
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
        squares = shims.reduce_sum(y**2)
    np.testing.assert_array_equal(y, [1.0, 2.0])
    np.testing.assert_array_equal(tape.gradient(squares, x), [2.0, 0.0, 4.0, 0.0])
    assert loaded.f(-shims.ones([4])).shape == (0,)


def test_assertions(tmp_path):
    def root(x):
        shims.debugging.assert_non_negative(x, "negative")
        return shims.sqrt(x)

    loaded = reloaded(with_function(root, shims.TensorSpec([None])), tmp_path)
    around = shims.function(lambda x: loaded.f(x))
    for f in (loaded.f, around):
        np.testing.assert_array_equal(f(shims.constant([4.0])), [2.0])
        with pytest.raises(shims.InvalidArgumentError, match="negative"):
            f(shims.constant([4.0, -4.0]))


def test_random_numbers(tmp_path):
    shims.random.set_seed(1)
    module = with_function(lambda x: shims.random.normal(shims.shape(x)), shims.TensorSpec([None]))
    module.generator = shims.random.Generator.from_seed(3)
    module.drawn = shims.function(lambda: module.generator.normal([2]), input_signature=[])
    loaded, x = reloaded(module, tmp_path), shims.zeros([3])
    for _ in range(2):
        assert_same(loaded.f(x), module.f(x), 0)
        assert_same(loaded.drawn(), module.drawn(), 0)


def test_variables_that_the_function_creates(tmp_path):
    class Lazy(shims.Module):
        w = None

        @shims.function(input_signature=[shims.TensorSpec([3])])
        def __call__(self, x):
            if self.w is None:
                self.w = shims.Variable(shims.ones([3]))
            return x * self.w

    loaded = reloaded(Lazy(), tmp_path)
    np.testing.assert_array_equal(loaded(shims.ones([3])), loaded.w)
