"""Test that JAX's derivative rules survive the lowering of a dynamic program."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.custom_derivatives import SymbolicZero, linear_call

import shims

X = np.array([3.0, -2.0, 1.0, 5.0], np.float32)
CHOSEN = np.flatnonzero(X > 0)
UNKNOWN = [shims.TensorSpec([None])]


@jax.custom_jvp
def with_jvp(x):
    return jnp.sin(x)


with_jvp.defjvp(lambda p, t: (with_jvp(*p), 10 * t[0]))


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 2))
def with_static_arguments(f, x, k):
    return f(x) * k


with_static_arguments.defvjp(
    lambda f, x, k: (f(x) * k, x), lambda f, k, saved, g: (saved * 7 * g * k,)
)


@jax.custom_vjp
def with_integers(x, n):
    return x * n


with_integers.defvjp(lambda x, n: (x * n, n), lambda n, g: (5.0 * g * n, None))


@jax.custom_vjp
def with_optimized_residuals(x):
    return jnp.sin(x)


with_optimized_residuals.defvjp(
    lambda x: (jnp.sin(x), x), lambda saved, g: (10 * g * saved,), optimize_remat=True
)


@jax.custom_vjp
def with_a_structure(tree, rest=None):
    return {"a": tree["x"] * 2, "b": jnp.sum(tree["y"])}


with_a_structure.defvjp(
    lambda tree, rest: (with_a_structure(tree, rest), tree),
    lambda saved, g: (
        {"x": g["a"] * 9, "y": jnp.ones_like(saved["y"]) * g["b"] * 4},
        None,
    ),
)


@jax.custom_jvp
def with_symbolic_zeros(x, y):
    return x * y


def _with_symbolic_zeros_jvp(primals, tangents):
    factors = zip((3.0, 5.0), tangents, strict=True)
    return primals[0] * primals[1], sum(k * t for k, t in factors if type(t) is not SymbolicZero)


with_symbolic_zeros.defjvp(_with_symbolic_zeros_jvp, symbolic_zeros=True)


def with_a_linear_call(x):
    return linear_call(lambda r, v: v * r, lambda r, v: v * r * 2, jnp.ones_like(x) * 3, x)


def cube_root(y):
    def newton(f, start):
        return lax.fori_loop(0, 20, lambda i, v: v - f(v) / (3 * v**2), start)

    return lax.custom_root(
        lambda v: v**3 - y, jnp.ones_like(y), newton, lambda g, b: b / g(jnp.ones_like(b))
    )


def named(x):
    keep = jax.checkpoint_policies.save_only_these_names("sine")
    return jax.checkpoint(lambda v: jnp.sin(checkpoint_name(jnp.sin(v), "sine")), policy=keep)(x)


PROGRAMS = {
    "ldexp": lambda y: jnp.ldexp(y, 2),
    "ldexp by integers": lambda y: jnp.ldexp(y, jnp.arange(y.shape[0])),
    "frexp": lambda y: jnp.frexp(y)[0],
    "einsum": lambda y: jnp.einsum("i,i->i", y, y),
    "custom_jvp": with_jvp,
    "static arguments": lambda y: with_static_arguments(jnp.sin, y, 3.0),
    "a size as an argument": lambda y: with_integers(y, y.shape[0]),
    "structures": lambda y: with_a_structure({"x": y, "y": y * 2})["a"],
    "optimized residuals": with_optimized_residuals,
    "optimized residuals, checkpoint": jax.checkpoint(with_optimized_residuals),
    "symbolic zeros": lambda y: with_symbolic_zeros(2.0, y),
    "linear_call": with_a_linear_call,
    "custom_root": cube_root,
    "checkpoint_name": named,
    "in a loop": lambda y: lax.scan(lambda c, v: (c + v, jnp.ldexp(v, 1)), 0.0, y)[1],
    "in a branch": lambda y: lax.cond(jnp.sum(y) > 0, lambda v: jnp.ldexp(v, 1), jnp.sin, y),
    "gradient of a gradient": lambda y: jax.grad(lambda v: jnp.sum(jnp.ldexp(v, 3) ** 2))(y),
}
LANES = {
    "jit": lambda f: jax.jit(jax.value_and_grad(shims.dynamic(f))),
    "function": lambda f: jax.value_and_grad(shims.function(f)),
}
QUICK = ("ldexp", "optimized residuals, checkpoint", "linear_call", "checkpoint_name")


def check_equal(program, lane):
    def objective(select):
        return lambda x: jnp.sum(jnp.cos(program(select(x))))

    found = LANES[lane](objective(lambda x: x[x > 0]))(jnp.asarray(X))
    wanted = jax.value_and_grad(objective(lambda x: x[CHOSEN]))(jnp.asarray(X))
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", QUICK)
def test_gradients_follow_the_rule(name):
    check_equal(PROGRAMS[name], "jit")


@pytest.mark.long
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_follow_every_rule(name, lane):
    check_equal(PROGRAMS[name], lane)


def test_tangents_and_mapped_gradients_follow_the_rule():
    def total(x):
        return jnp.sum(jnp.ldexp(x[x > 0], 2) ** 2)

    f = shims.dynamic(total)
    x, direction = jnp.asarray(X), jnp.arange(4.0)
    slope = np.where(X > 0, 32 * X, 0)
    np.testing.assert_allclose(jax.jvp(f, (x,), (direction,))[1], slope @ np.arange(4.0))
    rows = jnp.stack([x, -x])
    found = jax.grad(lambda v: jnp.sum(jax.vmap(f)(v)))(rows)
    np.testing.assert_allclose(found, [slope, np.where(X < 0, -32 * X, 0)])


# ---- every function --------------------------------------------------------------------------

MODULES = {"numpy": jnp, "lax": lax, "nn": jax.nn, "special": jax.scipy.special}


def _is_function_of_one_array(f) -> bool:
    """Return whether a function maps a vector to a floating-point array and has a gradient."""
    try:
        out = jax.eval_shape(f, jax.ShapeDtypeStruct((3,), jnp.float32))
        if not isinstance(out, jax.ShapeDtypeStruct) or out.dtype != jnp.float32:
            return False
        jax.grad(lambda y: jnp.sum(f(y)))(jnp.asarray(X[CHOSEN]))
    except Exception:  # noqa: BLE001 - functions of other arguments fail in every way
        return False
    return True


def _functions():
    return [
        (module, name)
        for module, owner in MODULES.items()
        for name in sorted(dir(owner))
        if not name.startswith("_") and callable(getattr(owner, name))
    ]


@pytest.mark.long
@pytest.mark.parametrize(("module", "name"), _functions())
def test_gradients_of_every_function(module, name):
    f = getattr(MODULES[module], name)
    if not _is_function_of_one_array(f):
        pytest.skip("no function of one array with a gradient")
    x = jnp.asarray(X / 8)
    wanted = jax.value_and_grad(lambda x: jnp.sum(jnp.sin(f(x[CHOSEN]))))(x)

    def selected(x):
        return jnp.sum(jnp.sin(f(x[x > 0])))

    lanes = [jax.jit(jax.value_and_grad(shims.dynamic(selected)))]
    lanes.append(shims.function(jax.value_and_grad(selected), input_signature=UNKNOWN))
    for lane in lanes:
        try:
            found = lane(x)
        except (shims.errors.OpError, TypeError, ValueError):
            continue  # refused, never wrong
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)
