"""The messages of refused matrices, whole; the same after the call of a function."""

import re

import jax
import numpy as np
import pytest
import tensorflow

import shims as tf
from tests.control_flow.messages import rendered

A = np.arange(6, dtype=np.float32).reshape(2, 3)
SINGULAR = np.array([[1, 2], [2, 4]], np.float32)
B = np.array([[1, 2], [3, 4]], np.float32)
NAN = np.array([[np.nan, 1], [1, 2]], np.float32)
V = np.ones(3, np.float32)

# Text of the error, and what raises it.
CALLS = {
    "not square": (
        lambda tf: tf.linalg.inv(A),
        "inv: `input` must contain square matrices.\n  Required: input.shape[-2] == input.shape[-1]\n  Received: "
        "input f32[2, 3]\n  At:",
    ),
    "rank": (
        lambda tf: tf.linalg.cholesky(V),
        "cholesky: `input` must be a matrix, or an array of matrices.\n"
        "  Required: rank 2 or more\n"
        "  Received: input f32[3]\n"
        "  At:",
    ),
    "inv": (
        lambda tf: tf.linalg.inv(SINGULAR),
        "inv: Input is not invertible.\n  Required: an invertible matrix\n  At:",
    ),
    "solve": (
        lambda tf: tf.linalg.solve(SINGULAR, B),
        "solve: Input matrix is not invertible.\n  Required: an invertible matrix\n  At:",
    ),
    "solve rows": (
        lambda tf: tf.linalg.solve(B, np.ones((3, 1), np.float32)),
        (
            "solve: the shapes of the operands do not match.\n  Required: matrix.shape[-2] == rhs.shape[-2]\n  "
            "Received: matrix f32[2, 2], rhs f32[3, 1]\n  At:"
        ),
    ),
    "solve leading axes": (
        lambda tf: tf.linalg.solve(B[None], B),
        (
            "solve: the shapes of the operands do not match.\n  Required: equal leading axes\n  Received: matrix "
            "f32[1, 2, 2], rhs f32[2, 2]\n  At:"
        ),
    ),
    "triangular leading axes": (
        lambda tf: tf.linalg.triangular_solve(np.stack([B, B]), np.stack([B, B, B])),
        (
            "triangular_solve: the leading axes do not broadcast.\n"
            "  Required: leading axes that broadcast\n"
            "  Received: f32[2, 2, 2], f32[3, 2, 2]\n"
            "  At:"
        ),
    ),
    "eigenvalues": (
        lambda tf: tf.linalg.eigh(NAN),
        "eigh: the eigenvalues could not be computed.\n  Required: matrices without NaN\n  At:",
    ),
    "no such diagonal": (
        lambda tf: tf.linalg.diag_part(A, k=3),
        "diag_part: there is no diagonal 3.\n"
        "  Required: -rows < k < columns\n"
        "  Received: k=(3, 3), input f32[2, 3]\n"
        "  At:",
    ),
    "order of diagonals": (
        lambda tf: tf.linalg.diag_part(A, k=(1, 0)),
        (
            "diag_part: the first diagonal of `k` is above the second diagonal.\n  Required: k[0] <= k[1]\n  "
            "Received: k=(1, 0)\n  At:"
        ),
    ),
    "alignment": (
        lambda tf: tf.linalg.diag_part(A, align="LEFT"),
        "diag_part: there is no alignment 'LEFT'.\n"
        "  Required: LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT, RIGHT_RIGHT\n"
        "  Received: align='LEFT'\n"
        "  At:",
    ),
    "diagonals": (
        lambda tf: tf.linalg.diag(A, k=(-1, 1)),
        (
            "diag: `diagonal` does not contain the diagonals that `k` selects.\n  Required: [..., 3, length]\n  "
            "Received: diagonal f32[2, 3]\n  At:"
        ),
    ),
    "size of diagonals": (
        lambda tf: tf.linalg.diag(V, num_rows=2),
        "diag: the diagonals of a matrix of this size have a different length.\n  Required: at least 3 rows and 3 "
        "columns, with exactly 3 rows or exactly 3 columns\n  Received: 2 rows, 3 columns\n  At:",
    ),
    "set_diag": (
        lambda tf: tf.linalg.set_diag(A, V),
        (
            "set_diag: the shape of `diagonal` does not match `input`.\n  Required: diagonal of shape (2,)\n  "
            "Received: diagonal f32[3], input f32[2, 3]\n  At:"
        ),
    ),
    "tensor_diag": (
        lambda tf: tf.linalg.tensor_diag(np.float32(1)),
        "tensor_diag: `diagonal` is a scalar.\n  Required: rank 1 or more\n  At:",
    ),
    "tensor_diag_part": (
        lambda tf: tf.linalg.tensor_diag_part(A),
        "tensor_diag_part: the second half of the axes does not repeat the first.\n"
        "  Required: input of shape [d, ..., e, d, ..., e]\n"
        "  Received: input f32[2, 3]\n"
        "  At:",
    ),
    "band": (
        lambda tf: tf.linalg.band_part(B, 3, 0),
        "band_part: `num_lower` is larger than the matrices.\n"
        "  Required: num_lower <= 2\n"
        "  Received: num_lower=3, input f32[2, 2]\n"
        "  At:",
    ),
    "three numbers of diagonals": (
        lambda tf: tf.linalg.diag_part(A, k=[0, 1, 2]),
        "diag_part: `k` contains 3 numbers.\n  Required: one number, or two numbers\n  Received: k=[0, 1, 2]\n  At:",
    ),
    "identity": (
        lambda tf: tf.eye(-1),
        "eye: `num_rows` is negative.\n  Required: num_rows >= 0\n  Received: num_rows=-1\n  At:",
    ),
    "trace": (
        lambda tf: tf.linalg.trace(V),
        "trace: `x` must be a matrix, or an array of matrices.\n"
        "  Required: rank 2 or more\n"
        "  Received: x f32[3]\n"
        "  At:",
    ),
    "sizes of an equation": (
        lambda tf: tf.einsum("ij,ij->i", A, A[:1]),
        "einsum: the axes with the label 'i' have different sizes.\n  Required: the same size at every occurrence "
        "of a label\n  Received: equation 'ij,ij->i', f32[2, 3], f32[1, 3]\n  At:",
    ),
    "axes of an equation": (
        lambda tf: tf.einsum("ijk->i", A),
        "einsum: the term 'ijk' of `equation` does not fit its operand.\n"
        "  Required: 3 axes\n"
        "  Received: equation 'ijk->i', operand f32[2, 3]\n"
        "  At:",
    ),
    "ellipsis of an equation": (
        lambda tf: tf.einsum("...i->i", A),
        (
            "einsum: the output of `equation` has no ellipsis, but an operand has axes that "
            "belong to an ellipsis.\n"
            "  Required: `...` in the result\n"
            "  Received: equation '...i->i', operand f32[2, 3]\n"
            "  At:"
        ),
    ),
    "cross": (
        lambda tf: tf.linalg.cross(A, V),
        "cross: the shapes differ.\n"
        "  Required: a.shape == b.shape\n"
        "  Received: a f32[2, 3], b f32[3]\n"
        "  At:",
    ),
    "lu_solve": (
        lambda tf: tf.linalg.lu_solve(B, np.array([0, 1], np.int32), A.T),
        (
            "lu_solve: the sizes of `lower_upper` and `rhs` do not match.\n  Required: lower_upper.shape[-1] == "
            "rhs.shape[-2]\n  Received: lower_upper f32[2, 2], rhs f32[3, 2]\n  At:"
        ),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_message(name):
    call, text = CALLS[name]
    with pytest.raises((tensorflow.errors.InvalidArgumentError, ValueError)):
        call(tensorflow)
    assert rendered(lambda: call(tf), tf.InvalidArgumentError) == text


def test_vectors_of_two():
    two = np.ones(2, np.float32)
    with pytest.raises(tensorflow.errors.FailedPreconditionError):
        tensorflow.linalg.cross(two, two)
    found = rendered(lambda: tf.linalg.cross(two, two), tf.errors.FailedPreconditionError)
    assert found == (
        "cross: cross products are defined for vectors of three elements.\n"
        "  Required: a.shape[-1] == 3\n"
        "  Received: a f32[2]\n"
        "  At:"
    )


def test_terms_of_an_equation():
    with pytest.raises(ValueError, match="2"):
        tensorflow.einsum("ij->i", A, A)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text follows
        tf.einsum("ij->i", A, A)
    assert str(caught.value) == "einsum: `equation` has 1 terms, but there are 2 operands."


def test_sizes_of_an_equation_after_the_call_of_a_function():
    spec = tf.TensorSpec([None, None])
    run = tf.function(lambda x, y: tf.einsum("ij,jk->ik", x, y), input_signature=[spec, spec])
    assert np.allclose(run(A, A.T), A @ A.T)
    with pytest.raises(tf.InvalidArgumentError, match="einsum: the sizes of two operands differ"):
        run(A, A)


def test_a_number_of_diagonals_is_no_float():
    with pytest.raises(TypeError) as caught:
        tf.linalg.band_part(B, 1.0, 0)
    assert str(caught.value) == "band_part: `num_lower` is a number of diagonals, received 1.0."


def test_columns_that_depend_on_each_other():
    found = rendered(lambda: tf.linalg.lstsq(SINGULAR, B), tf.InvalidArgumentError)
    assert found == (
        "lstsq: `matrix` does not have full rank.\n"
        "  Required: linearly independent columns, or linearly independent rows if there are "
        "fewer rows\n"
        "  At:\n"
        "  Do:       pass `fast=False`, or a larger `l2_regularizer`"
    )


@pytest.mark.parametrize("name", ["inv", "lu", "eigh"])
def test_after_the_call_of_a_function(name):
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def run(x):
        return getattr(tf.linalg, name)(x)

    run(B)
    with pytest.raises(tf.InvalidArgumentError, match=rf"^{name}: "):
        run(NAN if name == "eigh" else SINGULAR)


def test_the_gradient_of_a_determinant_that_is_0():
    with pytest.raises(tf.InvalidArgumentError, match=re.escape("det: Input is not invertible.")):
        jax.grad(tf.linalg.det)(tf.constant(SINGULAR))
    tf.linalg.det(SINGULAR)
    slope = tf.function(jax.grad(tf.linalg.det), input_signature=[tf.TensorSpec([None, None])])
    with pytest.raises(tf.InvalidArgumentError, match=re.escape("det: Input is not invertible.")):
        slope(SINGULAR)
