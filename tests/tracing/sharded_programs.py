"""Run programs on eight devices: a program for a process of its own, which prints what fails.

Each check is a function whose name begins with `check_`; `python -m tests.tracing.sharded_programs NAME` runs it.
"""

from __future__ import annotations

import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shims

ROWS = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
AUTO = jax.make_mesh((8,), ("b",), axis_types=(AxisType.Auto,))
EXPLICIT = jax.make_mesh((8,), ("b",))
TWO_AXES = jax.make_mesh((4, 2), ("b", "m"), axis_types=(AxisType.Auto, AxisType.Auto))
D = shims.dynamic


def placed(mesh, x=ROWS):
    return jax.device_put(x, NamedSharding(mesh, P("b")))


def same(got, want):
    got = jax.tree.map(
        lambda x: x.unpad() if isinstance(x, shims.Padded) else x, got, is_leaf=_is_padded
    )
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        largest = max(1.0, float(np.max(np.abs(b), initial=0)))
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6 * largest)


def _is_padded(x):
    return isinstance(x, shims.Padded)


def gathered(compiled) -> list[int]:
    """Return the sizes of the arrays that a compiled program gathers from all devices."""
    shapes = re.findall(r"= \(?\w+\[([\d,]*)\]\S* all-gather(?:-start)?\(", compiled.as_text())
    return [int(np.prod([int(n) for n in s.split(",") if n])) for s in shapes]


REDUCTIONS = {
    **{
        f"jnp.{n}": getattr(jnp, n)
        for n in [
            "sum",
            "mean",
            "max",
            "min",
            "prod",
            "var",
            "std",
            "any",
            "all",
            "argmax",
            "argmin",
            "count_nonzero",
            "nansum",
            "nanmax",
            "nanmean",
            "nanvar",
            "ptp",
            "average",
        ]
    },
    **{
        f"shims.{n}": getattr(shims, n)
        for n in [
            "reduce_sum",
            "reduce_mean",
            "reduce_max",
            "reduce_min",
            "reduce_prod",
            "reduce_logsumexp",
        ]
    },
    **{
        f"shims.math.{n}": getattr(shims.math, n)
        for n in ["reduce_variance", "reduce_std", "reduce_euclidean_norm", "count_nonzero"]
    },
    "shims.reduce_any": lambda y, axis=None: shims.reduce_any(y > 1, axis),
    "shims.reduce_all": lambda y, axis=None: shims.reduce_all(y > -1, axis),
}
SELECTIONS = {
    "elements": lambda x: (x[x > 0],),
    "rows": lambda x: (x[x[:, 0] > 0], 0),
    "column": lambda x: (shims.boolean_mask(x[:, 1], x[:, 0] > 0), 0),
}


def check_masked_reductions():
    """A reduction of a selection gathers no array: at most a number for each device and result."""
    for kind, selection in SELECTIONS.items():
        # One program for all of them: most of the time is compilation.
        f = D(lambda x, s=selection: [r(*s(x)) for r in REDUCTIONS.values()])
        want = jax.jit(f)(ROWS)
        for mesh in (AUTO, EXPLICIT) if kind == "rows" else (AUTO,):
            compiled = jax.jit(f).lower(placed(mesh)).compile()
            same(compiled(placed(mesh)), want)
            assert max(gathered(compiled), default=0) <= 8 * 4, (kind, gathered(compiled))
    sort = jax.jit(D(lambda x: jnp.sort(x[x > 0])[:1])).lower(placed(AUTO)).compile()
    assert max(gathered(sort)) >= 64  # it can fail


def check_gradients():
    """The gradient of a masked mean stays where the rows are."""
    loss = D(lambda x: jnp.mean(jnp.exp(x)[x > 0]))
    slope = jax.jit(jax.grad(loss))
    for mesh in (AUTO, EXPLICIT):
        x = placed(mesh)
        same(slope(x), jax.grad(loss)(ROWS))
        assert slope(x).sharding.spec[0] == "b"
        assert not gathered(slope.lower(x).compile())


