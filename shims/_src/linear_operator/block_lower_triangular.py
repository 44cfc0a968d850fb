"""Define `LinearOperatorBlockLowerTriangular`, a block lower triangular matrix of operators."""

from __future__ import annotations

import functools
import operator as python_operator

import jax
import jax.numpy as jnp

from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.block_diag import Blocks, stacked
from shims._src.linear_operator.full_matrix import LinearOperatorFullMatrix
from shims._src.linear_operator.hints import implied
from shims._src.linear_operator.several import joint_batch, operator_list


@jax.tree_util.register_pytree_node_class
class LinearOperatorBlockLowerTriangular(Blocks):
    """Operators on and below the diagonal, zeros above it.

    Args:
      operators: a list of rows of operators, with one operator in the first row, two operators in
        the second row, and so on.
      is_non_singular: whether the operator is known to be invertible; must be compatible with the
        hints of the diagonal operators.
      is_self_adjoint: whether the operator is known to be self-adjoint.
      is_positive_definite: whether the operator is known to be positive definite.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the rows or the sizes do not match, or a hint is wrong.
      TypeError: the dtypes differ.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorBlockLowerTriangular
    """

    _fields = ("_operators",)

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorBlockLowerTriangular",
    ):
        self._operators: list[list[LinearOperator]] = [list(row) for row in operators]
        given = operator_list(o for row in self._operators for o in row)
        self._check_rows()
        diagonal = self._diagonal_operators()
        known = implied(
            is_non_singular,
            all(o.is_non_singular for o in diagonal),
            "A blockwise lower-triangular operator with non-singular operators on the main "
            "diagonal is always non-singular.",
        )
        singular = any(o.is_non_singular is False for o in diagonal)
        if singular and is_non_singular:
            raise ValueError(
                "A blockwise lower-triangular operator with a singular operator on the main "
                "diagonal is always singular."
            )
        if is_square is False or any(o.is_square is False for o in diagonal):
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square, and so must the operators "
                "on its diagonal."
            )
        super().__init__(
            given[0].dtype,
            is_non_singular=False if singular else known,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters={"operators": operators},
        )

    def _check_rows(self):
        for i, row in enumerate(self._operators):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. "
                    f"Received: {len(row)} blocks."
                )
            heights = {o.range_dimension for o in row}
            widths = {(j, o.domain_dimension) for j, o in enumerate(row)}
            above = {(j, o.domain_dimension) for j, o in enumerate(self._operators[i - 1][:i])}
            if len(heights) > 1 or (i and not above <= widths):
                raise ValueError(f"The sizes of the blocks of `operators[{i}]` do not match.")

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The rows of operators."""
        return self._operators

    def _diagonal_operators(self):
        return [row[-1] for row in self._operators]

    def _sizes(self, columns):
        diagonal = self._diagonal_operators()
        return [o.domain_dimension if columns else o.range_dimension for o in diagonal]

    def _dims(self):
        n = sum(self._sizes(columns=True))
        return (*joint_batch([o for row in self._operators for o in row]), n, n)

    def _off_diagonal(self, j, adjoint):
        """Return the off-diagonal operators that contribute to block `j`, with their indices."""
        if adjoint:
            return [(i, self._operators[i][j]) for i in range(j + 1, len(self._operators))]
        return list(enumerate(self._operators[j][:-1]))

    def _matmul_blocks(self, blocks, adjoint):
        results = []
        for j, each in enumerate(self._diagonal_operators()):
            total = each.matmul(blocks[j], adjoint=adjoint)
            for i, other in self._off_diagonal(j, adjoint):
                total = total + other.matmul(blocks[i], adjoint=adjoint)
            results.append(total)
        return results

    def _solve_blocks(self, blocks, adjoint):
        diagonal = self._diagonal_operators()
        solutions = {}
        order = range(len(diagonal))
        for j in reversed(order) if adjoint else order:
            rest = blocks[j]
            for i, other in self._off_diagonal(j, adjoint):
                rest = rest - other.matmul(solutions[i], adjoint=adjoint)
            solutions[j] = diagonal[j].solve(rest, adjoint=adjoint)
        return [solutions[j] for j in order]

    def _linop_inverse(self):
        rows = []
        for i, row in enumerate(self._operators):
            last = row[-1].inverse()
            beside = []
            for j in range(i):
                products = [row[k].matmul(rows[k][j].to_dense()) for k in range(j, i)]
                total = functools.reduce(python_operator.add, products)
                beside.append(LinearOperatorFullMatrix(-last.matmul(total)))
            rows.append([*beside, last])
        return LinearOperatorBlockLowerTriangular(rows, **self._all_hints())

    def _determinant(self):
        values = (o.determinant() for o in self._diagonal_operators())
        return functools.reduce(python_operator.mul, values)

    def _log_abs_determinant(self):
        values = (o.log_abs_determinant() for o in self._diagonal_operators())
        return functools.reduce(python_operator.add, values)

    def _trace(self):
        return functools.reduce(
            python_operator.add, (o.trace() for o in self._diagonal_operators())
        )

    def _diag_part(self):
        return jnp.squeeze(
            stacked([o.diag_part()[..., None] for o in self._diagonal_operators()]), -1
        )

    def _eigvals(self):
        return jnp.squeeze(
            stacked([o.eigvals()[..., None] for o in self._diagonal_operators()]), -1
        )

    def _to_dense(self):
        *batch, n, _ = self._dims()
        rows = []
        for row in self._operators:
            blocks = [o.to_dense() for o in row]
            blocks = [jnp.broadcast_to(b, (*batch, *b.shape[-2:])) for b in blocks]
            width = sum(b.shape[-1] for b in blocks)
            rest = jnp.zeros((*batch, blocks[0].shape[-2], n - width), self.dtype)
            rows.append(jnp.concatenate([*blocks, rest], axis=-1))
        return jnp.concatenate(rows, axis=-2)

    def _assert_non_singular(self):
        for each in self._diagonal_operators():
            each.assert_non_singular()
