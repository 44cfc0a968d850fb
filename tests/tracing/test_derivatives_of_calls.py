"""Derivatives inside of a dynamic trace: of compiled and checkpointed functions that make sizes, wherever they are called."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = jnp.array([3.0, -1.0, 0.5, 2.0, -2.0])


def _counted(x):
    y = x[x > 0]
    return jnp.full(y.shape[0] + 1, x[0]) ** 2  # the size is in shapes only


def _chained(x):
    y = x[x > 0]
    z = y[y > 1]
    return jnp.concatenate([y**2, jnp.full(z.shape[0], x[3])]) * x[0]


def _broadcast(x):
    y, z = x[x > 0], x[x > 1]
    return jnp.where(y[: z.shape[0]] > 1, z[:1] ** 2, y[: z.shape[0]] * 3)


def _compared(x):
    y, z = x[x > 0], jnp.sort(x[x > 0])
    return jnp.clip(y, z[:1], 2.5) * y


FUNCTIONS = (_counted, _chained, _broadcast, _compared)
WRAPPERS = {
    "none": lambda f: f,
    "jit": jax.jit,
    "checkpoint": jax.checkpoint,
    "jit-of-jit": lambda f: jax.jit(lambda x: jax.jit(f)(x) * 2),
    "jit-of-checkpoint": lambda f: jax.jit(jax.checkpoint(f)),
    "checkpoint-of-jit": lambda f: jax.checkpoint(lambda x: jax.jit(f)(x) + 1),
}


def _in_branch(f):
    return lambda x: jax.lax.cond(x[0] > 0, lambda x: f(x).sum(), lambda x: x.sum() * 9, x)


def _in_loop(f):
    def program(x):
        def step(carry, factor):
            return carry + f(x * factor).sum(), carry

        return jax.lax.scan(step, 0.0, jnp.array([1.0, 0.5, -1.0]))[0]

    return program


PLACES = {"outermost": lambda f: lambda x: f(x).sum(), "branch": _in_branch, "loop": _in_loop}


def _derivatives(program, x):
    return jax.grad(program)(x), jax.jvp(program, (x,), (jnp.cos(x),))


def _alike(wrapper):
    """Return a wrapper that computes the same, without nested programs."""
    return {
        "jit-of-jit": lambda f: lambda x: f(x) * 2,
        "checkpoint-of-jit": lambda f: lambda x: f(x) + 1,
    }.get(wrapper, lambda f: f)


def _expected(place, wrapper):
    """Return the derivatives on exact arrays, of functions that are not wrapped."""
    with jax.disable_jit():
        return [_derivatives(PLACES[place](_alike(wrapper)(f)), X) for f in FUNCTIONS]


def _assert_close(got, want):
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


CASES = [(wrapper, place) for wrapper in WRAPPERS for place in PLACES]


@pytest.mark.parametrize(("wrapper", "place"), CASES)
def test_sizes_of_a_called_function_have_derivatives(wrapper, place):
    programs = [PLACES[place](WRAPPERS[wrapper](f)) for f in FUNCTIONS]
    run = jax.jit(shims.dynamic(lambda x: [_derivatives(p, x) for p in programs], autograph=False))
    _assert_close(run(X), _expected(place, wrapper))


def _second(program):
    return lambda x: jax.grad(lambda x: (jax.grad(program)(x) ** 2).sum())(x)


@pytest.mark.parametrize(("wrapper", "place"), CASES)
def test_derivatives_of_derivatives(wrapper, place):
    """The derivative of a call is a call, whose jaxpr is split again."""
    programs = [PLACES[place](WRAPPERS[wrapper](f)) for f in FUNCTIONS]
    run = jax.jit(shims.dynamic(lambda x: [_second(p)(x) for p in programs], autograph=False))
    with jax.disable_jit():
        want = [_second(PLACES[place](_alike(wrapper)(f)))(X) for f in FUNCTIONS]
    _assert_close(run(X), want)


@pytest.mark.parametrize("place", PLACES)
def test_the_outermost_function_has_them_too(place):
    program = PLACES[place](jax.jit(_chained))
    run = shims.function(lambda x: _derivatives(program, x))
    with jax.disable_jit():
        want = _derivatives(PLACES[place](_chained), X)
    _assert_close(run(X), want)


@pytest.mark.parametrize("second", [X > 0, X > 2], ids=["equal", "different"])
def test_sizes_that_meet_in_a_converted_branch(second):
    def slope(a, b, first, second):
        def loss(a):
            y, z = a[first], b[second]
            if y.shape[0] == z.shape[0]:
                return jnp.where(y > z, y, z * y).sum()
            return jnp.concatenate([y**2, z]).sum()

        return jax.grad(loss)(a)

    operands = (X, X[::-1] + 1, X > 0, second)
    _assert_close(jax.jit(shims.dynamic(slope))(*operands), slope(*operands))


def _ran_twice(wrap):
    """Return a program that runs one traced program twice, so that one name stands for two sizes."""

    def program(x):
        closed = jax.make_jaxpr(wrap(_chained))(x)
        (a,), (b,) = (jax.core.eval_jaxpr(closed.jaxpr, closed.consts, v) for v in (x, -x))
        return a.sum() + b.sum() + jnp.full(b.shape[0], 3.0).sum()

    return jax.jit(shims.dynamic(program, autograph=False))


@pytest.mark.parametrize("wrap", [jax.jit, jax.checkpoint])
def test_two_runs_of_one_program_are_refused(wrap):
    with pytest.raises(
        shims.errors.FreshSizeError, match=r"(?s)two numbers.*call the function itself"
    ):
        _ran_twice(wrap)(X)


def test_the_remedy_for_two_runs_of_one_program():
    def program(x):
        a, b = _chained(x), _chained(-x)
        return a.sum() + b.sum() + jnp.full(b.shape[0], 3.0).sum()

    with jax.disable_jit():
        want = program(X)
    _assert_close(jax.jit(shims.dynamic(program, autograph=False))(X), want)
