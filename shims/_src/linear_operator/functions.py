"""Map matrix functions to the methods of linear operators that implement them."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from shims._src.linalg.matrix_operands import turned
from shims._src.types.composite import OperatorCall


def call_function(operator, call: OperatorCall):
    """Evaluate a matrix function that was called with a linear operator instead of an array.

    Args:
      operator: the first linear operator among the arguments.
      call: the name and the arguments of the call.

    Returns:
      The result; `NotImplemented` if TensorFlow's function does not accept a linear operator.

    Raises:
      ValueError: the other arguments are not supported with a linear operator.
    """
    method = _METHODS.get(call.name)
    if method is None:
        return NotImplemented
    given = inspect.signature(call.operator).bind(*call.args, **call.kwargs)
    given.apply_defaults()
    return method(operator, **{k: v for k, v in given.arguments.items() if k != "name"})


def _matmul(
    operator,
    a,
    b,
    transpose_a,
    transpose_b,
    adjoint_a,
    adjoint_b,
    a_is_sparse,
    b_is_sparse,
    **ignored,
):
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if a is operator:
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return turned(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def _solve(operator, matrix, rhs, adjoint):
    if matrix is not operator:
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported."
        )
    return matrix.solve(rhs, adjoint=adjoint)


def _inv(operator, input, adjoint):
    inverse = operator.inverse()
    return inverse.adjoint() if adjoint else inverse


def _logdet(operator, matrix):
    if operator.is_positive_definite and operator.is_self_adjoint:
        return operator.log_abs_determinant()
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


_METHODS: dict[str, Callable] = {
    "adjoint": lambda operator, matrix: operator.adjoint(),
    "cholesky": lambda operator, input: operator.cholesky(),
    "det": lambda operator, input: operator.determinant(),
    "diag_part": lambda operator, input, **ignored: operator.diag_part(),
    "inv": _inv,
    "logdet": _logdet,
    "matmul": _matmul,
    "solve": _solve,
    "trace": lambda operator, x: operator.trace(),
}
