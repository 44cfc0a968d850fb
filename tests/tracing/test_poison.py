"""What stands in invalid slots is never seen: results have the same bits whatever it is.

One compiled program gives both results, so that it need not matter what a processor fuses.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from tests.harness.compare import assert_same_bits
from tests.harness.flatten import unpadded
from tests.harness.jax_side import Result, with_loss
from tests.tracing import programs, row_lanes
from tests.tracing.programs.row import MASKS, Refused
from tests.tracing.row_lanes import assert_close
from tests.tracing.test_programs import name

POISONS = (np.nan, np.inf, -np.inf, 1e38)
CAPACITY = 8


def poisons_for(row):
    """Fills that the row's dtype can hold."""
    return (-1, 2**31 - 1, -(2**31)) if row.integers else POISONS


def poisoned(row, mask, fill):
    return filled(row.x(), mask, fill)


def filled(x, mask, fill):
    """`x` with its unselected rows replaced."""
    x = x.copy()
    x[~mask] = fill
    return x


ANSWERED = [row for row in programs.MASKED if not row.refusal]
DIFFERENTIABLE = [row for row in ANSWERED if row_lanes.positions_of(row)]


@pytest.mark.parametrize("row", ANSWERED, ids=name)
def test_rows_that_are_not_selected_are_not_seen(row):
    run = row_lanes.foreign(row)
    for kind, mask in MASKS.items():
        if row_lanes.is_flagged(row, kind) or (kind == "zero" and row.empty is Refused):
            continue
        want = run(poisoned(row, mask, 0), mask)
        for fill in poisons_for(row):
            got = run(poisoned(row, mask, fill), mask)
            what = f"{row.name}, {kind}, {fill}"
            assert_same_bits(unpadded(got.outputs), unpadded(want.outputs), what)
            assert_same_bits(got.gradients, want.gradients, f"{what}: gradient")


@functools.cache
def second_order(row):
    """Forward mode, forward over reverse, and reverse over forward, under one `jax.jit`."""
    program = shims.dynamic(lambda x, m: with_loss(row_lanes.function_of(row))(x, m)[0])

    def run(x, m, v):
        f = lambda a: program(a, m)
        slope = lambda a: jax.jvp(f, (a,), (v,))[1]
        return slope(x), jax.jvp(jax.grad(f), (x,), (v,))[1], jax.grad(slope)(x)

    return jax.jit(run)


# A `custom_vjp` has no forward mode.
# Every second row in the ordinary run, all of them in the long one.
FORWARD = [row for row in DIFFERENTIABLE if row.name != "custom_vjp_rule"]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(r, marks=[pytest.mark.long] * (i % 2), id=name(r))
        for i, r in enumerate(FORWARD)
    ],
)
def test_rows_that_are_not_selected_are_not_seen_in_second_order(row):
    run = second_order(row)
    direction = np.cos(np.arange(row.x().size, dtype=np.float32)).reshape(row.shape)
    for kind, mask in MASKS.items():
        want = run(poisoned(row, mask, 0), mask, filled(direction, mask, 0))
        for fill in POISONS:
            got = run(poisoned(row, mask, fill), mask, filled(direction, mask, fill))
            assert_same_bits(got, want, f"{row.name}, {kind}, {fill}")


@functools.cache
def of_padded(row):
    """The program of an array that arrives padded, with its gradient, under one `jax.jit`."""
    program = shims.dynamic(with_loss(row.f))
    if not row_lanes.positions_of(row):
        return jax.jit(lambda y: Result(program(y)[1], ()))

    def run(y):
        (_, outputs), gradient = jax.value_and_grad(program, has_aux=True, allow_int=True)(y)
        return Result(outputs, gradient.values)

    return jax.jit(run)


@pytest.mark.parametrize("row", ANSWERED, ids=name)
def test_padding_of_an_input_is_not_seen(row):
    run = of_padded(row)
    for kind in ("full", "some", "one", "zero"):
        if row_lanes.is_flagged(row, kind) or (kind == "zero" and row.empty is Refused):
            continue
        y = row.x()[MASKS[kind]]
        want = run(shims.Padded.pad(y, CAPACITY, fill=0))
        for fill in poisons_for(row):
            got = run(shims.Padded.pad(y, CAPACITY, fill=fill))
            what = f"{row.name}, {kind}, {fill}"
            assert_same_bits(unpadded(got.outputs), unpadded(want.outputs), what)
            assert_same_bits(got.gradients, want.gradients, f"{what}: gradient")
        exact = row_lanes.exact(row, kind)
        assert_close(unpadded(want.outputs), exact.outputs, row.tolerance)
        if row_lanes.positions_of(row):
            assert not np.any(np.asarray(want.gradients)[len(y) :])
            gradient = np.asarray(exact.gradients[0])[MASKS[kind]]
            assert_close(want.gradients[: len(y)], gradient, row.tolerance, "gradients")


def test_the_comparison_of_bits_can_fail():
    zero, minus_zero = jnp.zeros(2), -jnp.zeros(2)
    with pytest.raises(AssertionError, match="signed zeros: result: other bits"):
        assert_same_bits(zero, minus_zero, "signed zeros")
    with pytest.raises(AssertionError, match="outputs: result: shape"):
        assert_close(jnp.ones(2), jnp.ones(3), 1e-5)
    with pytest.raises(AssertionError, match="NaN at"):
        assert_close(jnp.ones(1), jnp.array([jnp.nan]), 1e-5)
