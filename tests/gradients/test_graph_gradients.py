"""`gradients` and `hessians`: of what a function has computed so far."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from tests.harness.outcomes import array, check_raises, check_same


def of_everything(m):
    v = m.Variable(3.0)

    @m.function
    def f(x, z):
        y = m.reduce_sum(x * x * v)
        u = x * 2.0
        w = m.reduce_sum(u * u + x)
        weights = [array(m, 1.0), array(m, 2.0)]
        cubes = m.gradients(m.reduce_sum(x**3), x)[0]
        return (
            m.gradients(y, [x, v]),
            m.gradients([y, y * 2.0], x, grad_ys=weights),
            m.gradients(w, [u, x], stop_gradients=[u]),
            m.gradients(cubes, x),
            m.gradients(w, z, unconnected_gradients="zero"),
            m.gradients(w, u),
            m.gradients(u, x, grad_ys=x),
            m.hessians(y, [x])[0],
            m.hessians([y, m.reduce_sum(x**3)], x)[0],
            [g is None for g in m.gradients(w, [z, x, v])],
        )

    return f(array(m, [1.0, 2.0]), array(m, [1.0, 2.0]))


def of_branches_and_loops(m):
    @m.function
    def f(x):
        s = m.cond(x[0] > 0.0, lambda: m.reduce_sum(x * x), lambda: m.reduce_sum(x))
        size, start = m.shape(x)[0], array(m, 0, "int32")
        step = lambda i, t: (i + 1, t * x[i])
        t = m.while_loop(lambda i, t: i < size, step, (start, s))[1]
        return m.gradients(t, x)[0]

    return [f(array(m, v)) for v in ([1.0, 2.0, 3.0], [-1.0, 2.0, 0.5])]


def of_unknown_sizes(m):
    @m.function(input_signature=[m.TensorSpec([None], m.float32)])
    def f(x):
        y = m.boolean_mask(x, x > 0.0)
        s = m.reduce_sum(y**3)
        return m.gradients(s, [x, y]), m.gradients(m.gradients(s, x)[0], x), m.hessians(s, x)

    return [f(array(m, v)) for v in ([1.0, 2.0], [1.0, -1.0, 2.0], [-1.0, 3.0, -2.0], [-1.0, -2.0])]


def by_the_names_of_version_1(m):
    v, old = m.Variable([2.0, 3.0]), m.compat.v1

    @m.function(input_signature=[m.TensorSpec([None, 2], m.float32)])
    def f(x):
        loss = old.reduce_sum(old.nn.relu(x) * v * v)
        found = old.gradients(loss, [x, v], colocate_gradients_with_ops=True)
        clipped, norm = old.clip_by_global_norm(found, 1.0)
        return clipped, norm, old.gradients(found[0], v), old.executing_eagerly()

    return [f(array(m, x)) for x in ([[1.0, -2.0]], np.zeros((0, 2)), np.ones((3, 2)))], (
        old.executing_eagerly()
    )


def of_a_custom_gradient(m):
    f = m.custom_gradient(lambda x: (x * x, lambda dy: dy * 10.0 * x))
    g = m.function(lambda x: m.gradients(m.gradients(f(x), x), x) + m.gradients(f(x), x))
    return g(array(m, 2.0))


def under_a_tape(m):
    @m.function
    def f(x):
        with m.GradientTape() as tape:
            tape.watch(x)
            g = m.gradients(m.reduce_sum(x**3), x)[0]
        return g, tape.gradient(g, x)

    return f(array(m, [1.0, 2.0]))


def function_of_gradients_under_a_tape(m):
    f = m.function(lambda x: m.gradients(m.reduce_sum(x**3), x)[0])
    x = array(m, [1.0, 2.0])
    with m.GradientTape() as tape:
        tape.watch(x)
        g = f(x)
    return tape.gradient(g, x)


def of_what_branches_and_bodies_close_over(m):
    @m.function
    def f(x):
        z = x * x
        step = lambda i, a: (i + 1, a + m.gradients(m.reduce_sum(a * a * x), x)[0])
        return (
            m.cond(
                x[0] > 0.0,
                lambda: (*m.gradients(m.reduce_sum(z * x), [x, z]), *m.gradients(z, x)),
                lambda: (x, x, x),
            ),
            m.while_loop(lambda i, a: i < 2, step, (array(m, 0, "int32"), x))[1],
            m.map_fn(lambda r: m.gradients(r**3 * x[0], r)[0], x),
        )

    return f(array(m, [1.5, -2.0, 3.0]))


PROGRAMS = [
    of_everything,
    of_branches_and_loops,
    of_unknown_sizes,
    by_the_names_of_version_1,
    of_a_custom_gradient,
    of_what_branches_and_bodies_close_over,
    under_a_tape,
    function_of_gradients_under_a_tape,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_tensorflow(program):
    check_same(program)


def eagerly(m):
    x = array(m, 1.0)
    m.gradients(x * x, x)


def hessians_eagerly(m):
    x = array(m, [1.0])
    m.hessians(x * x, x)


@pytest.mark.parametrize("program", [eagerly, hessians_eagerly], ids=lambda p: p.__name__)
def test_refused_as_by_tensorflow(program):
    check_raises(program)


def test_inside_jit():
    def f(x):
        y = jnp.sum(jax.nn.relu(x) ** 3)
        return shims.gradients(y, x)[0], shims.hessians(y, x)[0]

    x = jnp.array([1.0, -2.0])
    g, h = jax.jit(f)(x)
    np.testing.assert_allclose(g, [3, 0])
    np.testing.assert_allclose(h, [[6, 0], [0, 0]])


@pytest.mark.parametrize("transform", [jax.grad, jax.vmap])
def test_what_hides_where_an_array_comes_from(transform):
    f = lambda x: jnp.sum(shims.gradients(x**3, x)[0])
    x = jnp.ones([2] if transform is jax.vmap else [])
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        jax.jit(transform(f))(x)
    first, *_, last = str(raised.value).splitlines()
    assert first == (
        "gradients: `jax.grad`, `jax.vmap` and similar transformations hide how an array was computed."
    )
    assert last == (
        "  Do:       use `shims.GradientTape` here, or call a `shims.function` that contains "
        "this call"
    )
    np.testing.assert_allclose(
        jax.jit(transform(shims.function(f)))(x), 6 if x.ndim == 0 else [3, 3]
    )


def test_a_hessian_of_something_else():
    with pytest.raises(ValueError, match="no `y` depends on it"):
        jax.jit(lambda x, z: shims.hessians(x * x, z))(1.0, 2.0)
