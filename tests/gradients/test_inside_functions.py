"""Tapes inside functions, functions under tapes, at sizes full, some, one and zero."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, assert_same
from tests.harness.outcomes import FLOAT32, array

SIZES = {
    "full": [1.0, 2.0, 0.5, 3.0],
    "some": [1.0, -1.0, 2.0, -3.0, 2.0],
    "one": [-1.0, 2.0, -2.0],
    "zero": [-1.0, -2.0],
}


def vector(m):
    """A signature of one vector of unknown size."""
    return [m.TensorSpec([None], m.float32)]


def masked_sum(m, x, v):
    y = m.boolean_mask(x, x > 0.0)
    return m.reduce_sum(y * y * v)


def branch_on_a_value(m, x, v):
    y = m.boolean_mask(x, x > 0.0)
    s = m.reduce_sum(y * y * v)
    return m.cond(s > 3.0, lambda: s * 2.0 + v, lambda: s)


def positions(m, x, v):
    places = m.where(x > 0.0)
    picked = m.gather_nd(x, places)
    return m.reduce_sum(m.exp(picked)) * v


def loop_over_the_size(m, x, v):
    size, start = m.shape(x)[0], array(m, 0, "int32")
    step = lambda i, s: (i + 1, s * 1.5 + x[i] ** 2 * v)
    return m.while_loop(lambda i, s: i < size, step, (start, v * 1.0))[1]


def distinct_values(m, x, v):
    values, places = m.unique(m.cast(x, m.int32))
    sums = m.math.unsorted_segment_sum(x, places, m.shape(values)[0])
    return m.reduce_sum(sums**3) * v


def gathered_rows(m, x, v):
    places = m.cast(m.where(x > 0.0)[:, 0], m.int32)
    return m.reduce_sum(m.gather(x, places) ** 3 * v)


def running_sums(m, x, v):
    y = m.boolean_mask(x, x > 0.0)
    return m.reduce_sum(m.cumsum(y) * y) * v


def largest_of_segments(m, x, v):
    ids = m.math.floordiv(m.range(m.size(x)), 2)
    return m.reduce_sum(m.math.segment_max(x, ids) ** 2 * v)


def product_of_rows(m, x, v):
    rows = m.boolean_mask(m.stack([x, x + 1.0], 1), x > 0.0)
    return m.reduce_prod(rows) * v


def spaced_from_the_first(m, x, v):
    grid = m.range(x[0], x[0] + 2.0 * v, v / 4.0)
    return m.reduce_sum(grid * grid) * x[0] * v + masked_sum(m, x, v)


def straight_through(m, x, v):
    """What is rounded has a gradient where a rule says so."""

    @m.custom_gradient
    def rounded(x):
        return m.round(x), lambda dy: dy

    return m.reduce_sum(rounded(x) * x) * v + m.reduce_sum(m.round(x))


def quantized(m, x, v):
    return m.reduce_sum(m.quantization.fake_quant_with_min_max_args(x, -2.0, 2.0)) * v


LOSSES = [
    masked_sum,
    branch_on_a_value,
    positions,
    loop_over_the_size,
    distinct_values,
    gathered_rows,
    running_sums,
    largest_of_segments,
    product_of_rows,
    spaced_from_the_first,
    straight_through,
]


def tape_inside(m, loss):
    v = m.Variable(2.0)

    @m.function(input_signature=vector(m))
    def step(x):
        with m.GradientTape() as tape:
            tape.watch(x)
            y = loss(m, x, v)
        return y, tape.gradient(y, [x, v])

    return step


def tape_outside(m, loss):
    v = m.Variable(2.0)
    computed = m.function(lambda x: loss(m, x, v), input_signature=vector(m))

    def step(x):
        with m.GradientTape() as tape:
            tape.watch(x)
            y = computed(x * 1.0) * 3.0
        return y, tape.gradient(y, [x, v])

    return step


def second_order_inside(m, loss):
    v = m.Variable(2.0)

    @m.function(input_signature=vector(m))
    def step(x):
        with m.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with m.GradientTape() as inner:
                inner.watch(x)
                y = loss(m, x, v)
            g = dense(inner.gradient(y, x))
        return g, outer.gradient(g, [x, v])

    return step


def second_order_outside(m, loss):
    v = m.Variable(2.0)
    computed = m.function(lambda x: loss(m, x, v), input_signature=vector(m))

    def step(x):
        with m.GradientTape() as outer:
            outer.watch(x)
            with m.GradientTape() as inner:
                inner.watch(x)
                y = computed(x)
            g = inner.gradient(y, x)
        return g, outer.gradient(g, [x, v])

    return step


PLACES = [tape_inside, tape_outside, second_order_inside, second_order_outside]


def dense(value):
    """Rows that a gradient consists of as a whole array: which of the two it is, is not compared."""
    if isinstance(value, (list, tuple)):
        return [dense(v) for v in value]
    if isinstance(value, tf.IndexedSlices):
        return tf.convert_to_tensor(value)
    return value.to_dense() if isinstance(value, shims.IndexedSlices) else value


@pytest.mark.parametrize("loss", LOSSES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("place", PLACES, ids=lambda f: f.__name__)
def test_as_tensorflow_at_every_size(place, loss):
    ours, theirs = place(shims, loss), place(tf, loss)
    for size, values in SIZES.items():
        found, wanted = ours(array(shims, values)), theirs(array(tf, values))
        assert_same(dense(found), dense(wanted), FLOAT32, Dtypes.SAME, what=size)


@pytest.mark.parametrize("place", [tape_inside, tape_outside], ids=lambda f: f.__name__)
def test_quantized_numbers(place):
    values = [-3.0, -0.7, 0.2, 1.4, 2.5]
    found, wanted = (place(m, quantized)(array(m, values)) for m in (shims, tf))
    assert_same(found, wanted, FLOAT32, Dtypes.SAME)


@shims.function(input_signature=vector(shims))
def python_control_flow(x):
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = shims.boolean_mask(x, x > 0)
        s, i = shims.reduce_sum(y), 0
        while i < shims.shape(x)[0]:
            s = s * 1.5 + x[i]
            i += 1
        if s > 3.0:
            s = s * 2.0
    return tape.gradient(s, x)


@pytest.mark.parametrize("size", SIZES)
def test_python_control_flow_inside(size):
    x = jnp.array(SIZES[size])
    assert_same(
        python_control_flow(x), python_control_flow.python_function(x), FLOAT32, Dtypes.SAME
    )


def test_results_of_unknown_sizes_under_a_tape():
    x, v = jnp.array([1.0, -1.0, 2.0]), shims.Variable(2.0)

    @shims.function(input_signature=vector(shims))
    def kept(x):
        return shims.boolean_mask(x, x > 0) * v, x > 0

    with shims.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, mask = kept(x)
        assert y.tolist() == [2, 4]
        assert mask.tolist() == [True, False, True]
        z = y * y
    assert tape.gradient(z, y).tolist() == [4, 8]
    assert tape.gradient(z, x).tolist() == [8, 0, 16]
    assert tape.gradient(z, v) == 20
    assert tape.jacobian(y, x).tolist() == [[2, 0, 0], [0, 0, 2]]
    assert tape.gradient(mask, x) is None


def test_a_call_is_one_operation():
    f = shims.function(lambda x: shims.reduce_sum(shims.boolean_mask(x, x > 0) ** 2))
    x = jnp.array([1.0, -1.0])
    with shims.GradientTape() as tape:
        tape.watch(x)
        f(x)
    assert len(tape._operations) == 1


def test_a_range_has_no_derivative():
    def slopes(m):
        x, step = array(m, [1.0, 2.0]), array(m, 0.5)
        with m.GradientTape() as tape:
            tape.watch([x, step])
            y = m.range(x[0], x[1] * 3.0, step)
        return tape.gradient(y, [x, step])

    assert_same(slopes(shims), slopes(tf), FLOAT32, Dtypes.SAME)


def test_what_a_function_closes_over_has_a_gradient():
    x, scale = jnp.array([1.0, -1.0, 2.0]), jnp.array([2.0, 3.0])
    f = shims.function(
        lambda x: shims.boolean_mask(x, x > 0) * scale[1], input_signature=vector(shims)
    )
    for _ in range(2):
        with shims.GradientTape() as tape:
            tape.watch(scale)
            y = f(x)
        assert tape.gradient(y, scale).tolist() == [0, 3]


def test_a_dynamic_function_under_a_tape():
    x = jnp.array([1.0, -1.0, 2.0])
    f = shims.dynamic(lambda x: x[x > 0] ** 2)
    with shims.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    assert y.tolist() == [1, 4]
    assert tape.gradient(y, x).tolist() == [2, 0, 4]


def test_a_size_that_outgrows_its_bucket_under_a_tape():
    f = shims.function(lambda k, x: shims.reduce_sum(shims.cast(shims.range(k), shims.float32) * x))
    x = jnp.float32(2)
    for count in (3, 40, 0):
        with shims.GradientTape() as tape:
            tape.watch(x)
            y = f(jnp.int32(count), x)
        assert tape.gradient(y, x) == sum(range(count))


def test_a_variable_assigned_by_a_function_under_a_tape():
    def program(m):
        v = m.Variable(2.0)

        @m.function
        def f(x):
            y = v * x
            v.assign_add(1.0)
            return y * v

        x = array(m, 3.0)
        with m.GradientTape() as tape:
            tape.watch(x)
            y = f(x) + f(x)
        return y, tape.gradient(y, x), v.read_value()

    assert_same(program(shims), program(tf), FLOAT32, Dtypes.SAME)


def gradients_of(x, v):
    with shims.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = jnp.sum(jax.nn.relu(x) * x * v)
        z = jnp.floor(x)
    return tape.gradient(y, [x, v]), tape.gradient(z, x, unconnected_gradients="zero")


@pytest.mark.parametrize("transform", [jax.jit, shims.function, shims.dynamic])
def test_inside_other_traces(transform):
    x, v = jnp.array([1.0, -2.0, 3.0]), shims.Variable(2.0)
    found = transform(lambda x: gradients_of(x, v))(x)
    assert_same(found, gradients_of(x, v), FLOAT32, Dtypes.SAME)


def test_inside_vmap_and_grad():
    x = jnp.array([[1.0, -2.0], [3.0, 0.5]])

    def slope(row):
        with shims.GradientTape() as tape:
            tape.watch(row)
            y = jnp.sum(row**3)
        return tape.gradient(y, row)

    np.testing.assert_allclose(jax.vmap(slope)(x), 3 * x**2, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda r: jnp.sum(slope(r)))(x[0]), 6 * x[0], rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.vmap(slope))(x), 3 * x**2, rtol=1e-6)


def test_a_padded_result_inside_jit():
    def f(x):
        with shims.GradientTape() as tape:
            tape.watch(x)
            total = shims.dynamic(lambda x: jnp.sum(x[x > 0] ** 2))(x)
        return tape.gradient(total, x)

    assert jax.jit(f)(jnp.array([1.0, -1.0, 2.0])).tolist() == [2, 0, 4]


def test_jacobians_inside_functions():
    def program(m):
        @m.function(input_signature=[m.TensorSpec([None, 2], m.float32)])
        def f(x):
            with m.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = m.exp(x) * m.reduce_sum(x, axis=1, keepdims=True)
            return tape.jacobian(y, x), tape.batch_jacobian(y, x)

        return [f(array(m, np.arange(2.0 * n).reshape(n, 2) / 5)) for n in (3, 2)]

    assert_same(program(shims), program(tf), FLOAT32, Dtypes.SAME)


def connections(m):
    """Of what a function returns, each part is connected to all that any part depends on."""
    v, w = m.Variable(2.0), m.Variable(3.0)
    f = m.function(lambda x: (x * v, m.reduce_sum(x), m.floor(w * x)))
    x = array(m, [1.0, 2.0])
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        results = f(x)
    return [tape.gradient(y, [x, v, w]) for y in results]


def test_connections_of_a_call():
    assert_same(connections(shims), connections(tf), FLOAT32, Dtypes.SAME)


def training(m):
    """Steps of gradient descent on a small network, eagerly and compiled."""
    draw = np.random.default_rng(0).normal
    x, y = array(m, draw(size=(16, 4))), array(m, draw(size=(16, 1)))
    shapes = [(4, 8), (8,), (8, 1), (1,)]
    variables = [m.Variable(array(m, draw(size=shape) / 2)) for shape in shapes]

    def step(x, y):
        with m.GradientTape() as tape:
            w1, b1, w2, b2 = variables
            hidden = m.nn.relu(m.matmul(x, w1) + b1)
            loss = m.reduce_mean((m.matmul(hidden, w2) + b2 - y) ** 2)
        for gradient, variable in zip(tape.gradient(loss, variables), variables, strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    compiled = m.function(step)
    losses = [step(x, y) for _ in range(3)] + [compiled(x, y) for _ in range(3)]
    return losses, [v.read_value() for v in variables]


def test_training():
    assert_same(training(shims), training(tf), FLOAT32, Dtypes.SAME)


def test_a_tape_inside_of_loops_and_branches():
    v = shims.Variable([1.0, 2.0])

    @shims.function
    def train(x, n):
        for _ in shims.range(n):
            with shims.GradientTape() as tape:
                loss = shims.reduce_sum((v * x - 1.0) ** 2)
                if loss > 1.0:
                    loss = loss * 0.5 * v[0]
            v.assign_sub(0.1 * tape.gradient(loss, v))
        return v.read_value()

    x, w = np.float32([2.0, 0.5]), np.float32([1.0, 2.0])
    for _ in range(6):
        loss = np.sum((w * x - 1) ** 2)
        g = 2 * (w * x - 1) * x
        if loss > 1:
            g = g * 0.5 * w[0] + np.float32([loss * 0.5, 0])
        w = w - 0.1 * g
    np.testing.assert_allclose(train(jnp.array(x), jnp.int32(6)), w, rtol=1e-5)
    np.testing.assert_allclose(v.numpy(), w, rtol=1e-5)


def test_a_loop_under_a_tape_reads_a_variable():
    w = shims.Variable(2.0)

    def grown(x, n):
        s = x * 1.0
        for _ in shims.range(n):
            s = s * w
            if s > 10.0:
                s = s - x
        return s

    @shims.function
    def step(x, n):
        with shims.GradientTape() as tape:
            tape.watch(x)
            s = grown(x, n)
        return s, tape.gradient(s, [x, w])

    assert [float(g) for g in jax.tree.leaves(step(jnp.float32(3), jnp.int32(3)))] == [15, 5, 33]


def test_what_is_printed_is_printed_once(capfd):
    @jax.jit
    def plain(x):
        jax.debug.print("plain {}", x)
        return jax.jit(lambda x: (jax.debug.print("inner {}", x), x * x)[1])(x)

    @shims.function
    def compiled(x):
        jax.debug.print("compiled {}", x)
        return x * x

    x = jnp.float32(3)
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = plain(x) + compiled(x)
    assert tape.gradient(y, x) == 12
    jax.effects_barrier()
    assert sorted(capfd.readouterr().out.split()) == ["3.0"] * 3 + ["compiled", "inner", "plain"]


def test_a_derivative_that_needs_a_size_says_so():
    matrices = shims.function(
        lambda x: shims.linalg.svd(x, full_matrices=True)[0], [shims.TensorSpec([None, None])]
    )
    x = jnp.asarray([[0.5, 0.5], [0.0, 3.0], [1.0, 0.0]])
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = matrices(x)
    with pytest.raises(TypeError, match="incompatible shapes") as info:
        tape.gradient(y, x)
    (note,) = [n for n in info.value.__notes__ if "derivative" in n]
    assert "compute the gradient inside the function" in note
    assert "test_inside_functions.py" in note
