"""What the constructors and methods refuse is what TensorFlow refuses."""

import numpy as np
import pytest
import tensorflow

import shims
from tests.harness.outcomes import same_error

D = np.float32([1, -2])
M = np.float32([[1, 2], [3, 4]])
WIDE = np.ones((2, 3), np.float32)


def _kind(tf, name, *arguments, **hints):
    return getattr(tf.linalg, f"LinearOperator{name}")(*arguments, **hints)


CALLS = {
    "a scalar diagonal": lambda tf: _kind(tf, "Diag", np.float32(1)),
    "a real diagonal": lambda tf: _kind(tf, "Diag", D, is_self_adjoint=False),
    "a square diagonal": lambda tf: _kind(tf, "Diag", D, is_square=False),
    "integers": lambda tf: _kind(tf, "FullMatrix", M.astype(np.int32)),
    "a vector": lambda tf: _kind(tf, "FullMatrix", D),
    "a triangle of one axis": lambda tf: _kind(tf, "LowerTriangular", D),
    "a triangle that is not square": lambda tf: _kind(tf, "LowerTriangular", M, is_square=False),
    "definite but singular": lambda tf: _kind(
        tf, "FullMatrix", M, is_positive_definite=True, is_non_singular=False
    ),
    "invertible but not square": lambda tf: _kind(
        tf, "FullMatrix", M, is_non_singular=True, is_square=False
    ),
    "its own adjoint but not square": lambda tf: _kind(
        tf, "FullMatrix", M, is_self_adjoint=True, is_square=False
    ),
    "square after all": lambda tf: _kind(tf, "FullMatrix", M, is_square=False).is_square,
    "an identity without": lambda tf: _kind(tf, "Identity", 2, is_non_singular=False),
    "a negative size": lambda tf: _kind(tf, "Identity", -1),
    "half a row": lambda tf: _kind(tf, "Identity", 2.5),
    "a vector of sizes": lambda tf: _kind(tf, "Identity", [2]),
    "a scalar batch": lambda tf: _kind(tf, "Identity", 2, batch_shape=3),
    "a negative batch": lambda tf: _kind(tf, "Identity", 2, batch_shape=[-1]),
    "a scaled identity that is not square": lambda tf: _kind(
        tf, "ScaledIdentity", 2, np.float32(1), is_square=False
    ),
    "invertible zeros": lambda tf: _kind(tf, "Zeros", 2, is_non_singular=True),
    "wide zeros": lambda tf: _kind(tf, "Zeros", 2, 3),
    "definite zeros": lambda tf: _kind(tf, "Zeros", 2, is_positive_definite=True),
    "nothing composed": lambda tf: _kind(tf, "Composition", []),
    "blocks of nothing": lambda tf: _kind(tf, "BlockDiag", []),
    "dtypes": lambda tf: _kind(
        tf, "Composition", [_kind(tf, "Diag", D), _kind(tf, "Diag", D.astype(np.complex64))]
    ),
    "an inverse of zeros": lambda tf: _kind(tf, "Inversion", _kind(tf, "Zeros", 2)),
    "hints that contradict": lambda tf: _kind(
        tf, "Adjoint", _kind(tf, "Diag", D), is_self_adjoint=False
    ),
    "no order": lambda tf: _kind(tf, "Permutation", np.int32([0, 0])),
    "an order of floats": lambda tf: _kind(tf, "Permutation", D),
    "a definite reflection": lambda tf: _kind(tf, "Householder", D, is_positive_definite=True),
    "row and column": lambda tf: _kind(tf, "Toeplitz", D, np.float32([1, 2, 3])),
    "a format": lambda tf: _kind(tf, "Tridiag", M, diagonals_format="wide"),
    "rows of blocks": lambda tf: _kind(
        tf, "BlockLowerTriangular", [[_kind(tf, "Diag", D), _kind(tf, "Diag", D)]]
    ),
    "another dtype": lambda tf: _kind(tf, "Diag", D).matmul(tf.constant([[1], [2]])),
    "another size": lambda tf: _kind(tf, "Diag", D).matmul(tf.constant(WIDE.T)),
    "a vector of a different size": lambda tf: _kind(tf, "Diag", D).matvec(tf.constant([1.0])),
    "solving with zeros": lambda tf: _kind(tf, "Zeros", 2).solve(tf.constant(M)),
    "solving what is not square": lambda tf: _kind(tf, "FullMatrix", WIDE).solve(tf.constant(M)),
    "the determinant of a wide matrix": lambda tf: _kind(tf, "FullMatrix", WIDE).determinant(),
    "eigenvalues of any matrix": lambda tf: _kind(tf, "FullMatrix", M).eigvals(),
    "the inverse of a wide matrix": lambda tf: _kind(tf, "FullMatrix", WIDE).inverse(),
    "the inverse of zeros": lambda tf: _kind(tf, "Zeros", 2).inverse(),
    "the factor of any matrix": lambda tf: _kind(tf, "FullMatrix", M).cholesky(),
    "operators of other sizes": lambda tf: _kind(tf, "Diag", D).matmul(_kind(tf, "Identity", 3)),
    "singular": lambda tf: _kind(tf, "FullMatrix", np.ones((2, 2), np.float32)).solve(
        tf.constant(M)
    ),
    "a zero on the diagonal": lambda tf: _kind(
        tf, "Diag", np.float32([0, 1])
    ).assert_non_singular(),
    "a negative diagonal": lambda tf: _kind(tf, "Diag", D).assert_positive_definite(),
    "not its own adjoint": lambda tf: _kind(tf, "FullMatrix", M).assert_self_adjoint(),
    "not definite": lambda tf: _kind(
        tf, "FullMatrix", -M, is_self_adjoint=True
    ).assert_positive_definite(),
    "not known to be its own adjoint": lambda tf: _kind(
        tf, "FullMatrix", M
    ).assert_positive_definite(),
    "singular up to rounding": lambda tf: _kind(
        tf, "FullMatrix", np.ones((2, 2), np.float32)
    ).assert_non_singular(),
}


@pytest.mark.parametrize("name", CALLS)
def test_refused(name):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - TensorFlow decides the class
        CALLS[name](tensorflow)
    with pytest.raises(type(theirs.value) if _is_builtin(theirs.value) else Exception) as ours:
        CALLS[name](shims)
    assert same_error(ours.value, theirs.value)
    assert str(ours.value)


def _is_builtin(error):
    return type(error).__module__ == "builtins"


def test_after_the_call_of_a_function():
    @shims.function(input_signature=[shims.TensorSpec([None])])
    def run(x):
        o = shims.linalg.LinearOperatorDiag(x)
        o.assert_non_singular()
        return o.solvevec(x)

    assert np.allclose(run(D), 1)
    with pytest.raises(shims.InvalidArgumentError, match="Diagonal contained zero values"):
        run(np.float32([1, 0, 2]))
