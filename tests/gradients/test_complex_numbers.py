"""Values and gradients of complex numbers, wherever TensorFlow conjugates and where it does not."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, assert_same

_RNG = np.random.default_rng(5)


def draw(*shape):
    return (_RNG.normal(size=shape) + 1j * _RNG.normal(size=shape)).astype(np.complex64)


SQUARE, ROWS, BANDS, COLUMN = draw(3, 3), draw(3, 2), draw(2, 3), draw(3, 1)
PROGRAMS = {
    "triangle": (lambda m, a, b: m.linalg.triangular_solve(a, b), SQUARE, ROWS),
    "upper-triangle": (lambda m, a, b: m.linalg.triangular_solve(a, b, False), SQUARE, ROWS),
    "adjoint": (lambda m, a, b: m.linalg.triangular_solve(a, b, adjoint=True), SQUARE, ROWS),
    "cholesky-solve": (lambda m, a, b: m.linalg.cholesky_solve(a, b), SQUARE, ROWS),
    "least-squares": (lambda m, a, b: m.linalg.lstsq(a, b), SQUARE, ROWS),
    "bands": (lambda m, a, b: m.linalg.banded_triangular_solve(a, b), BANDS, ROWS),
    "three-diagonals": (lambda m, a, b: m.linalg.tridiagonal_solve(a, b), SQUARE, ROWS),
    "operator": (
        lambda m, a, b: m.linalg.LinearOperatorLowerTriangular(a).solve(b), SQUARE, ROWS,
    ),
    "determinant": (lambda m, a: m.linalg.det(a), SQUARE),
    "sign-and-logarithm": (lambda m, a: m.linalg.slogdet(a), SQUARE),
    "real-determinant": (lambda m, a: m.cast(m.linalg.det(m.math.real(a)), m.complex64), SQUARE),
    "root": (lambda m, a: m.linalg.sqrtm(a), SQUARE),
    "squares": (lambda m, a, b: m.math.squared_difference(a, b), ROWS, ROWS[0]),
    "moments": (lambda m, a: m.nn.moments(a, [0]), SQUARE),
    "weights": (lambda m, a, w: m.nn.weighted_moments(a, [0], w), SQUARE, COLUMN),
    "length": (lambda m, a: m.math.reduce_euclidean_norm(a, 0), SQUARE),
    "silu": (lambda m, a: m.nn.silu(a, 0.5), SQUARE),
    "no-nan": (lambda m, a, b: m.math.multiply_no_nan(a, b), SQUARE, SQUARE.T),
    "xlogy": (lambda m, a, b: m.math.xlogy(a, b), SQUARE, SQUARE.T),
    "xlog1py": (lambda m, a, b: m.math.xlog1py(a, b), SQUARE, SQUARE.T),
    "xdivy": (lambda m, a, b: m.math.xdivy(a, b), SQUARE, SQUARE.T),
    "products": (lambda m, a: m.math.cumprod(a, 1), SQUARE),
    "products-before": (lambda m, a: m.math.cumprod(a, 1, exclusive=True, reverse=True), SQUARE),
    "segments": (lambda m, a: m.math.segment_prod(a, [0, 0, 1]), SQUARE),
    "any-segments": (lambda m, a: m.math.unsorted_segment_prod(a, [1, 0, 1], 3), SQUARE),
}  # fmt: skip


def answers(m, call, arrays):
    """What a call gives, and its gradients by all of its arguments."""
    arrays = [m.constant(a) for a in arrays]
    with m.GradientTape() as tape:
        tape.watch(arrays)
        out = m.nest.flatten(call(*arrays))
    weights = [
        m.constant(np.exp(1j * np.arange(np.size(o))).reshape(o.shape), m.complex64) for o in out
    ]
    return [np.asarray(a) for a in (*out, *tape.gradient(out, arrays, weights))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_tensorflow(name):
    program, *arrays = PROGRAMS[name]
    wanted = answers(tf, lambda *a: program(tf, *a), arrays)
    known = {"bands": [[2, None], [None, 2]], "root": [[3, 3]]}  # what these need
    shapes = known.get(name, [[None] * a.ndim for a in arrays])
    unknown = [shims.TensorSpec(shape, "complex64") for shape in shapes]
    eager = lambda *a: program(shims, *a)
    for call in (eager, shims.function(eager, input_signature=unknown, autograph=False)):
        for ours, theirs in zip(answers(shims, call, arrays), wanted, strict=True):
            assert_same(ours, theirs, 1e-4, Dtypes.SAME)
