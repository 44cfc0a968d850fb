"""Operators over padded arrays: the answer of TensorFlow, whatever stands in the padding.

Values, first derivatives (forward and reverse) and second ones (forward over reverse) have the same
bits for every filling.

One compiled program gives them all, so that it need not matter what a processor fuses.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from tests.harness import row_answers
from tests.harness.compare import differences
from tests.harness.flatten import unpadded
from tests.harness.padding import bits, pad
from tf2jax_port.diff.parity import port_side

from . import cases, rows
from .test_symbolic import is_traceable, unknown_axes

SPARE = 3


def is_answered(point) -> bool:
    """Whether the case has an unknown size, and all others follow from it."""
    return is_traceable(point) and not point.case.unbounded


def operands(point, number: int) -> dict[str, object]:
    """The arrays of a case, those with an unknown axis padded."""
    arrays, _ = port_side.split(point)
    axes = dict(unknown_axes(point))
    return {n: _pad(np.asarray(a), axes[n], number) if n in axes else a for n, a in arrays.items()}


def _pad(array, axis, number):
    return pad(array, {axis: array.shape[axis] + SPARE}, number)


# Their gradient is not the transpose of their derivative: they have no forward mode.
REVERSE_ONLY = {"raw_ops.ImageProjectiveTransformV2", "raw_ops.ImageProjectiveTransformV3"}


def everything(point):
    """Values, slopes and curvatures of a case as one compiled function of its operands."""
    function = shims.dynamic(port_side.of_arrays(point))
    names = cases.floating(point) if not point.row.no_gradient else ()

    def total(floats, rest):
        out = function({**rest, **floats})
        leaves = jax.tree.leaves(shims.dynamic(lambda o: _sums(o))(out))
        return sum(leaves, jnp.zeros(()))

    def run(given):
        floats = {n: given[n] for n in names if n in given}
        rest = {n: v for n, v in given.items() if n not in floats}
        out = function(given)
        if not floats:
            return out, (), ()
        slope = lambda f: jax.grad(lambda g: total(g, rest), allow_int=True)(f)
        if point.row.name in REVERSE_ONLY:
            return out, slope(floats), ()
        ones = jax.tree.map(_direction, floats)
        _, forward = jax.jvp(lambda f: total(f, rest), (floats,), (ones,))
        reverse, second = jax.jvp(slope, (floats,), (ones,))
        return out, (forward, reverse), second

    return jax.jit(run)


def _direction(leaf):
    if not jnp.issubdtype(leaf.dtype, jnp.inexact):
        return np.zeros(leaf.shape, jax.dtypes.float0)
    return jnp.cos(jnp.arange(leaf.size, dtype=leaf.dtype)).reshape(leaf.shape)


def _sums(out):
    return [
        jnp.sum(jnp.sin(x))
        for x in jax.tree.leaves(out)
        if jnp.issubdtype(jnp.result_type(x), jnp.floating)
    ]


def exact(tree):
    """List the leaves, cut to their true sizes."""
    return list(map(np.asarray, jax.tree.leaves(unpadded(tree))))


@pytest.mark.parametrize(
    "row", rows.parameters(lambda r: any(map(is_answered, rows.points_of(r))), every=4)
)
def test_padding_is_never_seen(row):
    problems = {}
    for point in rows.points_of(row, is_answered)[:1]:
        run = everything(point)
        first = run(operands(point, 0))
        want = row_answers.eager(point).outputs
        problems[point.case.id] = differences(exact(first[0]), want, 2 * row.tolerance)
        for number in range(1, 5):
            again = run(operands(point, number))
            if bits(exact(first[0])) != bits(exact(again[0])):
                problems[f"{point.case.id}, values, filling {number}"] = str(exact(again[0]))
            for what, a, b in zip(("slopes", "curvature"), first[1:], again[1:], strict=True):
                if bits(jax.tree.leaves(a)) != bits(jax.tree.leaves(b)):
                    problems[f"{point.case.id}, {what}, filling {number}"] = f"{a}, {b}"
    rows.report(problems)