def check_packing():
    """Rows that are selected keep their order over all devices; results of a capacity are sharded."""
    select = D(lambda x: x[x[:, 0] > 0])
    for mesh in (AUTO, EXPLICIT):
        x = placed(mesh)
        for run in (
            select,
            jax.jit(select),
            shims.function(select),
            shims.function(select, unpad=False),
        ):
            same(run(x), ROWS[ROWS[:, 0] > 0])
    # Each device gathers the mask and the rows, and keeps its part of the result.
    assert gathered(jax.jit(select).lower(placed(AUTO)).compile()) == [64, 256]
    padded = {
        "automatic": jax.jit(select)(placed(AUTO)),
        "explicit": jax.jit(select)(placed(EXPLICIT)),
        "function": shims.function(select, unpad=False)(placed(AUTO)),
        "elements": jax.jit(D(lambda x: shims.where(x > 0)))(placed(AUTO)),
        "passed on": jax.jit(lambda x: D(lambda y: y * 2)(select(x)))(placed(AUTO)),
        "two axes": jax.jit(select)(jax.device_put(ROWS, NamedSharding(TWO_AXES, P(("b", "m"))))),
    }
    for name, rows in padded.items():
        assert not rows.values.sharding.is_fully_replicated, name
        assert rows.values.addressable_shards[0].data.shape[0] * 8 == rows.values.shape[0], name
    rows = jax.jit(select, out_shardings=NamedSharding(AUTO, P()))(placed(AUTO))
    assert rows.values.sharding.is_fully_replicated
    assert "sharding_group" not in jax.jit(select).lower(ROWS).as_text()


COLLECTIVES = {"psum": np.sum, "pmean": np.mean, "pmax": np.max, "pmin": np.min}


REPLICATED = P()


def per_device(f, out=REPLICATED, **options):
    body = D(lambda x: f(x.reshape(-1)))
    return jax.jit(jax.shard_map(body, mesh=AUTO, in_specs=P("b"), out_specs=out, **options))


def check_collectives_of_sizes():
    """Collectives of sizes are those of the numbers of rows on the devices."""
    parts = ROWS.reshape(8, -1)
    counts = (parts > 0).sum(1)
    for options in ({}, {"check_vma": False}):
        for collective, of in COLLECTIVES.items():
            of_size = lambda x, c=collective: getattr(lax, c)(x[x > 0].shape[0], "b")
            same(per_device(of_size, **options)(ROWS), of(counts))
            of_number = lambda x, c=collective: getattr(lax, c)(2 * x[x > 0].size + 1, "b") / 2
            same(per_device(of_number, **options)(ROWS), of(2 * counts + 1) / 2)
        numbers = lambda x: lax.all_gather(jnp.asarray(x[x > 0].shape[0]), "b")[None]
        same(per_device(numbers, P("b"), **options)(ROWS), np.tile(counts, (8, 1)))


def _branches(x):
    if jnp.sum(x) > 0:
        total = lax.psum(x[0], "b")
    else:
        total = lax.psum(2 * x[1], "b")
    return total


def _branches_of_a_size(x):
    y = x[x > 0]
    if y.shape[0] > 16:
        return lax.psum(jnp.sum(y), "b")
    return lax.psum(jnp.float32(7) * y.shape[0], "b")


def _around(x):
    operand = lambda x: lax.psum(x[0], "b") + x[2]
    return lax.cond(jnp.sum(x) > 0, operand, lambda x: lax.psum(2 * x[1], "b") * x[3], x)[None]


def _two(x):
    def first(x):
        return lax.pmax(lax.psum(x[0], "b") * x[1], "b")

    return lax.cond(x[0] > 0, first, lambda x: lax.pmax(lax.psum(x[1], "b") - x[0], "b"), x)


def _unlike(x):
    y = x[x > 0]
    return lax.cond(x[0] > 0, lambda y: lax.psum(jnp.sum(y), "b"), jnp.sum, y)


