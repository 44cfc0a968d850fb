"""`custom_gradient`, `recompute_grad` and `stop_gradient`: on values, in functions, under JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, assert_same
from tests.harness.outcomes import FLOAT32, array, check_raises, check_same


def log1pexp(m):
    @m.custom_gradient
    def f(x):
        e = m.exp(x)
        return m.math.log(1.0 + e), lambda upstream: upstream * (1.0 - 1.0 / (1.0 + e))

    return f


def clipped(m):
    @m.custom_gradient
    def f(x):
        return x, lambda dy: m.clip_by_value(dy, -1.0, 1.0)

    return f


def several(m):
    """Two arguments, two results, gradients that tell them apart."""

    @m.custom_gradient
    def f(x, y):
        return (x * y, x + y), lambda a, b: (a * 10.0 + b, a * 20.0 + b * 2.0)

    return f


def with_variables(m, w, u):
    @m.custom_gradient
    def f(x):
        def gradient(dy, variables=None):
            found = {id(v): dy * (30.0 + i) for i, v in enumerate((w, u))}
            return dy * 10.0, [found[id(v)] for v in variables]

        return x * w * u, gradient

    return f


def without_gradient(m):
    @m.custom_gradient
    def f(x, y):
        return x * y, lambda dy: (dy * 3.0, None)

    return f


def on_values(m):
    x, w, u = m.Variable(1.5), m.Variable(2.0), m.Variable(4.0)
    y = array(m, 3.0)
    with m.GradientTape(persistent=True) as outer:
        with m.GradientTape(persistent=True) as tape:
            tape.watch(y)
            a = log1pexp(m)(x * 1.0)
            b = clipped(m)(x * 1.0) * 5.0
            c, d = several(m)(x * 1.0, y)
            e = with_variables(m, w, u)(x * 1.0)
            f = without_gradient(m)(y, x * 1.0)
        first = tape.gradient(a, x)
    return (
        [a, b, c, d, e, f],
        first,
        outer.gradient(first, x),
        tape.gradient(b, x),
        [tape.gradient(t, [x, y]) for t in (c, d, [c, d], f)],
        tape.gradient(e, [x, w, u]),
    )


def inside_a_function(m):
    w, u = m.Variable(2.0), m.Variable(4.0)

    @m.function
    def f(x, y):
        with m.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with m.GradientTape(persistent=True) as tape:
                tape.watch([x, y])
                a = log1pexp(m)(x)
                b = clipped(m)(x) * 5.0
                c, d = several(m)(x, y)
                e = with_variables(m, w, u)(x)
                g = without_gradient(m)(y, x)
            first = tape.gradient(a, x)
        return (
            [first, outer.gradient(first, x), tape.gradient(b, x)],
            [tape.gradient(t, [x, y]) for t in (c, d, [c, d])],
            tape.gradient(e, [x, w, u]),
            tape.gradient(g, [y]),
        )

    return f(array(m, 1.5), array(m, 3.0))


def function_under_a_tape(m):
    w, u = m.Variable(2.0), m.Variable(4.0)
    x = m.Variable(1.5)

    @m.function
    def f(x):
        c, d = several(m)(x, log1pexp(m)(x))
        return clipped(m)(c) * 2.0 + d + with_variables(m, w, u)(x)

    with m.GradientTape() as tape:
        y = f(x * 1.0)
    return y, tape.gradient(y, [x, w, u])


def nested(m):
    """A rule that is differentiated by a rule of its own."""

    @m.custom_gradient
    def outer_rule(x):
        @m.custom_gradient
        def slope(x):
            return 3.0 * x * x, lambda dy: dy * 7.0

        return x**3, lambda dy: dy * slope(x)

    x = array(m, 2.0)
    with m.GradientTape() as second:
        second.watch(x)
        with m.GradientTape() as first:
            first.watch(x)
            y = outer_rule(x)
        g = first.gradient(y, x)
    return y, g, second.gradient(g, x)


def complex_rule(m):
    @m.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * array(m, 1 + 2j, "complex64")

    x = array(m, 1 - 1j, "complex64")
    with m.GradientTape() as tape:
        tape.watch(x)
        y = f(x) * array(m, 1j, "complex64")
    return tape.gradient(y, x)


def recomputed(m):
    w, x = m.Variable(2.0), m.Variable([1.0, 2.0])
    f = m.recompute_grad(lambda a: m.reduce_sum(m.sin(a) * w * a))
    with m.GradientTape() as tape:
        y = f(x * 1.0) * 3.0
    inside = m.function(lambda a: f(a) * 2.0)
    with m.GradientTape() as outside:
        z = inside(x * 1.0)
    return y, tape.gradient(y, [x, w]), z, outside.gradient(z, [x, w])


PROGRAMS = [
    on_values,
    inside_a_function,
    function_under_a_tape,
    nested,
    complex_rule,
    recomputed,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_tensorflow(program):
    check_same(program)


def over_sizes(m):
    w = m.Variable(2.0)

    @m.custom_gradient
    def scaled(y):
        def gradient(dy, variables=None):
            return dy * 5.0, [m.reduce_sum(dy * y) * 7.0]

        return y * w, gradient

    @m.function(input_signature=[m.TensorSpec([None], m.float32)])
    def f(x):
        with m.GradientTape() as tape:
            tape.watch(x)
            y = m.reduce_sum(scaled(m.boolean_mask(x, x > 0.0)) ** 2)
        return tape.gradient(y, [x, w])

    return [f(array(m, v)) for v in ([1.0, 2.0, 3.0], [1.0, -1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0])]


def test_rules_over_unknown_sizes():
    check_same(over_sizes)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_under_jax(transform):
    w, u = shims.Variable(2.0), shims.Variable(4.0)
    x, y = jnp.float32(1.5), jnp.float32(3)
    assert transform(jax.grad(clipped(shims)))(x) == 1
    assert transform(jax.grad(lambda x: clipped(shims)(x) * 5))(x) == 1
    a, b = transform(jax.grad(lambda x, y: sum(several(shims)(x, y)), argnums=(0, 1)))(x, y)
    assert (a, b) == (11, 22)
    assert transform(jax.grad(with_variables(shims, w, u)))(x) == 10
    curvature = transform(jax.grad(jax.grad(log1pexp(shims))))(x)
    s = 1 / (1 + np.exp(-1.5))
    np.testing.assert_allclose(curvature, s * (1 - s), rtol=1e-5)
    rows = transform(jax.vmap(jax.grad(clipped(shims))))(jnp.arange(3.0))
    assert rows.tolist() == [1, 1, 1]
    recomputed = shims.recompute_grad(lambda x: jnp.sin(x) * w)
    np.testing.assert_allclose(transform(jax.grad(recomputed))(x), 2 * np.cos(1.5), rtol=1e-6)


def test_second_order_of_what_is_recomputed():
    w, x = shims.Variable(2.0), shims.Variable([1.0, 2.0])
    f = shims.recompute_grad(lambda a, power: shims.reduce_sum(a**power * w))
    with shims.GradientTape() as outer:
        with shims.GradientTape() as inner:
            y = f(x * 1.0, power=3)
        g = inner.gradient(y, x)
    assert_same(
        outer.gradient(g, [x, w]),
        [jnp.array([12.0, 24.0]), jnp.array([3.0, 12.0]).sum()],
        FLOAT32,
        Dtypes.SAME,
    )


def test_what_is_recomputed_is_not_kept():
    x = jnp.float32(2)
    f = shims.recompute_grad(lambda a: jnp.sin(jnp.cos(jnp.exp(a))))
    with shims.GradientTape() as tape:
        tape.watch(x)
        f(x)
    assert len(tape._operations) == 1


def test_what_a_rule_closes_over_has_no_gradient():
    def program(m):
        z = array(m, 3.0)

        @m.custom_gradient
        def f(x):
            return x * z, lambda dy: dy * z

        x = array(m, 2.0)
        with m.GradientTape() as tape:
            tape.watch([x, z])
            y = f(x)
        return tape.gradient(y, [x, z])

    check_same(program)
    f = lambda x, z: shims.custom_gradient(lambda x: (x * z, lambda dy: dy * z))(x)
    assert jax.grad(f, argnums=(0, 1))(2.0, 3.0) == (3, 0)


def no_place_for_variables(m):
    w = m.Variable(2.0)
    f = m.custom_gradient(lambda x: (x * w, lambda dy: dy))
    with m.GradientTape() as tape:
        y = f(array(m, 1.0))
    tape.gradient(y, w)


def too_many_gradients(m):
    f = m.custom_gradient(lambda x: (x * 2.0, lambda dy: (dy, dy)))
    x = array(m, 1.0)
    with m.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    tape.gradient(y, x)


@pytest.mark.parametrize(
    "program", [no_place_for_variables, too_many_gradients], ids=lambda p: p.__name__
)
def test_refused_as_by_tensorflow(program):
    check_raises(program)


def test_a_decorator_with_parentheses():
    assert shims.custom_gradient()(lambda x: (x, lambda dy: dy))(jnp.float32(2)) == 2


def test_stop_gradient():
    def program(m):
        x = array(m, [1.0, 2.0])
        with m.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = m.stop_gradient(x * 2.0)
            z = x * y
        return tape.gradient(z, x), tape.gradient(y, x)

    check_same(program)
    assert tf.stop_gradient(1.0) == 1.0
