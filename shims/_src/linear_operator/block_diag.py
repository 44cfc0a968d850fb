"""Define `LinearOperatorBlockDiag`, a block diagonal matrix of operators."""

from __future__ import annotations

import functools
import itertools
import operator as python_operator

import jax
import jax.numpy as jnp

from shims._src.arguments.operands import operand
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import implied
from shims._src.linear_operator.several import joint_batch, operator_list


def is_blockwise(x) -> bool:
    """Return whether an argument is a list of blocks, as opposed to nested lists of numbers."""
    return isinstance(x, (list, tuple)) and all(
        hasattr(block, "shape") and len(block.shape) for block in x
    )


def blocks_of(x, sizes, axis):
    """Split an array into blocks of given sizes."""
    ends = list(itertools.accumulate(sizes))
    starts = [0, *ends[:-1]]
    x = jnp.moveaxis(x, axis, 0)
    return [jnp.moveaxis(x[a:b], 0, axis) for a, b in zip(starts, ends, strict=True)]


def stacked(blocks):
    """Stack blocks of matrices vertically."""
    batch = jnp.broadcast_shapes(*(b.shape[:-2] for b in blocks))
    blocks = [jnp.broadcast_to(b, (*batch, *b.shape[-2:])) for b in blocks]
    return jnp.concatenate(blocks, axis=-2)


class Blocks(LinearOperator):
    """A base class of block operators, whose methods also accept lists of blocks."""

    def _sizes(self, columns: bool) -> list:
        """Return the number of columns of each block if `columns`, else the number of rows."""
        raise NotImplementedError

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """Multiply by matrices `x`, `[..., m, k]`, by a list of their blocks, or by an operator."""
        if not is_blockwise(x):
            return super().matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        blocks = [operand(b, self.dtype) for b in x]
        blocks = [turned(b) for b in blocks] if adjoint_arg else blocks
        self._check_blocks(blocks, self._sizes(columns=not adjoint))
        return self._matmul_blocks(blocks, adjoint)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """Solve `operator @ x = rhs` for `x`; `rhs` is an array, a list of its blocks, or an operator."""
        if not is_blockwise(rhs):
            return super().solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        self._check_solvable()
        blocks = [operand(b, self.dtype) for b in rhs]
        blocks = [turned(b) for b in blocks] if adjoint_arg else blocks
        self._check_blocks(blocks, self._sizes(columns=adjoint))
        return self._solve_blocks(blocks, adjoint)

    def _check_blocks(self, blocks, sizes):
        if len(blocks) != len(sizes) or any(
            b.shape[-2] != n for b, n in zip(blocks, sizes, strict=False)
        ):
            raise ValueError(
                f"Blocks are incompatible. Expected sizes {sizes}, "
                f"but got {[b.shape[-2] for b in blocks]}."
            )

    def matvec(self, x, adjoint=False, name="matvec"):
        """Multiply by vectors `x`, `[..., m]`, or by a list of their blocks."""
        if not is_blockwise(x):
            return super().matvec(x, adjoint=adjoint)
        columns = [operand(b, self.dtype)[..., None] for b in x]
        return [jnp.squeeze(y, -1) for y in self.matmul(columns, adjoint=adjoint)]

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """Solve `operator @ x = rhs` for vectors `x`; `rhs` is `[..., n]`, or a list of its blocks."""
        if not is_blockwise(rhs):
            return super().solvevec(rhs, adjoint=adjoint)
        columns = [operand(b, self.dtype)[..., None] for b in rhs]
        return [jnp.squeeze(y, -1) for y in self.solve(columns, adjoint=adjoint)]

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = turned(x) if adjoint_arg else x
        blocks = blocks_of(x, self._sizes(columns=not adjoint), -2)
        return stacked(self._matmul_blocks(blocks, adjoint))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = turned(rhs) if adjoint_arg else rhs
        blocks = blocks_of(rhs, self._sizes(columns=adjoint), -2)
        return stacked(self._solve_blocks(blocks, adjoint))

    def _matmul_blocks(self, blocks, adjoint):
        raise NotImplementedError

    def _solve_blocks(self, blocks, adjoint):
        raise NotImplementedError


