"""`jax.vmap` of an operator is a loop over it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.harness.compare import differences
from tf2jax_port.diff.parity import port_side

from . import cases, rows


def is_batched(point) -> bool:
    return cases.succeeds(point) and bool(cases.floating(point)) and not point.case.unbounded


def variants(point):
    """Two sets of floating-point arguments."""
    arrays, _ = port_side.split(point)
    floats = {name: arrays[name] for name in cases.floating(point)}
    return [floats, jax.tree.map(lambda x: x / 2, floats)]


def of_floats(point):
    """The case as a function of its floating-point arrays."""
    arrays, _ = port_side.split(point)
    function = port_side.of_arrays(point)
    return lambda floats: function({**arrays, **floats})


def parameters():
    return rows.parameters(lambda row: not row.fresh and any(map(is_batched, rows.points_of(row))))


@pytest.mark.parametrize("row", parameters())
def test_vmap_is_a_loop(row):
    points = rows.points_of(row, is_batched)
    functions = [of_floats(p) for p in points]
    pairs = [variants(p) for p in points]
    batches = [jax.tree.map(lambda a, b: jnp.stack([a, b]), *pair) for pair in pairs]
    mapped = jax.jit(lambda all_arrays: [jax.vmap(f)(a) for f, a in zip(functions, all_arrays)])
    looped = jax.jit(lambda all_pairs: [list(map(f, p)) for f, p in zip(functions, all_pairs)])
    problems = {}
    for point, rows_, loop in zip(points, mapped(batches), looped(pairs), strict=True):
        want = [np.stack(pair) for pair in zip(*map(port_side.flat, loop), strict=True)]
        problems[point.case.id] = differences(port_side.flat(rows_), want, 2 * row.tolerance)
    rows.report(problems)
