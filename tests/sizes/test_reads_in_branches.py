"""Steps that need some elements, in a branch that is not taken if there are too few, and elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

STEPS = {
    "argmax": lambda v: 1.0 * jnp.argmax(v),
    "to argmax": lambda v: v[: jnp.argmax(v)].sum(),
    "lax.slice": lambda v: lax.slice(v, [0], [2]).sum(),
    "dynamic_slice": lambda v: lax.dynamic_slice(v, [0], [2]).sum(),
    "top_k": lambda v: lax.top_k(v, 2)[0].sum(),
    "size - 2": lambda v: jnp.zeros(v.shape[0] - 2).sum() + v.sum(),
    "max": lambda v: v.max(),
    "first": lambda v: v[0],
    "last": lambda v: v[-1],
    "two": lambda v: v[:2].sum(),
    "sort": lambda v: jnp.sort(v)[0],
    "diff": lambda v: jnp.diff(v).sum(),
    "median": jnp.median,
    "quantile": lambda v: jnp.quantile(v, 0.3),
    "rows of two": lambda v: v[: v.shape[0] // 2 * 2].reshape(-1, 2).sum(),
    "ptp": jnp.ptp,
    "var": lambda v: jnp.var(v, ddof=1),
    "cumsum": lambda v: jnp.cumsum(v)[-1],
    "at argmin": lambda v: v[jnp.argmin(v)],
    "stack": lambda v: jnp.stack([v[0], v[1]]).sum(),
    "take": lambda v: jnp.take(v, 1),
    "windows": lambda v: (v[1:] * v[:-1]).sum(),
    "interp": lambda v: jnp.interp(1.0, v, v),
    "rows": lambda v: v.reshape(1, -1).max(1).sum(),
    "argsort": lambda v: v[jnp.argsort(v)[0]],
    "from argmin": lambda v: v[jnp.argmin(v) :].sum(),
    "max of a part": lambda v: v[: v.argmax() + 1].max(),
}
OTHERWISE = jnp.float32(-9)
ROWS = [[1, 2, -3, 4], [1, -2, -3, -4], [-1, -2, -3, -4]]


def by_size(step, least, x):
    v = x[x > 0]
    return step(v) if v.shape[0] >= least else OTHERWISE


def by_guard(step, least, x):
    v = x[x > 0]
    if v.shape[0] < least:
        return OTHERWISE
    return step(v)


def by_data(step, least, x):
    v = x[x > 0]
    if (x > 0).sum() >= least:
        result = step(v)
    else:
        result = OTHERWISE
    return result


def by_shims(step, least, x):
    v = x[x > 0]
    return shims.cond(shims.size(v) >= least, lambda: step(v), lambda: OTHERWISE)


def by_lax(step, least, x):
    v = x[x > 0]
    return lax.cond((x > 0).sum() >= least, lambda: step(v), lambda: OTHERWISE)


def in_a_loop(step, least, x):
    v = x[x > 0]
    return shims.while_loop(
        lambda i, _: i < 1, lambda i, c: (i + 1, by_shims(step, least, x)), (0, v.sum())
    )[1]


BRANCHES = [by_size, by_guard, by_data, by_shims, by_lax, in_a_loop]


def _exact(step, x):
    try:
        return step(jnp.asarray(x[x > 0]))
    except (TypeError, ValueError, IndexError):
        return np.nan


def _check(branch, step):
    run = jax.jit(shims.dynamic(lambda x: branch(step, 2, x)))
    always = jax.jit(shims.dynamic(lambda x: branch(step, 0, x)))
    gradient = jax.jit(jax.grad(shims.dynamic(lambda x: branch(step, 2, x) + x.sum())))
    for row in ROWS:
        x = np.array(row, np.float32)
        enough = (x > 0).sum() >= 2
        want = _exact(step, x)
        np.testing.assert_allclose(run(x), want if enough else OTHERWISE, rtol=1e-5)
        np.testing.assert_allclose(always(x), want, rtol=1e-5)
        if enough:
            assert np.isfinite(gradient(x)).all()
        else:
            np.testing.assert_array_equal(gradient(x), np.ones(4))


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("step", STEPS)
def test_a_branch_that_is_not_taken_changes_nothing(step, branch):
    _check(branch, STEPS[step])


@pytest.mark.parametrize("name", ["top_k", "size - 2", "lax.slice"])
def test_a_check_in_a_branch_is_made_again_outside(name):
    step = STEPS[name]

    def f(x):
        v = x[x > 0]
        if (x > 0).sum() > 9:
            result = step(v)
        else:
            result = jnp.float32(0)
        return result + step(v)

    run = jax.jit(shims.dynamic(f))
    assert np.isnan(run(np.array([1, -2, -3, -4], np.float32)))
    np.testing.assert_allclose(run(np.array([1, 2, -3, -4], np.float32)), 3)


# JAX raises an error for arrays without elements, also where they are read in a branch that is not taken.
REFUSED_BY_JAX = {
    "convolve": lambda v: jnp.convolve(v, jnp.ones(2), mode="valid").sum(),
    "pad": lambda v: jnp.pad(v, (0, 1), mode="edge").sum(),
    "nanargmax": lambda v: 1.0 * jnp.nanargmax(v),
}


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("branch", [by_data, by_shims])
@pytest.mark.parametrize("step", REFUSED_BY_JAX)
def test_an_error_of_jax_in_a_branch_is_one_of_the_run(step, branch):
    f = lambda x: branch(REFUSED_BY_JAX[step], 2, x)
    always = lambda x: branch(REFUSED_BY_JAX[step], 0, x)
    many, none = (np.array(ROWS[i], np.float32) for i in (0, 2))
    for run in (shims.function, shims.dynamic, lambda f: jax.jit(shims.dynamic(f))):
        np.testing.assert_allclose(run(f)(many), _exact(REFUSED_BY_JAX[step], many), rtol=1e-5)
        assert run(f)(none) == OTHERWISE
    for run in (shims.function, shims.dynamic):
        with pytest.raises(ValueError, match=r"empty|attempt to get argmax"):
            run(always)(none)
    assert np.isnan(jax.jit(shims.dynamic(always))(none))


OF_TWO = {
    "max": lambda a, b: jnp.concatenate([a, b]).max() + b.max(),
    "top_k": lambda a, b: lax.top_k(a, 1)[0][0] + b[0],
    "correlate": lambda a, b: jnp.correlate(a, b, mode="full").sum(),
}


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("step", OF_TWO)
def test_two_selections_of_which_one_is_empty(step):
    def by_values(x):
        a, b = x[x > 0], x[x < 0]
        if jnp.any(x > 0) & jnp.any(x < 0):
            result = OF_TWO[step](a, b)
        else:
            result = OTHERWISE
        return result

    def by_sizes(x):
        a, b = x[x > 0], x[x < 0]
        if a.shape[0] == 0 or b.shape[0] == 0:
            return OTHERWISE
        return OF_TWO[step](a, b)

    for f in (by_values, by_sizes):
        runs = [shims.function(f), jax.jit(shims.dynamic(f))]
        for row in ([1, 2, -3, 4], [1, 2, 3, 4], [-1, -2, -3, -4], [0, 0, 0, 0]):
            x = np.array(row, np.float32)
            both = (x > 0).any() and (x < 0).any()
            want = OF_TWO[step](jnp.asarray(x[x > 0]), jnp.asarray(x[x < 0])) if both else OTHERWISE
            for run in runs:
                np.testing.assert_allclose(run(x), want, rtol=1e-5)


def _handled_in_a_branch(x):
    v, result = x[x > 0], jnp.float32(0.5)
    if v.sum() < 100:
        try:
            result = v[-1]
        except IndexError:
            result = jnp.float32(9)
    return result + v.sum()


def _no_reads_of_nothing(x):
    v = x[x > 0]
    try:
        result = v[jnp.argsort(-v)].sum()
    except IndexError:
        result = jnp.float32(9)
    return result + v.sum()


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("f", [_handled_in_a_branch, _no_reads_of_nothing])
@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.dynamic(f))])
def test_a_handler_in_a_branch_takes_over_for_the_sizes_that_raise(f, lane):
    run = lane(f)
    for row in ([1, 2, -3, 4], [-1, -2, -3, -4], [1, -2, -3, -4]):
        x = np.array(row, np.float32)
        np.testing.assert_allclose(run(x), f(jnp.asarray(x)), rtol=1e-6)


def _raises_by_data(x):
    v = x[x > 0]
    if v.sum() > 6:
        raise KeyError("too large")
    return v.sum()


def _raises_in_a_loop(x):
    v = x[x > 0]
    for i in range(v.shape[0]):
        if v[i] > 3:
            raise KeyError("too large")
    return v.sum()


def _handled_by_data(x):
    v = x[x > 0]
    try:
        if v.sum() > 6:
            raise KeyError("too large")
        return v.sum()
    except KeyError:
        return jnp.float32(-1)


@pytest.mark.parametrize("f", [_raises_by_data, _raises_in_a_loop, _handled_by_data])
def test_an_error_of_the_program_is_raised_for_the_data_that_take_its_branch(f):
    compiled, inner = shims.function(f), jax.jit(shims.dynamic(f))
    for row in ([1, 2, -3, 3], [-1, -2, -3, -4], [1, 2, -3, 4], [1, -2, -3, -4]):
        x = np.array(row, np.float32)
        try:
            want = f(jnp.asarray(x))
        except KeyError:
            with pytest.raises(shims.errors.InvalidArgumentError, match="KeyError: 'too large'"):
                compiled(x)
            assert np.isnan(inner(x))
        else:
            np.testing.assert_allclose(compiled(x), want)
            np.testing.assert_allclose(inner(x), want)
