"""Differentiate programs that fail for their data: the gradient is an error value, never a number.

Under an enclosing `jax.jit` a failed program gives NaN. It reads no entry of its operands, but its gradient is
NaN for each of them; where the failed part was not used, its gradient is zero.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

SOME, NONE = jnp.array([3.0, -2.0, 1.0]), jnp.array([-3.0, -2.0, -1.0])
KEPT = np.array([0, 2])
# Calls that raise an error for no elements.
FAILING = {
    "max": jnp.max,
    "first": lambda y: y[0],
    "last": lambda y: y[-1] ** 2,
    "take": lambda y: jnp.take(y, jnp.array([0])),
    "fill": lambda y: y.at[jnp.array([0])].get(mode="fill", fill_value=7.0),
    "top_k": lambda y: lax.top_k(y, 1)[0],
    "window": lambda y: lax.dynamic_slice(y, (0,), (1,)) ** 3,
    "update": lambda y: lax.dynamic_update_index_in_dim(y, 1.0, 0, 0) ** 2,
    "trapezoid": jnp.trapezoid,
    "median": jnp.median,
    "scan": lambda y: lax.scan(lambda c, v: (c + y[0] * v, None), 0.0, jnp.ones(2))[0],
    "branch": lambda y: lax.cond(y.sum() > -1.0, lambda: y[0], lambda: 0.0),
    "checkpoint": jax.checkpoint(lambda y: y[0] ** 2),
}


def _program(use):
    return shims.dynamic(lambda x: jnp.sum(use(x[x > 0])))


@pytest.mark.parametrize("name", FAILING)
def test_the_gradient_is_nan_for_all_of_the_operand(name):
    run = jax.jit(jax.value_and_grad(_program(FAILING[name])))
    assert np.isnan(jax.tree.leaves(run(NONE))[0]).all()
    assert np.isnan(run(NONE)[1]).all()
    exact = jax.grad(lambda x: jnp.sum(FAILING[name](x[KEPT])))(SOME)
    np.testing.assert_allclose(run(SOME)[1], exact, rtol=1e-6)


@pytest.mark.parametrize("use", [FAILING["max"], FAILING["last"]])
def test_so_are_other_derivatives(use):
    f = _program(use)
    for derivative in (
        lambda x: jax.vjp(f, x)[1](1.0)[0],
        jax.jacfwd(f),
        jax.hessian(jax.jit(f)),
        jax.jacrev(jax.jacrev(f)),
        jax.jacfwd(jax.jacfwd(f)),
    ):
        assert np.isnan(jax.jit(derivative)(NONE)).all()
        assert np.isfinite(jax.jit(derivative)(SOME)).all()


def test_each_row_of_vmap_has_its_own_gradient():
    found = jax.jit(jax.vmap(jax.grad(_program(jnp.max))))(jnp.stack([SOME, NONE]))
    np.testing.assert_array_equal(found, [[1.0, 0.0, 0.0], [np.nan] * 3])


def test_values_from_around_the_function_and_all_operands_have_the_gradient():
    def loss(w, v, x):
        return shims.dynamic(lambda v, x: jnp.max(x[x > 0] * w) + v.sum())(v, x)

    for gradients, right in ((SOME, np.isfinite), (NONE, np.isnan)):
        found = jax.jit(jax.grad(loss, (0, 1, 2)))(2.0, jnp.ones(2), gradients)
        assert all(right(g).all() for g in found)


@pytest.mark.parametrize(
    "use",
    [
        lambda y: jnp.where(y.shape[0] > 0, y[0], 0.0),
        lambda y: lax.cond(y.shape[0] > 0, lambda: y[0], lambda: 0.0),
    ],
)
def test_what_is_not_used_has_no_gradient(use):
    run = jax.jit(jax.grad(shims.dynamic(lambda x: use(x[x > 0]) * x.sum() + x.sum())))
    np.testing.assert_array_equal(run(NONE), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(run(SOME), [6.0, 4.0, 4.0])


def test_a_result_that_is_not_chosen_has_no_gradient():
    largest = _program(jnp.max)
    run = jax.jit(jax.grad(lambda x: jnp.where(jnp.any(x > 0), largest(x), 0.0) + x.sum()))
    np.testing.assert_array_equal(run(NONE), [1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    "use", [lambda y: y.max(), lambda y: shims.dynamic(lambda y: y[0])(y * 2)], ids=["max", "first"]
)
def test_operators_under_jit_have_the_gradient(use):
    run = jax.jit(jax.grad(lambda x: use(shims.boolean_mask(x, x > 0))))
    assert np.isnan(run(NONE)).all()
    assert np.isfinite(run(SOME)).all()


def test_devices_of_a_mesh_have_the_gradient():
    mesh, spec = jax.make_mesh((1,), ("d",)), jax.sharding.PartitionSpec

    def loss(w, x):
        part = shims.dynamic(lambda w, x: jnp.max(x[x > 0]) * w.sum())
        return jax.shard_map(
            lambda w, x: lax.psum(part(w, x), "d"),
            mesh=mesh,
            in_specs=(spec(), spec("d")),
            out_specs=spec(),
        )(w, x)

    with jax.set_mesh(mesh):
        sharded = jax.sharding.NamedSharding(mesh, spec("d"))
        run = jax.jit(jax.grad(loss, (0, 1)))
        found = run(jnp.ones(2), jax.device_put(SOME, sharded))
        np.testing.assert_array_equal(found[1], [2.0, 0.0, 0.0])
        found = run(jnp.ones(2), jax.device_put(NONE, sharded))
        assert all(np.isnan(g).all() for g in found)


@pytest.mark.parametrize(
    "use",
    [
        lambda y: lax.pad(y, 0.0, ((0, 0, 1),)),
        jnp.fft.irfft,
        jnp.fft.hfft,
        jnp.unwrap,
        lambda y: jnp.take(y, jnp.zeros(0, int)),
    ],
)
def test_what_has_a_result_of_nothing_has_a_gradient(use):
    run = jax.jit(jax.value_and_grad(_program(use)))
    value, gradient = run(NONE)
    assert value == 0
    np.testing.assert_array_equal(gradient, [0.0, 0.0, 0.0])


# ---- matrices ----------------------------------------------------------------------------------

ROWS = jnp.asarray(np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32))


@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_factors_of_tall_square_and_wide_selections(mode):
    def loss(y):
        return sum(jnp.sum(jnp.sin(part)) for part in jnp.linalg.qr(y, mode=mode))

    run = jax.jit(jax.grad(shims.dynamic(lambda x, m: loss(x[m]))))
    for count in (0, 2, 3, 5):
        mask = np.arange(5) < count
        exact = jax.grad(lambda x, m=mask: loss(x[m]))(ROWS)
        np.testing.assert_allclose(run(ROWS, mask), exact, rtol=1e-3, atol=1e-4)


def test_all_singular_vectors_have_derivatives_if_the_selection_is_square():
    def loss(y):
        return sum(jnp.sum(part**2) for part in jnp.linalg.svd(y))

    run = jax.jit(jax.grad(shims.dynamic(lambda x, m: loss(x[m]))))
    square = np.arange(5) < 3
    exact = jax.grad(lambda x: loss(x[square]))(ROWS)
    np.testing.assert_allclose(run(ROWS, square), exact, rtol=1e-3, atol=1e-4)
    assert np.isnan(run(ROWS, np.arange(5) < 2)).all()


# ---- derivatives that JAX does not have --------------------------------------------------------


def test_a_missing_derivative_names_the_line_and_a_remedy_that_works():
    def f(x, wrap):
        y = x[x > 0]
        return lax.zeta(wrap(y) + 2.0, 1.5).sum() + y.sum()

    with pytest.raises(NotImplementedError) as raised:
        jax.jit(jax.grad(shims.dynamic(lambda x: f(x, lambda y: y))))(SOME)
    (note,) = (n for n in raised.value.__notes__ if "Do:" in n)
    assert "lax.zeta(wrap(y)" in note
    assert "jax.lax.stop_gradient(y)" in note
    found = jax.jit(jax.grad(shims.dynamic(lambda x: f(x, lax.stop_gradient))))(SOME)
    np.testing.assert_array_equal(found, [1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    "program",
    [
        lambda y, n, x: y[0] * n,
        lambda y, n, x: n / 3 * y[-1] + (1 - n / 3) * x.mean(),
        lambda y, n, x: y[0] * y.sum(),
        lambda y, n, x: jax.nn.relu(y[0] - 100) + y.sum(),
        lambda y, n, x: lax.scan(lambda c, k: (c + y[0] * n, None), 0.0, jnp.arange(2))[0],
    ],
)
def test_the_gradient_of_a_read_of_nothing_is_nan_whatever_multiplies_it(program):
    def f(x):
        y = x[x > 0]
        return program(y, y.shape[0], x)

    for gradient in (jax.grad(shims.dynamic(f)), jax.jit(jax.grad(shims.dynamic(f)))):
        assert np.isnan(gradient(NONE)).all()
        np.testing.assert_allclose(gradient(SOME), jax.grad(f_of(program))(SOME), rtol=1e-6)


def f_of(program):
    return lambda x: program(x[KEPT], 2, x)


def test_the_gradient_of_a_while_loop_over_a_shrinking_selection():
    def f(x):
        y, total = x[x > 0], jnp.float32(0)
        while y.shape[0] > 1:
            total = total + y[0] * y[-1]
            y = y[1:]
        return total

    x = jnp.array([3.0, -2.0, 1.0, 5.0])
    for gradient in (jax.grad(shims.dynamic(f)), jax.jit(jax.grad(shims.dynamic(f)))):
        np.testing.assert_array_equal(gradient(x), [5, 0, 5, 4])
        np.testing.assert_array_equal(gradient(-jnp.abs(x)), np.zeros(4))


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_a_bool_of_python_beside_the_result():
    def f(x):
        y = x[x > 0]
        return y.sum(), ("a", "b")[y.shape[0] % 2] == "a"

    run = shims.function(f)
    assert run(SOME)[1]
    assert not run(-SOME)[1]
    assert jax.grad(lambda x: run(x)[0])(SOME).tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("autograph", [True, False])
def test_a_bool_of_python_beside_a_quantile_of_nothing(autograph):
    def f(x):
        y = x[x > 0]
        return jnp.quantile(y, 0.5), y.shape[0] > 1

    run = jax.jit(shims.dynamic(f, autograph=autograph))
    for x in (SOME, -SOME, SOME - 1.5):
        np.testing.assert_array_equal(run(x), f(x))


@pytest.mark.parametrize(
    "program",
    [
        lambda y: y.sum() + y[0],
        lambda y: jnp.log(-y).sum() + jnp.median(y[:1]),
        lambda y: y[-1] * y[0] + y.sum(),
    ],
)
def test_a_result_that_the_data_make_nan_keeps_its_gradient(program):
    x, mask = jnp.array([1.0, -2.0, 3.0, 0.5, jnp.nan, -1.0]), jnp.array([0, 0, 0, 1, 1, 0], bool)
    selected = shims.dynamic(lambda x, mask: program(x[mask]))
    got = jax.jit(jax.value_and_grad(selected))(x, mask)
    want = jax.value_and_grad(lambda x: program(x[mask]))(x)
    jax.tree.map(np.testing.assert_array_equal, got, want)


@pytest.mark.parametrize(
    "program",
    [
        lambda y: y[jnp.argmax(y[:, 0])].sum(),
        lambda y: (y * jnp.argmin(y, 0)).sum(),
        lambda y: jnp.prod(y, axis=-1).sum(),
        lambda y: jnp.prod(y, axis=0).sum(),
    ],
)
@pytest.mark.parametrize("chosen", [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]])
def test_steps_of_a_program_that_jax_traced_before_are_differentiated(program, chosen):
    x, mask = jnp.arange(1.0, 7.0).reshape(3, 2), jnp.array(chosen, bool)

    def gradient(x, mask):
        return jax.value_and_grad(lambda x: program(x[mask]))(x)

    inside = jax.jit(shims.dynamic(gradient))
    try:
        want = gradient(x, mask)
    except ValueError:  # there is no largest element
        assert np.isnan(inside(x, mask)[0])
        with pytest.raises(ValueError, match="empty sequence"):
            shims.function(gradient)(x, mask)
    else:
        for run in (inside, shims.function(gradient)):
            jax.tree.map(np.testing.assert_allclose, run(x, mask), want)


def _returned(y):
    return jnp.float32(jnp.nan) if y.shape[0] == 0 else y[y.shape[0] // 2] * 2


def _decided(y):
    return y[0] * 2 if y.shape[0] > 0 else jnp.float32(jnp.nan)


def _decided_by_data(y):
    return lax.cond(y.sum() > 0, lambda: y[0], lambda: jnp.float32(jnp.nan))


@pytest.mark.parametrize("program", [_returned, _decided, _decided_by_data])
def test_the_gradient_of_a_nan_that_a_branch_returns_is_zero(program):
    f = shims.dynamic(lambda x: program(x[x > 0]))
    for gradient in (jax.grad(f), jax.jit(jax.grad(f))):
        np.testing.assert_array_equal(gradient(NONE), np.zeros(3))
        np.testing.assert_allclose(gradient(SOME), jax.grad(lambda x: program(x[KEPT]))(SOME))


def _in_the_branch_taken(y):
    return jnp.float32(0) if y.shape[0] > 2 else y[0] * y.shape[0]


def _before_a_product(y):
    return (y[0] if y.shape[0] < 3 else y[1]) * y.shape[0]


@pytest.mark.parametrize("program", [_in_the_branch_taken, _before_a_product])
def test_the_gradient_of_a_read_of_nothing_in_a_branch_is_nan(program):
    f = shims.dynamic(lambda x: program(x[x > 0]))
    for gradient in (jax.grad(f), jax.jit(jax.grad(f))):
        assert np.isnan(gradient(NONE)).all()
        np.testing.assert_allclose(gradient(SOME), jax.grad(lambda x: program(x[KEPT]))(SOME))
