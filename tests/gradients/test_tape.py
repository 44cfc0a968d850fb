"""`GradientTape` on values: gradients, `None`s, structures, order and errors of TensorFlow."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, assert_same
from tests.harness.outcomes import FLOAT32, array, check_raises, check_same

X = [[1.0, -2.0, 0.0], [3.0, 0.5, -1.0]]


def square(m):
    x = array(m, 3.0)
    with m.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def decided_by_values(m):
    x = array(m, 3.0)
    with m.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        while y < 100.0:
            y = y * x
        if y > 200.0:
            y = -y
    return y, tape.gradient(y, x)


def structures(m):
    v, w = m.Variable([1.0, 2.0]), m.Variable([1.0, 2.0])
    x = array(m, 2.0)
    with m.GradientTape(persistent=True) as tape:
        tape.watch([x])
        a = m.reduce_sum(v * v * x + m.abs(w) * 3.0)
        b = v * 2.0
    return (
        tape.gradient(a, {"v": v, "rest": [w, (x,)]}),
        tape.gradient([a, b], [v, x]),
        tape.gradient(
            {"a": a, "b": b}, v, output_gradients={"a": array(m, 2.0), "b": array(m, [3.0, 4.0])}
        ),
        tape.gradient(b, [x], unconnected_gradients="zero"),
        tape.gradient(b, [x, w], unconnected_gradients=m.UnconnectedGradients.ZERO),
        tape.gradient(v, v),
        [name.name for name in tape.watched_variables()],
    )


def intermediates(m):
    x = array(m, [1.0, 2.0])
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * x
    return tape.gradient(z, [x, y]), tape.gradient(z, y), tape.gradient(z, z), tape.gradient(y, z)


def unconnected(m):
    x, n = array(m, [1.5, 2.5]), array(m, [1, 2], "int32")
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        results = [
            m.floor(x),
            m.math.ceil(x),
            m.round(x),
            x // 2.0,
            m.stop_gradient(x),
            m.cast(m.cast(x, m.int32), m.float32),
            m.ones_like(x),
            m.zeros_like(x),
            m.cast(x > 2.0, m.float32),
            m.sign(x),
            m.cast(m.argmax(x), m.float32),
            m.cast(n, m.float32),
            x % 2.0,
            m.reduce_max(x),
            m.floor(x) + x * 0.0,
        ]
    return [tape.gradient(y, x) for y in results]


def integer_source(m):
    n = array(m, [1, 2], "int32")
    x = array(m, [1.0, 2.0])
    with m.GradientTape(persistent=True) as tape:
        tape.watch([x])
        y = x * m.cast(n, m.float32)
        k = n * 2
    return tape.gradient(y, [n, x]), tape.gradient(k, x), tape.gradient([k, y], x)


def not_watched(m):
    x, v = array(m, 3.0), m.Variable(2.0, trainable=False)
    w = m.Variable(5.0)
    with m.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = x * v * w
    with m.GradientTape(persistent=True) as own:
        own.watch(v)
        z = x * v
    names = [len(t.watched_variables()) for t in (tape, own)]
    return tape.gradient(y, [x, v, w]), own.gradient(z, [x, v]), names


def two_variables_of_one_array(m):
    start = array(m, [1.0, 2.0])
    v, w = m.Variable(start), m.Variable(start)
    with m.GradientTape(persistent=True) as tape:
        tape.watch(start)
        y = v * 2.0 + w * 3.0
    return tape.gradient(y, [v, w, start])


def assigned_inside(m):
    x, v = array(m, 3.0), m.Variable(2.0)
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = v * x
        v.assign(x * x)
        second = v * x
    return tape.gradient([first, second], [v, x]), tape.gradient(second, [v, x]), v.read_value()


def stopped(m):
    x = array(m, 3.0)
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * x
        w = z * x + y
    return tape.gradient(z, x), tape.gradient(w, [x, y, z])


def reset(m):
    x = array(m, 3.0)
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = y * x
    return tape.gradient(z, x), tape.gradient(y, x)


def entered_twice(m):
    x = array(m, 3.0)
    tape = m.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    z = y * x
    with tape:
        w = y * x
    return tape.gradient(w, x), tape.gradient(z, x)


def asked_inside(m):
    x = array(m, 3.0)
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        g = tape.gradient(y, x)
    return g, tape.gradient(g, x)


def second_order(m):
    x, v = array(m, [0.5, 2.0]), m.Variable([3.0, 1.0])
    with m.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with m.GradientTape() as inner:
            inner.watch(x)
            y = m.reduce_sum(m.sin(x) * x * v)
        g = inner.gradient(y, [x, v])
    return g, outer.gradient(g[0], [x, v]), outer.gradient(g[1], [x, v]), outer.gradient(y, x)


def third_order_by_an_intermediate_value(m):
    x = array(m, 1.5)
    with m.GradientTape(persistent=True) as first:
        first.watch(x)
        y = x * x
        with m.GradientTape(persistent=True) as second:
            second.watch(x)
            with m.GradientTape() as third:
                third.watch(y)
                z = y * y * y * x
            a = third.gradient(z, y)
        b = second.gradient(a, x)
    return a, b, first.gradient(b, [x, y]), first.gradient(a, [x, y])


def outer_recording_stopped(m):
    x = array(m, 2.0)
    with m.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with outer.stop_recording(), m.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        g = inner.gradient(y, x)
    return g, outer.gradient(y, x), outer.gradient(g, x)


def jacobians(m):
    x, v = array(m, X), m.Variable([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]])
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = m.exp(m.matmul(x, v))
        s = m.reduce_sum(y)
        f = m.floor(y)
    return (
        tape.jacobian(y, [x, v]),
        tape.jacobian(s, x),
        tape.jacobian(y, {"v": v}),
        tape.jacobian(f, [x]),
        tape.jacobian(f, x, unconnected_gradients="zero"),
        tape.batch_jacobian(y, x),
        tape.batch_jacobian(f, x),
        tape.batch_jacobian(f, x, unconnected_gradients="zero"),
    )


def jacobian_of_gradient(m):
    x = array(m, [0.5, 2.0, -1.0])
    with m.GradientTape() as outer:
        outer.watch(x)
        with m.GradientTape() as inner:
            inner.watch(x)
            y = m.reduce_sum(m.exp(x) * x[0])
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


def gathered(m):
    v = m.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    x, i = array(m, [1.0, 2.0, 3.0]), array(m, [2, 0, 2], "int32")
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        rows = m.gather(v, i)
        both = m.gather(v, i) * 2.0 + m.gather(v, i)
        computed = m.gather(v * 2.0, i)
        columns = m.gather(v, i[:1] * 0, axis=1)
        mixed = m.gather(x, i) + x
        one = m.gather(x, 1)
        several = m.gather(v, array(m, [[0, 1], [1, 1]], "int32"))
    plain_rows = [tape.gradient(y, v) for y in (rows, both, computed, columns, several)]
    return plain_rows, tape.gradient(one, x), tape.gradient(mixed, x), tape.jacobian(mixed, x)


def second_order_through_gather(m):
    v = m.Variable([1.0, 2.0, 3.0])
    with m.GradientTape() as outer:
        with m.GradientTape() as inner:
            y = m.reduce_sum(m.gather(v, [0, 0, 2]) ** 3)
        slices = inner.gradient(y, v)
        g = m.convert_to_tensor(slices) if m is tf else slices.to_dense()
        s = m.reduce_sum(g**2)
    return outer.gradient(s, v)


def dynamic_sizes(m):
    x = array(m, X)
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        kept = m.boolean_mask(x, x > 0.0)
        rows = m.boolean_mask(x, [True, False])
        places = m.where(x > 0.0)
        picked = m.gather_nd(x, places)
        total = m.reduce_sum(kept**3) + m.reduce_sum(picked)
        sorted_values = m.sort(kept)
    return (
        [tape.gradient(y, x) for y in (kept, rows, total, sorted_values)],
        tape.jacobian(kept, x),
        tape.gradient(places, x),
    )


def complex_numbers(m):
    x = array(m, [1 + 2j, 3 - 1j], "complex64")
    with m.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        a = m.reduce_sum(y * (1 + 1j))
    return (
        tape.gradient(y, x),
        tape.gradient(a, x),
        tape.gradient(y, x, output_gradients=array(m, [1j, 2.0], "complex64")),
    )


PROGRAMS = [
    square,
    decided_by_values,
    structures,
    intermediates,
    unconnected,
    integer_source,
    not_watched,
    two_variables_of_one_array,
    assigned_inside,
    stopped,
    reset,
    entered_twice,
    asked_inside,
    second_order,
    third_order_by_an_intermediate_value,
    outer_recording_stopped,
    jacobians,
    jacobian_of_gradient,
    gathered,
    second_order_through_gather,
    dynamic_sizes,
    complex_numbers,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_tensorflow(program):
    check_same(program)


# ---- what is refused -----------------------------------------------------------------------------


def tape_over(m, **options):
    x = array(m, 3.0)
    with m.GradientTape(**options) as tape:
        tape.watch(x)
        y = x * x
    return tape, x, y


def twice(m):
    tape, x, y = tape_over(m)
    tape.gradient(y, x)
    tape.gradient(y, x)


def jacobian_after_gradient(m):
    tape, x, y = tape_over(m)
    tape.gradient(y, x)
    tape.jacobian(y, x)


def never_entered(m):
    m.GradientTape().gradient(array(m, 1.0), array(m, 1.0))


def no_target(m):
    tape, x, _ = tape_over(m)
    tape.gradient(None, x)


def entered_again(m):
    with m.GradientTape() as tape, tape:
        pass


def stopped_unentered(m):
    with m.GradientTape().stop_recording():
        pass


def stopped_outside(m):
    tape, _, _ = tape_over(m, persistent=True)
    with tape.stop_recording():
        pass


def reset_outside(m):
    tape, _, _ = tape_over(m)
    tape.reset()


def watched_text(m):
    with m.GradientTape() as tape:
        tape.watch("x")


def unknown_policy(m):
    tape, x, y = tape_over(m)
    tape.gradient(y, x, unconnected_gradients="one")


def rows_of_different_counts(m):
    x = array(m, [1.0, 2.0])
    with m.GradientTape() as tape:
        tape.watch(x)
        y = x[:1] * 2.0
    tape.batch_jacobian(y, x)


REFUSED = [
    twice,
    jacobian_after_gradient,
    never_entered,
    no_target,
    entered_again,
    stopped_unentered,
    stopped_outside,
    reset_outside,
    watched_text,
    unknown_policy,
    rows_of_different_counts,
]


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.__name__)
def test_refused_as_by_tensorflow(program):
    check_raises(program)


# ---- over plain JAX ------------------------------------------------------------------------------


def through(f, *arrays):
    """Gradients of a sum by a tape, and by JAX."""
    with shims.GradientTape() as tape:
        tape.watch(list(arrays))
        y = f(*arrays)
    found = tape.gradient(y, list(arrays))
    wanted = jax.grad(lambda *a: jnp.sum(f(*a)), argnums=tuple(range(len(arrays))))(*arrays)
    return found, list(wanted)


W = jnp.arange(3.0)
PLAIN = {
    "operators": lambda a, b: a * b - a / (b + 2) + a**2,
    "at_set": lambda a, b: a.at[0].set(b[1]) * b,
    "masks": lambda a, b: a[np.array([True, False, True])] * b[1:],
    "rows": lambda a, b: sum(x * y * y for x, y in zip(a, b, strict=True)),
    "custom_jvp": lambda a, b: jax.nn.relu(a - 1) * jax.nn.silu(b),
    "jit": lambda a, b: jax.jit(lambda c: jax.jit(lambda d: d * a)(c) + b * W)(b),
    "scan": lambda a, b: jax.lax.scan(lambda c, x: (c * x + b[0], c * a), jnp.float32(1), a)[1],
    "cond": lambda a, b: jax.lax.cond(a[0] > 5, lambda: a * b, lambda: a - b),
    "vmap": lambda a, b: jax.vmap(lambda x: x * b)(a),
    "checkpoint": lambda a, b: jax.checkpoint(lambda x: jnp.sin(x) * b)(a),
    "grad": lambda a, b: jax.grad(lambda x: jnp.sum(jnp.sin(x) * b * x))(a),
    "matmul": lambda a, b: jnp.outer(a, b) @ a,
    "softmax": lambda a, b: jax.nn.softmax(a) * jax.nn.logsumexp(b),
    "fori": lambda a, b: jax.lax.fori_loop(0, 3, lambda i, s: s * b, a),
}


@pytest.mark.parametrize("name", PLAIN)
def test_through_plain_jax(name):
    a, b = jnp.array([1.0, 2.0, 0.5]), jnp.array([3.0, -1.0, 2.0])
    found, wanted = through(PLAIN[name], a, b)
    assert_same(found, wanted, FLOAT32, Dtypes.SAME)


def test_a_custom_rule_can_be_used_again_and_again():
    @jax.custom_vjp
    def f(x, y):
        return x * y

    f.defvjp(lambda x, y: (x * y, (x, y)), lambda saved, g: (g * 10 * saved[0], g * 20))
    x, y = jnp.float32(2), jnp.float32(3)
    with shims.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with shims.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            z = f(x, y)
        first = tape.gradient(z, [x, y])
    assert [float(g) for g in (*first, *tape.gradient(z, [x, y]))] == [20, 20, 20, 20]
    assert outer.gradient(first[0], x) == 10


def test_a_rule_of_the_identity():
    @jax.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1, 1),))
    x = jnp.array([2.0, 0.1])
    with shims.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = clipped(x)
        z = y * y
        both = jax.jit(lambda a: (a, a))(x)
    assert tape.gradient(z, x).tolist() == pytest.approx([1, 0.2])
    assert tape.gradient(z, y).tolist() == pytest.approx([4, 0.2])
    assert tape.gradient(both, x).tolist() == [2, 2]


def test_a_jacobian_through_a_custom_rule():
    x = jnp.array([1.0, -1.0])
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = jax.nn.relu(x) * 2
    assert tape.jacobian(y, x).tolist() == [[2, 0], [0, 0]]


def test_values_stay_arrays():
    x = jnp.ones(3)
    with shims.GradientTape() as tape:
        tape.watch(x)
        assert type(x * 2) is type(x)
        assert np.asarray(x * 2).tolist() == [2, 2, 2]


def test_output_gradients_must_fit():
    for output_gradients, text in (
        ([jnp.ones(2)], r"shape \(2,\), but its target has shape \(\)"),
        ([None, None], "2 entries for 1 targets"),
    ):
        tape, x, y = tape_over(shims)
        with pytest.raises(ValueError, match=text):
            tape.gradient(y, x, output_gradients=output_gradients)


def test_recorders_are_forgotten():
    tape, x, y = tape_over(shims)
    assert tape.gradient(y, x) == 6
    assert not tape._arrays
    assert not tape._operations


def test_only_what_matters_is_kept():
    x, other = jnp.ones(3), jnp.ones(3)
    with shims.GradientTape() as tape:
        tape.watch(x)
        _ = other * 2 + 1
        y = x * 2
        _ = y > 1
    assert len(tape._operations) == 1


def test_as_tensorflow_finds_a_difference():
    with pytest.raises(AssertionError):
        check_same(lambda m: array(m, 1.0 if m is tf else 2.0))
    with pytest.raises(AssertionError):
        check_same(lambda m: None if m is tf else array(m, 0.0))
