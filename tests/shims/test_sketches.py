"""TensorFlow programs after a change of the import: values and gradients are TensorFlow's."""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest

import shims

from . import lanes, programs
from .compare import assert_close

pytest.importorskip("tensorflow", reason="the reference is TensorFlow itself")

from . import reference

# One size at every change (`test_with_unknown_sizes` has them all), the others in `make test-long`:
# each is compiled anew.
CASES = [
    pytest.param(
        (row, n), id=f"{row.name}-{n}", marks=() if n == row.sizes[0] else pytest.mark.long
    )
    for row in programs.PORTED
    for n in row.sizes
]


@functools.cache
def jitted(row):
    return jax.jit(lanes.differentiated(shims.dynamic(program_of(row)), positions_of(row)))


@functools.cache
def function(row):
    return shims.function(functools.partial(row.f, shims))


@functools.cache
def function_of_unknown_sizes(row):
    return shims.function(
        lanes.differentiated(program_of(row), () if row.control_flow else positions_of(row)),
        input_signature=signature_of(row),
    )


def program_of(row):
    return lanes.with_loss(functools.partial(row.f, shims))


def positions_of(row) -> tuple[int, ...]:
    return lanes.floating(row.arguments(row.sizes[0], row.kinds[0])) if row.gradient else ()


def signature_of(row) -> list:
    """Every dimension that varies with `n` is unknown, the others are known."""
    first, second = (row.arguments(n, row.kinds[0]) for n in row.sizes[:2])
    return [
        shims.TensorSpec(
            [p if p == q else None for p, q in zip(np.shape(a), np.shape(b), strict=True)],
            np.asarray(a).dtype,
        )
        for a, b in zip(first, second, strict=True)
    ]


def check_outputs(row, n, kind, got) -> None:
    want = reference.eager(row, n, kind).outputs
    assert_close(got, want, row.tolerance, f"{row.name}, n={n}, {kind}: outputs")


def check_gradients(row, n, kind, got) -> None:
    want = reference.eager(row, n, kind).gradients
    assert_close(got, want, row.tolerance, f"{row.name}, n={n}, {kind}: gradients")


@pytest.mark.parametrize("case", CASES)
def test_eagerly(case):
    row, n = case
    for kind in row.kinds:
        check_outputs(row, n, kind, row.f(shims, *map(jax.numpy.asarray, row.arguments(n, kind))))


@pytest.mark.parametrize("case", CASES)
def test_under_a_foreign_jit(case):
    row, n = case
    if row.unbounded:
        with pytest.raises(shims.CapacityError):
            jitted(row)(*row.arguments(n, row.kinds[0]))
        return
    for kind in row.kinds:
        result = jitted(row)(*row.arguments(n, kind))
        check_outputs(row, n, kind, lanes.unpadded(result.outputs))
        if row.gradient:
            check_gradients(row, n, kind, result.gradients)


@pytest.mark.parametrize("case", CASES)
def test_as_a_function(case):
    row, n = case
    for kind in row.kinds:
        check_outputs(row, n, kind, function(row)(*row.arguments(n, kind)))


@pytest.mark.parametrize("row", programs.PORTED, ids=lambda row: row.name)
def test_with_unknown_sizes(row):
    for n in row.sizes:
        for kind in row.kinds:
            result = function_of_unknown_sizes(row)(*row.arguments(n, kind))
            check_outputs(row, n, kind, result.outputs)
            if row.gradient and not row.control_flow:
                check_gradients(row, n, kind, result.gradients)
