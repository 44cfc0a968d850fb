"""Primitives that NumPy evaluates have JAX's results, and the others are left to JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tf2jax_port.diff.locate.watch import uncompiled as module
from tf2jax_port.diff.locate.watch.uncompiled import uncompiled

RANDOM = np.random.default_rng(0)
A = RANDOM.normal(size=(3, 4))
B = RANDOM.normal(size=(3, 4))
WILD = np.array([[np.nan, np.inf, -np.inf, -0.0], [0.0, 1.5, 2.5, -2.5], [1e30, -1e30, 3.0, -7.0]])
WHOLE = np.array([[3, -7, 2, 0], [5, 5, -1, 9], [-8, 1, 4, 2]])
FLAGS = WHOLE > 1
PLACES = np.array([[2, 0], [1, 1], [0, 2]], np.int32)

PROGRAMS = {
    "two floats": lambda a, b, n, m: [
        *(f(a, b) for f in (lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.rem)),
        *(f(a, b) for f in (lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge)),
    ],
    "two shapes": lambda a, b, n, m: [a + b[:1], a * b[:, :1], a - b[0, 0], jnp.maximum(0.5, a)],
    "one float": lambda a, b, n, m: [
        *(f(a) for f in (lax.neg, lax.abs, lax.floor, lax.ceil, lax.sign, lax.is_finite)),
        *(f(lax.abs(a)) for f in (lax.sqrt, lax.square)),
    ],
    "rounded": lambda a, b, n, m: [
        *(f(a) for f in (lax.exp, lax.expm1, lax.tanh, lax.sin, lax.cos, lax.logistic)),
        *(f(lax.abs(a) + 0.1) for f in (lax.log, lax.log1p, lax.rsqrt)),
        *(lax.integer_pow(b, y) for y in (-2, 0, 2, 3)),
        *(lax.cumsum(b, axis, reverse=back) for axis in (0, 1) for back in (False, True)),
        lax.reduce_sum_p.bind(b, axes=(1,), out_sharding=None),
        lax.dot_general(b, b, (((1,), (1,)), ((), ()))),
        lax.dot_general(b[:, :3], b, (((1,), (0,)), ((), ()))),
        lax.dot_general(b, b, (((1,), (1,)), ((0,), (0,)))),
        lax.dot_general(b, b, (((0, 1), (0, 1)), ((), ()))),
    ],
    "integers": lambda a, b, n, m: [
        *(f(n, n[::-1]) for f in (lax.add, lax.sub, lax.mul, lax.max, lax.min, lax.eq, lax.lt)),
        *(f(m, m[::-1]) for f in (lax.bitwise_and, lax.bitwise_or, lax.ne)),
        lax.bitwise_not(m),
        lax.cumsum(n, 1),
        lax.square(n),
    ],
    "types": lambda a, b, n, m: [
        b.astype(n.dtype),
        n.astype(b.dtype),
        m.astype(b.dtype),
        m.astype(n.dtype),
        a.astype(bool),
        a.astype(n.dtype),
        n.astype(bool),
    ],
    "layout": lambda a, b, n, m: [
        lax.broadcast_in_dim(a, (3, 2, 4), (0, 2)),
        lax.broadcast_in_dim(a[:, :1], (3, 4), (0, 1)),
        lax.reshape(a, (2, 6)),
        lax.squeeze(a[:1], (0,)),
        lax.transpose(a, (1, 0)),
        lax.rev(a, (1,)),
        lax.slice(a, (0, 1), (3, 4), (2, 1)),
        lax.select(m, a, b),
        lax.select_n(m[0, 0], n, n[::-1]),
        lax.concatenate([a, b], 1),
        jnp.stack([a, b], 1),
        lax.reduce_max_p.bind(a, axes=(0,), out_sharding=None),
        lax.reduce_min_p.bind(n, axes=(0, 1), out_sharding=None),
        lax.iota(np.dtype("int32"), 4),
        lax.broadcasted_iota(np.dtype("float32"), (2, 3, 2), 1),
    ],
    "gather": lambda a, b, n, m: [
        a[PLACES],
        a[:, PLACES[0]],
        a[PLACES, PLACES[::-1]],
        a[np.array([2, -1], np.int32)],
        jnp.take_along_axis(a, PLACES, 1),
        jnp.take_along_axis(n, (WHOLE[:1] % 3).astype(np.int32), 0),
        lax.dynamic_slice(a, (1, 1), (2, 2)),
        jnp.take(a, np.array([7, 1], np.int32), 1, mode="fill"),
    ],
}


def every_result(program, arrays, evaluate):
    """The result of each primitive of a program."""
    closed = jax.make_jaxpr(program)(*arrays)
    held = dict(zip(closed.jaxpr.constvars, map(jnp.asarray, closed.consts)))
    held |= dict(zip(closed.jaxpr.invars, arrays))
    found = []

    def read(one):
        return jnp.asarray(one.val, one.aval.dtype) if hasattr(one, "val") else held[one]

    def run(jaxpr, given):
        held.update(zip(jaxpr.invars, given))
        for equation in jaxpr.eqns:
            operands = [read(one) for one in equation.invars]
            name, params = equation.primitive.name, equation.params
            if name in ("jit", "pjit"):
                held.update(zip(params["jaxpr"].jaxpr.constvars, params["jaxpr"].consts))
                results = run(params["jaxpr"].jaxpr, operands)
            else:
                results = equation.primitive.bind(*operands, **params)
                results = results if equation.primitive.multiple_results else [results]
                found.append((name, results[0], evaluate(name, operands, params)))
            held.update(zip(equation.outvars, results))
        return [read(one) for one in jaxpr.outvars]

    run(closed.jaxpr, arrays)
    return found


def given(wide, elements):
    floats = np.float64 if wide else np.float32
    return [jnp.asarray(one) for one in (elements.astype(floats), B.astype(floats), WHOLE, FLAGS)]


def test_the_results_are_those_of_jax():
    reached = set()
    for name, program in PROGRAMS.items():
        used = set()
        for wide in (False, True):
            with jax.enable_x64(wide):
                for elements in (A, WILD):
                    used |= compared(program, given(wide, elements), wide)
        assert used, name
        reached |= used
    assert module._RULES.keys() - reached <= {"add_any", "copy", "stop_gradient"}


def compared(program, arrays, wide):
    """The primitives of a program that NumPy evaluated, each with JAX's result."""
    used = set()
    for primitive, right, made in every_result(program, arrays, uncompiled):
        if made is None:
            continue
        used.add(primitive)
        assert (made.shape, made.dtype) == (right.shape, right.dtype), primitive
        if primitive in module._ROUNDED:
            assert wide
            np.testing.assert_allclose(made, right, rtol=1e-13, err_msg=primitive)
        else:
            np.testing.assert_array_equal(made, right, err_msg=primitive)
    return used


def test_what_numpy_computes_otherwise_is_left_to_jax():
    whole, halves = jnp.asarray([7, -7]), jnp.asarray([1.5, 2.5], jnp.bfloat16)
    assert uncompiled("div", [whole, whole], {}) is None
    assert uncompiled("add", [halves, halves], {}) is None
    assert uncompiled("exp", [jnp.ones(3, jnp.float32)], {}) is None
    assert uncompiled("sort", [whole], {}) is None
    weak = jnp.asarray(2.0)
    assert weak.weak_type
    assert uncompiled("neg", [weak], {}) is None
    assert uncompiled("neg", [jnp.asarray(2.0, jnp.float32)], {}) is not None
