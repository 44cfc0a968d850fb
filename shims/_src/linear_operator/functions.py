"""What functions of matrices give for a linear operator, by the name of the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator


def apply(function, name: str, args, kwargs, error):
    """A function of matrices called with an operator in the place of an array.

    Raises:
      CompositeOperandError: `error`, where TensorFlow's takes none.
      ValueError: the arguments beside the operator are not offered.
    """
    method = _METHODS.get(name)
    if method is None:
        raise error
    given = inspect.signature(function).bind(*args, **kwargs)
    given.apply_defaults()
    return method(**{k: v for k, v in given.arguments.items() if k != "name"})


def takes(args, kwargs) -> bool:
    """Whether an operator is among the arguments."""
    return any(isinstance(x, LinearOperator) for x in (*args, *kwargs.values()))


def _matmul(
    a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, a_is_sparse, b_is_sparse, **ignored
):
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return turned(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def _solve(matrix, rhs, adjoint):
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported."
        )
    return matrix.solve(rhs, adjoint=adjoint)


def _inv(input, adjoint):
    inverse = input.inverse()
    return inverse.adjoint() if adjoint else inverse


def _logdet(matrix):
    if matrix.is_positive_definite and matrix.is_self_adjoint:
        return matrix.log_abs_determinant()
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


_METHODS: dict[str, Callable] = {
    "adjoint": lambda matrix: matrix.adjoint(),
    "cholesky": lambda input: input.cholesky(),
    "det": lambda input: input.determinant(),
    "diag_part": lambda input, **ignored: input.diag_part(),
    "inv": _inv,
    "logdet": _logdet,
    "matmul": _matmul,
    "solve": _solve,
    "trace": lambda x: x.trace(),
}
