"""TensorFlow programs after a change of the import: values and gradients are TensorFlow's."""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest

import shims
from tests.harness.compare import Tolerance, assert_same
from tests.harness.flatten import unpadded
from tests.harness.jax_side import Result, differentiated, floating, with_loss

from . import programs

pytest.importorskip("tensorflow", reason="the reference is TensorFlow itself")

from tests.harness import tensorflow_side

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
    return jax.jit(differentiated(shims.dynamic(program_of(row)), positions_of(row)))


@functools.cache
def function(row):
    return shims.function(functools.partial(row.f, shims))


@functools.cache
def function_of_unknown_sizes(row):
    return shims.function(
        differentiated(program_of(row), () if row.control_flow else positions_of(row)),
        input_signature=signature_of(row),
    )


def program_of(row):
    return with_loss(functools.partial(row.f, shims))


def positions_of(row) -> tuple[int, ...]:
    return floating(row.arguments(row.sizes[0], row.kinds[0])) if row.gradient else ()


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


@functools.cache
def reference(row, n: int, kind: str) -> Result:
    """Run TensorFlow on one case; gradients that are `None` are zeros."""
    given = row.arguments(n, kind)
    places = floating(given) if row.gradient else ()
    run = functools.partial(tensorflow_side.call, row.f)
    loss = tensorflow_side.tensorflow_loss
    return Result(*tensorflow_side.with_slopes(run, given, places, loss, unconnected="zero"))


def check(row, n, kind, what, got) -> None:
    want = getattr(reference(row, n, kind), what)
    tolerance = Tolerance(of_largest=row.tolerance)
    assert_same(got, want, tolerance, what=f"{row.name}, n={n}, {kind}: {what}")


@pytest.mark.parametrize("case", CASES)
def test_eagerly(case):
    row, n = case
    for kind in row.kinds:
        check(
            row, n, kind, "outputs", row.f(shims, *map(jax.numpy.asarray, row.arguments(n, kind)))
        )


@pytest.mark.parametrize("case", CASES)
def test_under_a_foreign_jit(case):
    row, n = case
    if row.unbounded:
        with pytest.raises(shims.CapacityError):
            jitted(row)(*row.arguments(n, row.kinds[0]))
        return
    for kind in row.kinds:
        result = jitted(row)(*row.arguments(n, kind))
        check(row, n, kind, "outputs", unpadded(result.outputs))
        if row.gradient:
            check(row, n, kind, "gradients", result.gradients)


@pytest.mark.parametrize("case", CASES)
def test_as_a_function(case):
    row, n = case
    for kind in row.kinds:
        check(row, n, kind, "outputs", function(row)(*row.arguments(n, kind)))


@pytest.mark.parametrize(
    "row",
    # Half a minute is compiled for one of them, which runs with known sizes, too.
    [
        pytest.param(row, marks=[pytest.mark.long] if row.name == "per_class_nms" else [])
        for row in programs.PORTED
    ],
    ids=lambda row: row.name,
)
def test_with_unknown_sizes(row):
    for n in row.sizes:
        for kind in row.kinds:
            result = function_of_unknown_sizes(row)(*row.arguments(n, kind))
            check(row, n, kind, "outputs", result.outputs)
            if row.gradient and not row.control_flow:
                check(row, n, kind, "gradients", result.gradients)