@jax.tree_util.register_pytree_node_class
class LinearOperatorBlockDiag(Blocks):
    """Operators along the diagonal, zeros everywhere else.

    Args:
      operators: a list of operators of the same dtype.
      is_non_singular: whether the operator is known to be invertible.
      is_self_adjoint: whether the operator is known to be self-adjoint.
      is_positive_definite: whether the operator is known to be positive definite.
      is_square: whether the operator is known to be square.
      name: the name of the operator.

    Raises:
      ValueError: the list is empty, or a hint is wrong.
      TypeError: the dtypes differ.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorBlockDiag
    """

    _fields = ("_operators",)

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name=None,
    ):
        self._operators: list[LinearOperator] = operator_list(operators)
        given = self._operators
        words = "The direct sum of {0} operators is always {0}."
        super().__init__(
            given[0].dtype,
            is_non_singular=implied(
                is_non_singular,
                all(o.is_non_singular for o in given),
                words.format("non-singular"),
            ),
            is_self_adjoint=implied(
                is_self_adjoint, all(o.is_self_adjoint for o in given), words.format("self-adjoint")
            ),
            is_positive_definite=implied(
                is_positive_definite,
                all(o.is_positive_definite for o in given),
                words.format("positive definite"),
            ),
            is_square=is_square,
            name="_ds_".join(o.name for o in given) if name is None else name,
            parameters={"operators": operators},
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators along the diagonal."""
        return self._operators

    def _sizes(self, columns):
        return [o.domain_dimension if columns else o.range_dimension for o in self._operators]

    def _dims(self):
        rows, columns = sum(self._sizes(columns=False)), sum(self._sizes(columns=True))
        return (*joint_batch(self._operators), rows, columns)

    def _matmul_blocks(self, blocks, adjoint):
        pairs = zip(self._operators, blocks, strict=True)
        return [o.matmul(b, adjoint=adjoint) for o, b in pairs]

    def _solve_blocks(self, blocks, adjoint):
        pairs = zip(self._operators, blocks, strict=True)
        return [o.solve(b, adjoint=adjoint) for o, b in pairs]

    def _determinant(self):
        values = (o.determinant() for o in self._operators)
        return functools.reduce(python_operator.mul, values)

    def _log_abs_determinant(self):
        values = (o.log_abs_determinant() for o in self._operators)
        return functools.reduce(python_operator.add, values)

    def _check_square_blocks(self, what):
        if not all(o.is_square for o in self._operators):
            raise NotImplementedError(
                f"`{what}` not implemented for an operator whose blocks are not square."
            )

    def _diag_part(self):
        self._check_square_blocks("diag_part")
        return jnp.squeeze(stacked([o.diag_part()[..., None] for o in self._operators]), -1)

    def _trace(self):
        self._check_square_blocks("trace")
        return functools.reduce(python_operator.add, (o.trace() for o in self._operators))

    def _eigvals(self):
        self._check_square_blocks("eigvals")
        return jnp.squeeze(stacked([o.eigvals()[..., None] for o in self._operators]), -1)

    def _to_dense(self):
        blocks, before, rows = [o.to_dense() for o in self._operators], 0, []
        width = self.domain_dimension
        for block in blocks:
            after = width - before - block.shape[-1]
            sides = [(0, 0)] * (block.ndim - 1) + [(before, after)]
            rows.append(jnp.pad(block, sides))
            before += block.shape[-1]
        return stacked(rows)

    def _linop_adjoint(self):
        return LinearOperatorBlockDiag([o.adjoint() for o in self._operators], **self._all_hints())

    def _linop_inverse(self):
        return LinearOperatorBlockDiag([o.inverse() for o in self._operators], **self._all_hints())

    def _linop_cholesky(self):
        factors = [o.cholesky() for o in self._operators]
        return LinearOperatorBlockDiag(factors, is_non_singular=True, is_square=True)

    def _assert_non_singular(self):
        for each in self._operators:
            each.assert_non_singular()

    def _assert_positive_definite(self):
        for each in self._operators:
            each.assert_positive_definite()

    def _assert_self_adjoint(self):
        for each in self._operators:
            each.assert_self_adjoint()
