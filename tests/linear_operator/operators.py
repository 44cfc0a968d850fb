"""Operators of all kinds, as functions of TensorFlow or `shims`; and what is asked of each."""

from __future__ import annotations

import numpy as np

from tests.linalg.programs import GENERAL, POSITIVE

_BATCH = np.stack([GENERAL, GENERAL + 2 * np.eye(3, dtype=np.float32)])
_LOWER = np.array([[2, 9, 9], [1, -3, 9], [0.5, 2, 1.5]], np.float32)
_BANDED = GENERAL * np.float32([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
_TWO = np.array([[3, 1], [-1, 2]], np.float32)
_TWO_POSITIVE = np.array([[3, 1], [1, 2]], np.float32)
_U = np.array([[1, 0.5], [-1, 2], [0.5, 0.25]], np.float32)
_V = np.array([[0.5, 1], [1, -1], [2, 0.5]], np.float32)
_D = np.array([1.5, -2, 3], np.float32)
_DEFINITE = {"is_self_adjoint": True, "is_positive_definite": True}


def _of(kind, *arguments, **hints):
    return lambda tf: getattr(tf.linalg, f"LinearOperator{kind}")(*arguments, **hints)


def _over(kind, *makers, **hints):
    """An operator made of a list of others."""
    return lambda tf: getattr(tf.linalg, f"LinearOperator{kind}")([m(tf) for m in makers], **hints)


def _low_rank(tf, base=None, **more):
    base = (
        tf.linalg.LinearOperatorDiag(np.abs(_D), is_positive_definite=True)
        if base is None
        else base
    )
    return tf.linalg.LinearOperatorLowRankUpdate(base, _U, **more)


_diag = _of("Diag", _D)
_positive_diag = _of("Diag", np.abs(_D[:2]), is_positive_definite=True)
_full = _of("FullMatrix", GENERAL, is_square=True)
_lower = _of("LowerTriangular", _LOWER, is_non_singular=True)
_two = _of("FullMatrix", _TWO, is_non_singular=True)
_two_positive = _of("FullMatrix", _TWO_POSITIVE, **_DEFINITE)


def _times_its_adjoint(tf):
    lower = _lower(tf)
    return tf.linalg.LinearOperatorComposition([lower, lower.adjoint()])


# `(name, make)`: every operator is square and 3 wide, 4 or 6.
OPERATORS = (
    ("diag", _diag),
    ("diag-batch", _of("Diag", np.stack([_D, _D + 5]), is_non_singular=True)),
    ("diag-positive", _of("Diag", np.abs(_D), is_positive_definite=True)),
    ("full", _full),
    ("full-batch", _of("FullMatrix", _BATCH)),
    ("full-positive", _of("FullMatrix", POSITIVE, **_DEFINITE)),
    ("lower", _lower),
    ("lower-batch", _of("LowerTriangular", np.stack([_LOWER, _LOWER * 2]))),
    ("identity", _of("Identity", 3)),
    ("identity-batch", _of("Identity", 3, batch_shape=[2])),
    ("scaled", _of("ScaledIdentity", 3, np.float32(2.5))),
    ("scaled-batch", _of("ScaledIdentity", 3, np.float32([2.5, -1]))),
    ("zeros", _of("Zeros", 3)),
    ("composition", _over("Composition", _lower, _diag, is_square=True)),
    ("composition-adjoint", _times_its_adjoint),
    ("block-diag", _over("BlockDiag", _two, _positive_diag)),
    ("block-diag-positive", _over("BlockDiag", _two_positive, _positive_diag)),
    ("kronecker", _over("Kronecker", _two, _full)),
    ("kronecker-positive", _over("Kronecker", _two_positive, _positive_diag)),
    ("low-rank", lambda tf: _low_rank(tf)),
    ("low-rank-diag", lambda tf: _low_rank(tf, diag_update=np.float32([2, 0.5]))),
    (
        "low-rank-v",
        lambda tf: _low_rank(tf, _full(tf), v=_V, diag_update=np.float32([2, -0.5])),
    ),
    ("adjoint", lambda tf: tf.linalg.LinearOperatorAdjoint(_full(tf))),
    ("inversion", lambda tf: tf.linalg.LinearOperatorInversion(_lower(tf))),
    ("permutation", _of("Permutation", np.array([2, 0, 1], np.int32))),
    ("householder", _of("Householder", np.float32([1, 2, -0.5]))),
    ("toeplitz", _of("Toeplitz", np.float32([4, 1, 0.5]), np.float32([4, -1, 2]))),
    (
        "tridiag",
        _of("Tridiag", np.float32([[1, 1, 0], [4, 5, 4], [0, -1, 1]])),
    ),
    (
        "tridiag-sequence",
        _of(
            "Tridiag",
            [np.float32([1, 2, 0]), np.float32([4, 5, 4]), np.float32([0, -1, 1])],
            diagonals_format="sequence",
        ),
    ),
    ("tridiag-matrix", _of("Tridiag", _BANDED, diagonals_format="matrix")),
    (
        "block-lower",
        lambda tf: tf.linalg.LinearOperatorBlockLowerTriangular(
            [[_two(tf)], [tf.linalg.LinearOperatorFullMatrix(_U.T[:, :2]), _two_positive(tf)]]
        ),
    ),
)

# Methods without arguments; TensorFlow says which of them an operator has.
METHODS = (
    *("to_dense", "diag_part", "trace", "determinant", "log_abs_determinant", "eigvals", "cond"),
    *("shape_tensor", "batch_shape_tensor", "domain_dimension_tensor", "range_dimension_tensor"),
    *("tensor_rank_tensor", "assert_non_singular", "assert_positive_definite"),
    "assert_self_adjoint",
)
HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
