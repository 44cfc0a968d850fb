"""Linear operators of all kinds, made of the arrays of a case."""

from __future__ import annotations

import functools

import numpy as np

from .case import Case

_TOLERANCE = 2e-5
_D = np.float32([1.5, -2, 3])
_FULL = np.float32([[4, 1, -1], [1, -3, 0.5], [0.5, 2, 5]])
_TWO = np.float32([[3, 1], [-1, 2]])
_X = np.float32([[1, 2], [0.5, -1], [3, 1]])
_X4 = np.float32([[1, 2], [0.5, -1], [3, 1], [0, 2]])
_U = np.float32([[1, 0.5], [-1, 2], [0.5, 0.25]])
_NO_KERNEL = "unsupported: no kernel for LogMatrixDeterminant"
# Kinds, or kinds made of full matrices, whose determinant is that of the dense matrix.
_BY_DETERMINANT = (
    *("FullMatrix", "Toeplitz", "Tridiag", "Adjoint", "Composition", "BlockDiag", "Kronecker"),
    "BlockLowerTriangular",
)


def _used(tf, operator, x):
    """What every kind has; `solve` where the operator is not known to be singular."""
    results = [operator.matmul(x), operator.to_dense(), operator.trace()]
    if operator.is_non_singular is not False:
        results += [operator.solve(x), operator.log_abs_determinant()]
    return results


def _of_kind(kind: str, *arrays, x=_X, others=(), shapes=None, **hints) -> Case:
    """An operator that takes arrays."""

    def program(tf, *given):
        *parts, right = given
        return _used(tf, getattr(tf.linalg, f"LinearOperator{kind}")(*parts, **hints), right)

    return Case(
        f"linear-operator-{kind.lower()}",
        (f"linalg.LinearOperator{kind}",),
        program,
        (*arrays, x),
        others,
        shapes or _known(*arrays, x),
        _TOLERANCE,
        xla=_NO_KERNEL if kind in _BY_DETERMINANT else "same",
        long=True,
    )


def _over(kind: str, make, *arrays, x=_X) -> Case:
    """An operator that is made of operators."""

    def program(tf, *given):
        *parts, right = given
        return _used(tf, make(tf.linalg, *parts), right)

    return Case(
        f"linear-operator-{kind.lower()}",
        (f"linalg.LinearOperator{kind}",),
        program,
        (*arrays, x),
        (),
        _known(*arrays, x),
        _TOLERANCE,
        xla=_NO_KERNEL if kind in _BY_DETERMINANT else "same",
        long=True,
    )


def _known(*arrays):
    return tuple(array.shape for array in arrays)


def _two(linalg, matrix):
    return linalg.LinearOperatorFullMatrix(matrix, is_square=True)


def _blocks_below(linalg, a, b, c):
    first, second = _two(linalg, a), _two(linalg, c)
    below = linalg.LinearOperatorFullMatrix(b)
    return linalg.LinearOperatorBlockLowerTriangular([[first], [below, second]])


def _own(tf, scale, x):
    """An operator that a caller defines has everything that follows from two methods."""

    class Scaled(tf.linalg.LinearOperator):
        def _shape(self):
            return tf.TensorShape([3, 3])

        def _matmul(self, right, adjoint=False, adjoint_arg=False):
            return scale * (tf.linalg.adjoint(right) if adjoint_arg else right)

    return _used(tf, Scaled(tf.float32, is_self_adjoint=True, is_positive_definite=True), x)


def _circulant(tf, spectrum, x, kind="LinearOperatorCirculant"):
    operator = getattr(tf.linalg, kind)(spectrum, tf.float32)
    results = (operator.matmul(x), operator.to_dense(), operator.trace(), operator.diag_part())
    return (*results, operator.log_abs_determinant(), operator.convolution_kernel())


def _diagonals(linalg, low, middle, high):
    return linalg.LinearOperatorTridiag([high, middle, low], diagonals_format="sequence")


CASES = (
    _of_kind("Diag", _D, others=((_D[:2], _X[:2]),), shapes=((None,), (None, None))),
    _of_kind("FullMatrix", _FULL, is_square=True),
    _of_kind("LowerTriangular", _FULL),
    _of_kind("Householder", np.float32([1, 2, -0.5])),
    _of_kind("Toeplitz", np.float32([4, 1, 0.5]), np.float32([4, -1, 2])),
    _over("Tridiag", _diagonals, np.float32([0, -1, 1]), np.float32([4, 5, 4]), _D),
    _over("Adjoint", lambda m, a: m.LinearOperatorAdjoint(_two(m, a)), _FULL),
    _over(
        "Inversion",
        lambda m, a: m.LinearOperatorInversion(m.LinearOperatorLowerTriangular(a)),
        _FULL,
    ),
    _over(
        "Composition",
        lambda m, a, d: m.LinearOperatorComposition([_two(m, a), m.LinearOperatorDiag(d)]),
        _FULL,
        _D,
    ),
    _over(
        "LowRankUpdate",
        lambda m, d, u: m.LinearOperatorLowRankUpdate(
            m.LinearOperatorDiag(d * d, is_positive_definite=True), u
        ),
        _D,
        _U,
    ),
    _over(
        "BlockDiag",
        lambda m, a, d: m.LinearOperatorBlockDiag([_two(m, a), m.LinearOperatorDiag(d)]),
        _TWO,
        _D[:2],
        x=_X4,
    ),
    _over("BlockLowerTriangular", _blocks_below, _TWO, _U[:2], _TWO + 1, x=_X4),
    _over(
        "Kronecker",
        lambda m, a, b: m.LinearOperatorKronecker([_two(m, a), _two(m, b)]),
        _TWO,
        _TWO + 1,
        x=_X4,
    ),
    _over("Identity", lambda m: m.LinearOperatorIdentity(3)),
    _over("ScaledIdentity", lambda m, s: m.LinearOperatorScaledIdentity(3, s), np.float32(2.5)),
    _over("Zeros", lambda m: m.LinearOperatorZeros(3)),
    _over("Permutation", lambda m, p: m.LinearOperatorPermutation(p), np.int32([2, 0, 1])),
    Case(
        "linear-operator-circulant",
        ("linalg.LinearOperatorCirculant",),
        _circulant,
        (np.float32([4, 1, 2, 1]), _X4),
        (),
        ((4,), (4, 2)),
        _TOLERANCE,
        long=True,
    ),
    *(
        Case(
            f"linear-operator-circulant-{depth}d",
            (f"linalg.LinearOperatorCirculant{depth}D",),
            functools.partial(_circulant, kind=f"LinearOperatorCirculant{depth}D"),
            (np.float32([4, 1, 2, 1]).reshape((2, 2, 1)[:depth]), _X4),
            (),
            ((2, 2, 1)[:depth], (4, 2)),
            _TOLERANCE,
            long=True,
        )
        for depth in (2, 3)
    ),
    Case(
        "linear-operator-own",
        ("linalg.LinearOperator",),
        _own,
        (np.float32(2.0), _X),
        (),
        ((), (3, 2)),
        _TOLERANCE,
        long=True,
    ),
)
