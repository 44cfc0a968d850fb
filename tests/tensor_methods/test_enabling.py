"""TensorFlow's methods on JAX arrays, beside TensorFlow's own tensors; libraries see arrays as before."""

import operator

import jax
import jax.numpy as jnp
import keras
import numpy as np
import optax
import pytest
import tensorflow as tf

import shims

VALUES = ([[1.0, 2.0, 3.0]], 2.5, [], [[True], [False]], [1, 2, 3])


@pytest.fixture
def enabled():
    with shims.enable_tensor_methods():
        yield


@pytest.mark.usefixtures("enabled")
@pytest.mark.parametrize("value", VALUES, ids=str)
@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.numpy(),
        lambda x: type(x.numpy()),
        lambda x: x.shape.as_list(),
        lambda x: x.get_shape().as_list(),
        lambda x: x.shape.rank,
        lambda x: x.shape.ndims,
        lambda x: x.shape.is_fully_defined(),
        lambda x: x.shape.num_elements(),
        lambda x: list(operator.add(x.shape[:1], [4])),
        lambda x: list(operator.add([4], x.shape)),
        lambda x: x.shape == list(x.shape),
        lambda x: x.shape != [7],
        lambda x: x.shape.with_rank_at_least(0).as_list(),
        lambda x: x.dtype.name,
        lambda x: x.dtype.is_floating,
        lambda x: x.dtype.as_numpy_dtype,
        lambda x: x.dtype.size,
        lambda x: x.dtype.base_dtype.name,
        lambda x: {x.ref(): 1}[x.ref()],
        lambda x: x.ref().deref().numpy(),
        lambda x: x.cpu().numpy(),
        lambda x: x.device,
        lambda x: x.set_shape(x.shape),
    ],
)
def test_a_method_gives_what_it_gives_in_tensorflow(value, read):
    ours, theirs = read(shims.constant(value)), read(tf.constant(value))
    np.testing.assert_array_equal(ours, theirs)
    assert isinstance(ours, type) == isinstance(theirs, type)


ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
ORDER = ("lt", "le", "gt", "ge", "eq", "ne")


@pytest.mark.usefixtures("enabled")
@pytest.mark.parametrize("name", [*ARITHMETIC, *ORDER])
@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("run", [lambda f, x: f(x), lambda f, x: jax.jit(f)(x)])
def test_lists_are_operands(name, kind, run):
    apply = getattr(operator, name)
    x = np.float32([1.5, -2.0, 3.0])
    other = kind([1, -2, 2.5])
    functions = [lambda a: apply(a, other)]
    if name in ARITHMETIC:
        functions.append(lambda a: apply(other, a))
    for f in functions:
        ours, theirs = run(f, jnp.asarray(x)), f(tf.constant(x)).numpy()
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.usefixtures("enabled")
def test_other_operators_of_lists():
    b = jnp.asarray([True, False])
    np.testing.assert_array_equal(b & [True, True], [True, False])
    np.testing.assert_array_equal([False, True] | b, [True, True])
    np.testing.assert_array_equal(jnp.ones((2, 2)) @ [[1], [2]], [[3], [3]])
    np.testing.assert_array_equal([[1.0, 2.0]] @ jnp.ones((2, 2)), [[3, 3]])
    with pytest.raises(TypeError, match="dtype int32"):
        operator.add(jnp.asarray([1, 2]), [1.5, 2])
    np.testing.assert_array_equal(jax.grad(lambda a: (a * [1.0, 2.0]).sum())(jnp.ones(2)), [1, 2])


@pytest.mark.usefixtures("enabled")
@pytest.mark.parametrize(
    "index",
    [
        (slice(None), (True, False, True)),
        (slice(None), [True, False, True]),
        ((1, 0), (True, False, True)),
        ((0, 1), [1, 2]),
        (1, (0, 0, 1), np.array([0, 1, 1])),
        (..., ((True, False), (False, True), (True, True))),
        (slice(None), ()),
        (None, 1, slice(1, 3)),
    ],
    ids=str,
)
def test_sequences_within_an_index_are_arrays_as_in_numpy(index):
    x = np.arange(12).reshape(2, 3, 2) if index[0] is ... else np.arange(24).reshape(2, 3, 4)
    for run in (lambda a: a[index], jax.jit(lambda a: a[index])):
        np.testing.assert_array_equal(run(jnp.asarray(x)), x[index])