def check_collectives_in_branches():
    """Devices that take different branches take part in the same collectives."""
    p = ROWS.reshape(8, -1)
    chosen, positive, n = p.sum(1) > 0, np.where(p > 0, p, 0).sum(1), (p > 0).sum(1)
    total = np.where(chosen, p[:, 0], 2 * p[:, 1]).sum()
    both = np.where(p[:, 0] > 0, p[:, 0], p[:, 1]).sum()
    wanted = {
        _branches: total,
        _branches_of_a_size: np.where(n > 16, positive, 7.0 * n).sum(),
        _around: np.where(chosen, total + p[:, 2], total * p[:, 3]),
        _two: np.where(p[:, 0] > 0, both * p[:, 1], both - p[:, 0]).max(),
    }
    for options in ({}, {"check_vma": False}):
        for f, want in wanted.items():
            out = P("b") if f is _around else P()
            same(per_device(f, out, **options)(ROWS), want)
    slope = jax.grad(lambda x: per_device(_branches)(x))(jnp.asarray(ROWS)).reshape(8, -1)
    want = np.zeros_like(p)
    want[:, 0], want[:, 1] = chosen, 2.0 * ~chosen
    same(slope, want)
    with pytest.raises(shims.errors.UnimplementedError, match="collectives"):
        per_device(_unlike, check_vma=False)(ROWS)


def check_branches_of_rows():
    """Branches that rows choose run with the checks of `shard_map` and without."""
    places = np.array([-1.0, 0.0, 2.0], np.float32)
    found = lambda y: jnp.searchsorted(jnp.sort(y), places) + jnp.interp(places, y, y).sum()

    def rows(**options):
        body = jax.vmap(D(lambda x: found(x[x > 0])))
        return jax.shard_map(body, mesh=AUTO, in_specs=P("b"), out_specs=P("b"), **options)

    x = np.concatenate([np.ones_like(ROWS[:, :1]), ROWS], 1)  # of no numbers, `interp` fails
    want = [found(jnp.asarray(row[row > 0])) for row in x]
    for options in ({}, {"check_vma": False}):
        same(jax.jit(rows(**options))(x), np.stack(want))


def check_explicit_operands():
    """Operators take arrays of an explicit mesh, and keep them on it."""
    x, kept = placed(EXPLICIT), ROWS[ROWS[:, 0] > 0]
    variable = shims.Variable(x)
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = shims.reduce_sum(shims.cumsum(shims.sort(x, axis=0)) ** 2)
    same(tape.gradient(y, x), jax.grad(lambda x: jnp.sum(jnp.cumsum(jnp.sort(x, 0), 0) ** 2))(ROWS))
    same(shims.boolean_mask(variable, ROWS[:, 0] > 0), kept)
    slope = jax.grad(lambda x: shims.reduce_sum(shims.cumsum(x) ** 2))
    want = jax.grad(lambda x: jnp.sum(jnp.cumsum(x, 0) ** 2))(ROWS)
    same(jax.jit(slope)(x), want)
    with jax.set_mesh(EXPLICIT):  # without `jit`, JAX asks for the mesh as a context
        same(slope(x), want)
    for run in (lambda f: f, jax.jit, shims.function, D, lambda f: jax.jit(D(f))):
        same(run(lambda x: shims.gather(x, [3, 1]))(x), ROWS[[3, 1]])
        same(run(lambda x: shims.matmul(x, x, transpose_a=True))(x), ROWS.T @ ROWS)
        for keeps in (shims.exp, lambda x: shims.sort(x, axis=0), shims.cumsum):
            result = run(keeps)(x)
            assert result.sharding.spec[0] == "b", (keeps, result.sharding)
            assert result.sharding.mesh == EXPLICIT
    with jax.set_mesh(EXPLICIT):
        same(shims.boolean_mask(x, ROWS[:, 0] > 0), kept)
        same(jax.jit(D(lambda x: shims.zeros_like(x)))(x), 0 * ROWS)


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("check_") and name in (sys.argv[1:] or [name]):
            try:
                check()
                sys.stdout.write(f"{name} holds\n")
            except Exception as error:  # noqa: BLE001 - the test shows it
                line = error.__traceback__
                while line.tb_next and line.tb_next.tb_frame.f_code.co_filename == __file__:
                    line = line.tb_next
                sys.stdout.write(f"{name} {line.tb_lineno} {error!r}\n")
