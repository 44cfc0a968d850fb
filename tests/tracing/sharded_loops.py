"""Loops, branches, samplers and host calls inside `shard_map` with its default checks: a program of two devices.

It prints each program whose values or gradients are not those of one device. Each program runs in one lane;
`python -m tests.tracing.sharded_loops whole` runs all lanes.
"""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

import shims as tf

X = np.linspace(0.5, 6, 8).astype(np.float32)
SEED = (3, 5)
MATRICES = (2, 2, 2)


def _converted_loop(x):
    total, best = 0.0, x[0] * 0
    for i in tf.range(3):
        total = total + x[i]
        if x[i] > best:
            best = x[i]
    while total > 3.0:
        total = total / 2.0
    return total, best


def _array_of_loop(x):
    kept = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        kept = kept.write(i, x[i] * 2)
    return kept.stack()


def _masked_loop(x):
    rows = tf.boolean_mask(x, x > 2)
    return tf.foldl(lambda a, e: a + e, rows, 0.0), tf.map_fn(lambda e: e * e, rows).sum()


def _variable(x):
    total = tf.Variable(np.float32(0))

    def run(x):
        for e in x:
            total.assign_add(e)
        return total * 2

    return tf.stateless(tf.function(run), [total])([jnp.float32(1)], x)


def _begins_equal(x):
    y = x[x > 2]
    return jax.lax.scan(lambda c, v: (c + v, None), jnp.zeros(y.shape[0] + 1), y)[0]


PROGRAMS = {
    "while_loop": lambda x: tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a + x.sum()), [0, jnp.float32(0)]
    ),
    "while_loop until its own values": lambda x: tf.while_loop(
        lambda i, a: a < x.sum(), lambda i, a: (i + 1, a + 5.0), [0, jnp.float32(0)]
    ),
    "while_loop at most": lambda x: tf.while_loop(
        lambda i: i < 9, lambda i: (i + 1,), [0], maximum_iterations=jnp.int32(x[1])
    ),
    "scan": lambda x: tf.scan(lambda a, e: a + e, x, jnp.float32(0)),
    "map_fn": lambda x: tf.map_fn(lambda e: e * 2 + 1, x),
    "cond": lambda x: tf.cond(x.sum() > 3, lambda: jnp.float32(0), lambda: x.sum()),
    "cond of constants": lambda x: tf.cond(x.sum() > 3, lambda: 1.0, lambda: 2.0),
    "switch_case": lambda x: tf.switch_case(
        jnp.int32(x[0]), [lambda: jnp.float32(0), lambda: x.sum()]
    ),
    "converted loop": tf.autograph.to_graph(_converted_loop),
    "array of a loop": tf.autograph.to_graph(_array_of_loop),
    "loop over selected": _masked_loop,
    "variable": _variable,
    "poisson": lambda x: tf.random.stateless_poisson(x.shape, SEED, x),
    "gamma": lambda x: tf.random.stateless_gamma(x.shape, SEED, x),
    "binomial": lambda x: tf.random.stateless_binomial(x.shape, SEED, jnp.round(x) * 9, x / 9),
    "truncated normal": lambda x: tf.random.stateless_truncated_normal([4], jnp.int32(x[:2])),
    "shuffle": lambda x: tf.random.experimental.stateless_shuffle(x, jnp.int32(x[:2])),
    "edit_distance": lambda x: tf.edit_distance(
        *(tf.sparse.from_dense(jnp.int32(y)[None]) for y in (x, x[::-1]))
    ),
    "numpy_function": lambda x: tf.numpy_function(
        lambda v: v * 2, [x], tf.TensorSpec([8], tf.float32)
    ),
    "sqrtm": lambda x: tf.linalg.sqrtm(x.reshape(MATRICES) + 3 * jnp.eye(2)),
    "expint": tf.math.special.expint,
    "spence": tf.math.special.spence,
}
# Without `dynamic` a selection is no array; within it, the number of iterations has no bound.
LEFT_OUT = {"loop over selected": "plain", "while_loop at most": "dynamic"}
# In rows of `vmap`, where a branch becomes a selection.
IN_ROWS = {
    "search in selected": lambda x: jnp.searchsorted(jnp.sort(x[x > 2]), X),
    "question of a size": lambda x: jnp.sum(X == 1) if x[x > 2].shape[0] > 2 else jnp.sum(X == 2),
    "read of selected": lambda x: jnp.take(x[x > 2], jnp.array([0, 1]), mode="fill", fill_value=0),
}
MESH = jax.make_mesh((2,), ("d",), axis_types=(AxisType.Auto,))


def slope_of(f):
    def total(x):
        floats = [y for y in jax.tree.leaves(f(x)) if jnp.issubdtype(y.dtype, jnp.floating)]
        return sum((jnp.cos(y).sum() for y in floats), 0 * x.sum())

    return jax.grad(total)


def on_two(f, out_specs):
    """Run a function on the numbers that each of two devices has; the second one's are `X`."""

    def body(x):
        found = f(jnp.squeeze(x, 0))
        return jax.tree.map(lambda y: jnp.asarray(y)[None], found) if out_specs else found

    run = jax.jit(jax.shard_map(body, mesh=MESH, in_specs=P("d"), out_specs=out_specs or P()))
    found = run(np.stack([X[::-1] / 2, X]))
    return jax.tree.map(lambda y: np.asarray(y)[1], found) if out_specs else found


def problem_of(f, want):
    try:
        for got, expected in zip(
            jax.tree.leaves(on_two(f, P("d"))), jax.tree.leaves(want), strict=True
        ):
            np.testing.assert_allclose(got, np.asarray(expected), rtol=1e-5, atol=1e-5)
        on_two(f, None)
    except ValueError as error:
        return "" if "out_specs" in str(error) else str(error)
    except Exception as error:  # noqa: BLE001 - the test shows it
        return f"{type(error).__name__}: {error}"
    return "what differs between devices is taken for equal"


def main():
    """Check each program in one lane, or in all of them if `whole` is an argument."""
    with_slopes = {"while_loop", "scan", "map_fn", "cond", "gamma", "sqrtm", "spence"}
    for at, (name, f) in enumerate(PROGRAMS.items()):
        lanes = {"plain": f, "dynamic": tf.dynamic(f), "slope": slope_of(f)}
        lanes.pop(LEFT_OUT.get(name), None)
        if name not in with_slopes:
            del lanes["slope"]
        if "whole" not in sys.argv[1:]:
            one = list(lanes)[at % len(lanes)]
            lanes = {one: lanes[one]}
        for lane, g in lanes.items():
            problem = problem_of(g, g(jnp.asarray(X)))
            if problem:
                sys.stdout.write(f"{name}, {lane}: {problem}\n".replace("\n", " | ") + "\n")
    for name, f in IN_ROWS.items():
        rows = jax.vmap(tf.dynamic(f))
        problem = problem_of(lambda x, rows=rows: rows(x[None])[0], f(jnp.asarray(X)))
        if problem:
            sys.stdout.write(f"{name}, in rows: {problem}\n".replace("\n", " | ") + "\n")
    problem = problem_of(tf.dynamic(_begins_equal), X)
    if "pcast" not in problem:
        sys.stdout.write(f"JAX's advice for a loop of its own is lost: {problem}\n")
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main()
