"""Define `LinearOperator`, the base class of all linear operators."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, is_array, operand
from shims._src.errors import errors
from shims._src.linear_operator import functions
from shims._src.linear_operator.defaults import Defaults
from shims._src.linear_operator.delegates import DELEGATES
from shims._src.linear_operator.hints import Hints
from shims._src.platform import jax_private as jp
from shims._src.sizes.primitives import as_size
from shims._src.types.composite import Composite, OperatorCall
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_shape import TensorShape


class LinearOperator(Defaults, Composite):
    """A matrix, or a batch of matrices, that is defined by its products.

    A custom operator is a subclass with `_shape` and `_matmul`; all other methods have defaults,
    which may be slow.

    Args:
      dtype: the dtype of the matrices.
      graph_parents: ignored.
      is_non_singular: whether the matrices are known to be invertible.
      is_self_adjoint: whether the matrices are known to be equal to their adjoints.
      is_positive_definite: whether `x^H A x` is known to have a positive real part for all `x`.
      is_square: whether the matrices are known to be square.
      name: the name of the operator.
      parameters: the arguments of the subclass's constructor.

    Raises:
      ValueError: the hints contradict each other.

    Differs from TensorFlow:
      Operators are pytrees of their arrays. Dimensions are numbers, not `Dimension` objects.
      Methods that assert return `None`. Batches cannot be indexed. Names are not checked.

    Under jit:
      Sizes may be known only at run time where the subclass documents it.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperator
    """

    # Attributes that hold arrays or operators, and those that hold plain data.
    _fields: tuple[str, ...] = ()
    _statics: tuple[str, ...] = ()

    __module__ = "shims.linalg"

    def __init_subclass__(cls, **kwargs):
        """Set `__module__` of this package's subclasses to that of the class in TensorFlow."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("shims._src."):
            cls.__module__ = "shims.linalg"

    def __init__(
        self,
        dtype,
        graph_parents=None,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
        parameters=None,
    ):
        given = Hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._hints = given.completed()
        self._dtype = np.dtype(array_dtype(dtype, "LinearOperator"))
        self._name = name or type(self).__name__
        self._parameters = dict(parameters or {})

    def tree_flatten(self):
        """Flatten for JAX: arrays and operators are children; hints, names and numbers are static."""
        plain = (self._hints, self._dtype, self._name, *(getattr(self, s) for s in self._statics))
        return tuple(getattr(self, f) for f in self._fields), plain

    @classmethod
    def tree_unflatten(cls, plain, children):
        """Rebuild an operator from `tree_flatten`, without checks."""
        out = object.__new__(cls)
        out._hints, out._dtype, out._name, *rest = plain
        for name, value in zip((*cls._fields, *cls._statics), (*children, *rest), strict=True):
            setattr(out, name, value)
        out._parameters = {f.lstrip("_"): getattr(out, f) for f in (*cls._fields, *cls._statics)}
        return out

    def __shims_call__(self, call: OperatorCall):
        return functions.call_function(self, call)

    # ---- properties ------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return dict(self._parameters)

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the matrices."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self._name

    @property
    def is_non_singular(self) -> bool | None:
        """Whether the matrices are known to be invertible."""
        return self._hints.non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether the matrices are known to be self-adjoint."""
        return self._hints.self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether the matrices are known to be positive definite."""
        return self._hints.positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether the matrices are square; `None` if a size is not known and no hint says so.

        Raises:
          ValueError: the hint is False, but the matrices are square.
        """
        if self._hints.square:
            return True
        rows, columns = self._dims()[-2:]
        known = is_known(rows) and is_known(columns)
        square = is_known(rows) == is_known(columns) and bool(rows == columns)
        if not square and not known:
            return self._hints.square
        if self._hints.square is False and square:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return square

    def _shape(self) -> TensorShape:
        raise NotImplementedError("_shape is not implemented.")

    def _dims(self) -> tuple:
        """Return the shape as a tuple of numbers and symbolic sizes."""
        return tuple(self._shape())

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrices, `[..., n, m]`."""
        return TensorShape(self._dims())

    @property
    def batch_shape(self) -> TensorShape:
        """The sizes of the leading axes."""
        return TensorShape(self._dims()[:-2])

    @property
    def tensor_rank(self) -> int:
        """The number of axes."""
        return len(self._dims())

    @property
    def domain_dimension(self):
        """The number of columns."""
        return self._dims()[-1]

    @property
    def range_dimension(self):
        """The number of rows."""
        return self._dims()[-2]

    def shape_tensor(self, name="shape_tensor"):
        """Return the shape as an int32 vector."""
        return _dims_as_vector(self._dims())

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """Return the sizes of the leading axes as an int32 vector."""
        return _dims_as_vector(self._dims()[:-2])

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        """Return the number of axes as an int32 scalar."""
        return jnp.asarray(self.tensor_rank, jnp.int32)

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        """Return the number of columns as an int32 scalar."""
        return as_size(self.domain_dimension)

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        """Return the number of rows as an int32 scalar."""
        return as_size(self.range_dimension)

    # ---- products and solutions ------------------------------------------------------------------

    def _convert_argument(self, x, own, axis, *, name="x"):
        """Convert an argument to an array; its size along `axis` must equal that of axis `own`."""
        if is_array(x) and x.dtype != self.dtype:
            raise errors.DtypeMismatchError(
                errors.message(
                    self.name,
                    f"`{name}` does not have the dtype of the operator.",
                    required=self.dtype.name,
                    received=f"{name} {describe(x)}",
                )
            )
        x = operand(x, self.dtype)
        have, want = x.shape[axis], self._dims()[own]
        if is_known(have) and is_known(want) and have != want:
            raise checks.invalid(
                self.name,
                f"`{name}` has the wrong size.",
                required=f"{name}.shape[{axis}] == {want}",
                received=f"{name} {describe(x)}",
            )
        return x

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """Multiply by matrices `x`, `[..., m, k]`, or by another operator."""
        if isinstance(x, LinearOperator):
            return DELEGATES.product(*self._pair(x, adjoint, adjoint_arg))
        x = self._convert_argument(x, -2 if adjoint else -1, -1 if adjoint_arg else -2)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _pair(self, other, adjoint, adjoint_arg):
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        sizes = (left.domain_dimension, right.range_dimension)
        if all(map(is_known, sizes)) and sizes[0] != sizes[1]:
            raise ValueError(
                f"Operators are incompatible. Expected `x` to have dimension {sizes[0]} "
                f"but got {sizes[1]}."
            )
        return left, right

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x, adjoint=False, name="matvec"):
        """Multiply by vectors `x`, `[..., m]`."""
        return self._matvec(self._convert_argument(x, -2 if adjoint else -1, -1), adjoint=adjoint)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """Solve `operator @ x = rhs` for `x`; `rhs` is `[..., n, k]` or another operator.

        Raises:
          NotImplementedError: the operator is known not to be square, or to be singular.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            return DELEGATES.quotient(*self._pair(rhs, adjoint, adjoint_arg))
        own, axis = -1 if adjoint else -2, -1 if adjoint_arg else -2
        rhs = self._convert_argument(rhs, own, axis, name="rhs")
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_solvable(self):
        for hint, fault in (
            (self.is_non_singular, "be singular"),
            (self.is_square, "not be square"),
        ):
            if hint is False:
                raise NotImplementedError(
                    f"Exact solve not implemented for an operator that is expected to {fault}."
                )

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """Solve `operator @ x = rhs` for vectors `x`; `rhs` is `[..., n]`."""
        return self._solvevec(
            self._convert_argument(rhs, -1 if adjoint else -2, -1, name="rhs"), adjoint=adjoint
        )

    # ---- scalars ---------------------------------------------------------------------------------

    def _check_square(self):
        if self.is_square is False:
            raise NotImplementedError(
                "Determinant not implemented for an operator that is expected to not be square."
            )

    def determinant(self, name="det"):
        """Compute the determinant, `[...]`.

        Raises:
          NotImplementedError: the matrices are not square.
        """
        self._check_square()
        return self._determinant()

    def log_abs_determinant(self, name="log_abs_det"):
        """Compute the logarithm of the absolute value of the determinant, `[...]`.

        Raises:
          NotImplementedError: the matrices are not square.
        """
        self._check_square()
        return self._log_abs_determinant()

    def trace(self, name="trace"):
        """Compute the sum of the diagonal, `[...]`."""
        return self._trace()

    def eigvals(self, name="eigvals"):
        """Compute the eigenvalues, `[..., n]`.

        Raises:
          NotImplementedError: the operator is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def cond(self, name="cond"):
        """Compute the condition number, `[...]`."""
        return self._cond()

    # ---- arrays ----------------------------------------------------------------------------------

    def to_dense(self, name="to_dense"):
        """Return the matrices as an array `[..., n, m]`."""
        return self._to_dense()

    def diag_part(self, name="diag_part"):
        """Return the diagonal, `[..., min(n, m)]`."""
        return self._diag_part()

    def add_to_tensor(self, x, name="add_to_tensor"):
        """Add the matrices to an array."""
        return self._add_to_tensor(operand(x, self.dtype))

    # ---- operators -------------------------------------------------------------------------------

    def adjoint(self, name="adjoint"):
        """Return the conjugate transpose as an operator."""
        return self if self.is_self_adjoint is True else self._linop_adjoint()

    H = property(adjoint)

    def inverse(self, name="inverse"):
        """Return the inverse as an operator.

        Raises:
          ValueError: the operator is known not to be square, or to be singular.
        """
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        return self._linop_inverse()

    def cholesky(self, name="cholesky"):
        """Return the Cholesky factor as an operator.

        Raises:
          ValueError: the operator is not known to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        return self._linop_cholesky()

    def _all_hints(self) -> dict[str, bool | None]:
        """Return the hints as keyword arguments of a constructor."""
        return keywords(self._hints._replace(square=self.is_square))

    # ---- assertions ------------------------------------------------------------------------------

    def assert_non_singular(self, name="assert_non_singular"):
        """Raise `InvalidArgumentError` if a matrix is not invertible."""
        self._assert_non_singular()

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raise `InvalidArgumentError` if a matrix is not positive definite."""
        self._assert_positive_definite()

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """Raise `InvalidArgumentError` if a matrix is not exactly self-adjoint."""
        self._assert_self_adjoint()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} shape={self.shape} dtype={self.dtype.name}>"


def keywords(hints: Hints) -> dict[str, bool | None]:
    """Convert hints to keyword arguments of a constructor."""
    return {f"is_{name}": value for name, value in hints._asdict().items()}


def _dims_as_vector(dims):
    if any(map(jp.is_symbolic, dims)):
        return jnp.stack([as_size(d) for d in dims])
    return jnp.asarray(dims, jnp.int32)
