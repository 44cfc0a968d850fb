"""Test programs with data-dependent sizes on several devices: shard_map, explicit meshes, sums of sizes."""

from __future__ import annotations

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

import shims

ROWS = np.array([[3.0, -1.0, 1.0, 2.0], [-3.0, 1.0, -1.0, -2.0]], np.float32)
SUMS, COUNTS = np.where(ROWS > 0, ROWS, 0).sum(1), (ROWS > 0).sum(1)
COLLECTIVES = {
    lax.psum: np.sum,
    lax.pmean: np.mean,
    lax.pmax: np.max,
    lax.pmin: np.min,
}


@pytest.mark.parametrize("collective", COLLECTIVES, ids=lambda f: f.__name__)
def test_collectives_of_sizes(collective):
    def share(x):
        y = x[x > 0]
        return jnp.sum(y) / collective(y.shape[0], "rows")

    found = jax.vmap(shims.dynamic(share), axis_name="rows")(jnp.asarray(ROWS))
    np.testing.assert_allclose(found, SUMS / COLLECTIVES[collective](COUNTS))


def test_functions_that_change_the_sharding():
    rows = jnp.asarray([3.0, jnp.nan, -1.0, 5.0])
    one = jax.make_mesh((1,), ("b",), devices=jax.devices()[:1])
    run = jax.shard_map(
        shims.dynamic(lambda x: jnp.nanmean(x[~(x < 0)])), mesh=one, in_specs=P(), out_specs=P()
    )
    assert float(jax.jit(run)(rows)) == 4


def test_collectives_of_structures_with_sizes():
    def total(x):
        y = x[x > 0]
        parts = lax.psum({"sum": jnp.sum(y), "count": 2 * y.shape[0] + 1}, "rows")
        return parts["sum"] / parts["count"] + lax.axis_index("rows")

    found = jax.vmap(shims.dynamic(total), axis_name="rows")(jnp.asarray(ROWS))
    np.testing.assert_allclose(found, SUMS.sum() / (2 * COUNTS + 1).sum() + np.arange(2), rtol=1e-6)


OF_SHARDS = {
    "a constant in a branch": lambda y: jnp.full(1, -7) if y.size == 0 else y.sum()[None],
    "distinct": lambda y: jnp.unique(y).sum()[None],
    "distinct, TensorFlow": lambda y: shims.unique(y)[0].sum()[None],
    "number of distinct": lambda y: jnp.float32(jnp.unique(y).size)[None],
    "places": lambda y: jnp.searchsorted(jnp.sort(y), jnp.arange(2)),
    "integers in a loop": lambda y: lax.fori_loop(0, y.size, lambda i, s: s + i, 0)[None],
    "repeated": lambda y: jnp.repeat(y, 2).sum()[None],
    "is among": lambda y: jnp.isin(jnp.arange(3), y),
}


AROUND = {
    "plain": lambda f: f,
    "jit": jax.jit,
    "function": shims.function,
    "dynamic": lambda f: jax.jit(shims.dynamic(f)),
}


@pytest.mark.parametrize("compile_", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("name", OF_SHARDS)
def test_values_that_vary_over_devices(name, compile_):
    one = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    body = shims.dynamic(lambda x, mask: OF_SHARDS[name](x[mask]))
    run = compile_(jax.shard_map(body, mesh=one, in_specs=(P("d"), P("d")), out_specs=P("d")))
    x = np.array([3, 1, 3, 0, 2], np.int32)
    for chosen in ([0, 0, 0, 0, 0], [1, 0, 1, 0, 1], [1, 1, 1, 1, 1]):
        mask = np.array(chosen, bool)
        np.testing.assert_array_equal(run(x, mask), OF_SHARDS[name](jnp.asarray(x[mask])))


@pytest.mark.parametrize("compile_", AROUND.values(), ids=AROUND)
def test_gradients_of_a_program_for_each_device(compile_):
    one = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    body = shims.dynamic(lambda x, mask: (x[mask] ** 2).mean()[None])

    def loss(x, mask):
        return jax.shard_map(body, mesh=one, in_specs=(P("d"), P("d")), out_specs=P("d"))(x, mask)[
            0
        ]

    x, mask = jnp.array([3.0, 1.0, -2.0]), jnp.array([True, False, True])
    run = compile_(jax.value_and_grad(loss))
    value, gradient = run(x, mask)
    np.testing.assert_allclose(value, 6.5)
    np.testing.assert_allclose(gradient, [3, 0, -2])


PROGRAM = """
import functools
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
import shims

X = np.arange(16, dtype=np.float32).reshape(4, 4) % 5 - 2
sums, counts = np.where(X > 0, X, 0).sum(1), (X > 0).sum(1)

def mesh(kind):
    return jax.make_mesh((4,), ("b",), axis_types=(kind,))

def mapped(f, out=P("b")):
    return jax.jit(jax.shard_map(f, mesh=mesh(AxisType.Auto), in_specs=P("b"), out_specs=out))

def check(name, found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=name)

def positive(r):
    return r[0][r[0] > 0]

D = shims.dynamic
check("dynamic", mapped(D(lambda r: jnp.sum(positive(r))[None]))(X), sums)
check("operators", mapped(lambda r: shims.reduce_sum(shims.boolean_mask(r[0], r[0] > 0))[None])(X), sums)
check("psum", mapped(D(lambda r: lax.psum(positive(r).shape[0], "b")), P())(X), counts.sum())
check("scan", mapped(D(lambda r: lax.scan(
    lambda c, v: (c + v, c), lax.pcast(0.0, "b", to="varying"), positive(r))[0][None]))(X), sums)
check("sort", mapped(D(lambda r: jnp.sum(jnp.sort(positive(r))[:4])[None]))(X), sums)
check("cond", mapped(D(lambda r: lax.cond(
    r[0, 0] > 0, jnp.sum, lambda v: -jnp.sum(v), positive(r))[None]))(X), np.where(X[:, 0] > 0, sums, -sums))
slope = jax.grad(lambda x: jnp.sum(mapped(D(lambda r: jnp.sum(jax.nn.relu(jnp.ldexp(positive(r), 1)))[None]))(x)))
check("gradient", slope(X), np.where(X > 0, 2, 0))

explicit = mesh(AxisType.Explicit)
kept = X[X[:, 0] > 0]
rows = lambda x: x[x[:, 0] > 0]
with jax.set_mesh(explicit):
    sharded = jax.device_put(X, NamedSharding(explicit, P("b")))
    check("explicit, dynamic", D(rows)(sharded), kept)
    check("explicit, jit", jax.jit(D(lambda x: jnp.sum(rows(x))))(sharded), kept.sum())
    check("explicit, function", shims.function(rows)(sharded), kept)
    check("explicit, operator", jax.jit(lambda x: shims.reduce_sum(shims.boolean_mask(x, x > 0)))(sharded), sums.sum())
    slope = jax.jit(jax.grad(D(lambda x: jnp.sum(rows(x) ** 2))))
    check("explicit, gradient", slope(sharded), np.where(X[:, :1] > 0, 2 * X, 0))
check("explicit, no context", shims.function(rows)(sharded), kept)
automatic = jax.device_put(X, NamedSharding(mesh(AxisType.Auto), P("b")))
check("automatic, function", shims.function(rows)(automatic), kept)
print("equal")
"""


@pytest.mark.long
def test_programs_on_several_devices(tmp_path):
    """Run in a process of its own, because the number of devices is fixed when JAX starts."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip().endswith("equal"), run.stderr
