"""Operators over padded arrays: the answer of TensorFlow, whatever stands in the padding.

Values, first derivatives (forward and reverse) and second ones (forward over reverse) have the same
bits for every filling.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

from . import cases, ours, reference, rows
from .compare import differences
from .test_symbolic import is_traceable, unknown_axes

SPARE = 3
FILLINGS = {
    "f": (0.0, np.nan, np.inf, -np.inf, 1e38),
    "c": (0.0, np.nan, complex(np.inf, np.nan), complex(0, -np.inf), 1e38),
    "i": (0, 2**31 - 1, -(2**31), -1, 7),
    "u": (0, 255, 1, 7, 128),
    "b": (False, True, False, True, True),
}


def is_answered(point) -> bool:
    """Whether the case has an unknown size, and all others follow from it."""
    return is_traceable(point) and not point.case.unbounded


def padded(array, axis: int, number: int) -> shims.Padded:
    """The array with the given filling behind its end."""
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, SPARE)
    kind = array.dtype.kind
    fill = np.asarray(FILLINGS[kind][number]).astype(array.dtype)
    values = np.pad(np.asarray(array), widths, constant_values=fill)
    return shims.Padded(jnp.asarray(values), {axis: jnp.int32(array.shape[axis])})


def operands(point, number: int) -> dict[str, object]:
    """The arrays of a case, those with an unknown axis padded."""
    arrays, _ = ours.split(point)
    axes = dict(unknown_axes(point))
    return {
        n: padded(np.asarray(a), axes[n], number) if n in axes else a for n, a in arrays.items()
    }


def everything(point):
    """Values, slopes and curvatures of a case as one compiled function of its operands."""
    function = shims.dynamic(ours.of_arrays(point))
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
    """Padded values cut to their true sizes."""
    is_padded = lambda v: isinstance(v, shims.Padded)
    return [
        np.asarray(v.unpad() if is_padded(v) else v)
        for v in jax.tree.leaves(tree, is_leaf=is_padded)
    ]


def bits(arrays) -> list[bytes]:
    """What must not depend on the filling."""
    return [np.asarray(x).tobytes() for x in arrays if x.dtype != jax.dtypes.float0]


@pytest.mark.parametrize(
    "row", rows.parameters(lambda r: any(map(is_answered, rows.points_of(r))), every=4)
)
def test_padding_is_never_seen(row):
    problems = {}
    for point in rows.points_of(row, is_answered)[:1]:
        run = everything(point)
        first = run(operands(point, 0))
        want = reference.eager(point).outputs
        problems[point.case.id] = differences(exact(first[0]), want, 2 * row.tolerance)
        for number in range(1, 5):
            again = run(operands(point, number))
            if bits(exact(first[0])) != bits(exact(again[0])):
                problems[f"{point.case.id}, values, filling {number}"] = str(exact(again[0]))
            for what, a, b in zip(("slopes", "curvature"), first[1:], again[1:], strict=True):
                if bits(jax.tree.leaves(a)) != bits(jax.tree.leaves(b)):
                    problems[f"{point.case.id}, {what}, filling {number}"] = f"{a}, {b}"
    rows.report(problems)