@pytest.mark.usefixtures("enabled")
@pytest.mark.parametrize("number", [-(2**32) + 1, 2**31])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_integer_beyond_32_bits_gets_the_dtype_of_the_other_operand(number, dtype):
    def results(tf):
        x = tf.constant([1.0, 2.5], dtype)
        sums = (x * number, number * x, x + number, number - x, x / number, x // number)
        return [*(tf.cast(y, tf.float32) for y in sums), x < number, x == number, number >= x]

    for ours in (results(shims), jax.jit(lambda: results(shims))()):
        for got, want in zip(ours, results(tf), strict=True):
            np.testing.assert_array_equal(got, want)
    with pytest.raises(shims.errors.NarrowingError, match="does not fit int32"):
        operator.mul(shims.constant([1, 2]), number)


@pytest.mark.usefixtures("enabled")
def test_in_functions_of_known_and_unknown_sizes():
    def f(x):
        assert not hasattr(x, "numpy")
        x.set_shape([None, 3])
        return shims.reshape(x, [-1, x.shape.as_list()[0] * x.get_shape()[1]]) * [2.0]

    x = jnp.arange(6.0).reshape(2, 3)
    spec = [shims.TensorSpec([None, 3])]
    for run in (f, jax.jit(f), shims.function(f), shims.function(f, input_signature=spec)):
        if run is not f:
            np.testing.assert_array_equal(run(x), [[0, 2, 4, 6, 8, 10]])


@pytest.mark.usefixtures("enabled")
def test_a_shape_is_a_tuple_for_jax():
    x = jnp.ones((2, 3))
    assert isinstance(x.shape, tuple)
    assert jnp.zeros(x.shape).shape == (2, 3)
    assert jax.tree.leaves(x.shape) == [2, 3]
    assert jax.jit(lambda a: a.shape)(x) == (2, 3)
    assert hash(x.shape) == hash((2, 3))
    assert jax.jit(jnp.ones, static_argnums=0)(x.shape).shape == (2, 3)
    assert jax.jit(lambda a: jnp.zeros(a.shape, a.dtype))(x).dtype == jnp.float32
    assert np.zeros(1, x.dtype).dtype == np.float32
    assert jnp.issubdtype(x.dtype, jnp.floating)
    assert jnp.finfo(x.dtype).bits == 32
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([2, 4])


@pytest.mark.usefixtures("enabled")
def test_libraries_compute_as_before():
    optimizer = optax.adam(0.1)
    weights = {"w": jnp.ones(3)}
    state = optimizer.init(weights)
    updates, _ = jax.jit(optimizer.update)(weights, state, weights)
    np.testing.assert_allclose(optax.apply_updates(weights, updates)["w"], [0.9] * 3, rtol=1e-5)
    layer = keras.layers.Dense(2, kernel_initializer="ones")
    np.testing.assert_array_equal(layer(np.ones((1, 3), np.float32)), [[3, 3]])
    key = jax.random.key(0)
    assert jax.random.split(key).dtype == key.dtype


def test_removed_at_the_end_and_counted():
    x = jnp.ones(2)
    with shims.enable_tensor_methods():
        with shims.enable_tensor_methods():
            pass
        assert x.numpy().tolist() == [1, 1]
    assert type(x.shape) is tuple
    assert not hasattr(x, "numpy")
    with pytest.raises(TypeError):
        operator.add(x, [1.0, 2.0])


@pytest.mark.parametrize("name", ["numpy", "get_shape", "set_shape", "ref"])
def test_an_absent_method_names_the_remedy(name):
    with pytest.raises(AttributeError, match=r"shims\.enable_tensor_methods\(\)") as caught:
        getattr(shims.constant([1.0]), name)
    assert caught.value.name == name
    with pytest.raises(AttributeError, match="traced" if name == "numpy" else "enable"):
        jax.jit(lambda x: getattr(x, name)())(1.0)


def test_known_numbers_under_jit_have_the_methods():
    given = np.array([[1.5, 2.0], [0.0, 3.0]], np.float32)

    def program(x):
        known = shims.cast(given, shims.int32)
        assert (known.shape.rank, known.get_shape().as_list()) == (2, [2, 2])
        assert known.shape.is_fully_defined()
        assert known.dtype == shims.int32
        assert known.dtype.is_integer
        return known * [2, 3], [2, 3] - known, known * [jnp.int32(x), 1]

    with shims.enable_tensor_methods():
        results = jax.jit(program)(2.0)
    known = given.astype(np.int32)
    for got, want in zip(results, (known * [2, 3], [2, 3] - known, known * [2, 1]), strict=True):
        np.testing.assert_array_equal(got, want, strict=False)
        assert got.dtype == jnp.int32
    assert type(shims.range(3).shape) is tuple
