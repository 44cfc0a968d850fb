"""Define `LinearOperatorCirculant`, whose matrix rows are each the previous row, rotated by one."""

from __future__ import annotations

import functools
import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.operands import describe, operand
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import implied
from shims._src.math.over_axes import largest, product_over, smallest
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_shape import TensorShape


@jax.tree_util.register_pytree_node_class
class LinearOperatorCirculant(LinearOperator):
    """A circulant matrix, or a batch of them, given by its eigenvalues.

    Args:
      spectrum: the discrete Fourier transform of the first column, `[..., n]`.
      input_output_dtype: the dtype of arguments and results of the operator.
      is_non_singular: whether the spectrum is known to be nonzero.
      is_self_adjoint: whether the spectrum is known to be real; True for real arrays.
      is_positive_definite: whether the real part of the spectrum is known to be positive.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the spectrum is a scalar, or a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperator`. Products, quotients, adjoints and inverses keep the dtype; in TensorFlow
      they are complex64. A real operator supports `solve` too.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorCirculant
    """

    _fields = ("_spectrum",)
    _depth = 1

    def __init__(
        self,
        spectrum,
        input_output_dtype=np.complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant",
    ):
        self._spectrum: Any = operand(spectrum)
        if self._spectrum.ndim < self._depth:
            raise ValueError(
                f"Argument spectrum must have at least {self._depth} dimensions.  "
                f"Found: {describe(self._spectrum)}"
            )
        is_self_adjoint = implied(
            is_self_adjoint,
            not jnp.iscomplexobj(self._spectrum),
            "A real spectrum always corresponds to a self-adjoint operator.",
        )
        super().__init__(
            array_dtype(input_output_dtype, name),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters={"spectrum": spectrum, "input_output_dtype": input_output_dtype},
        )

    @property
    def spectrum(self):
        """The eigenvalues."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of axes of the spectrum of one matrix."""
        return self._depth

    @property
    def block_shape(self):
        """The sizes of the blocks; their product is the size of the matrix."""
        return TensorShape(self._blocks())

    def _blocks(self):
        return self._spectrum.shape[self._spectrum.ndim - self._depth :]

    def _batch(self):
        return self._spectrum.shape[: self._spectrum.ndim - self._depth]

    def _block_axes(self, x):
        """Return the last axes of `x`, one per axis of the spectrum of a matrix."""
        return tuple(range(x.ndim - self._depth, x.ndim))

    def _dims(self):
        n = functools.reduce(operator.mul, self._blocks())
        return (*self._batch(), n, n)

    def _complex(self):
        wide = self._spectrum.dtype in (np.float64, np.complex128)
        return self._spectrum.astype(jnp.complex128 if wide else jnp.complex64)

    def _drop_imaginary(self, x):
        """Return the real part of a result if the operator is real; otherwise cast it to its dtype."""
        return x.astype(self.dtype) if jnp.issubdtype(self.dtype, jnp.complexfloating) else x.real

    def _multiply_transform(self, x, factor):
        """Multiply the Fourier transform of the columns of `x` by a factor, and transform back."""
        if self._depth > 1:
            x = x.reshape((*x.shape[:-2], *self._blocks(), x.shape[-1]))
        axes = tuple(range(-self._depth - 1, -1))
        waves = jnp.fft.fftn(x.astype(factor.dtype), axes=axes)
        out = self._drop_imaginary(jnp.fft.ifftn(factor[..., None] * waves, axes=axes)).astype(
            self.dtype
        )
        return (
            out
            if self._depth == 1
            else out.reshape((*out.shape[: -self._depth - 1], -1, out.shape[-1]))
        )

    def _factor(self, adjoint):
        spectrum = self._complex()
        return jnp.conj(spectrum) if adjoint else spectrum

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._multiply_transform(turned(x) if adjoint_arg else x, self._factor(adjoint))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = turned(rhs) if adjoint_arg else rhs
        return self._multiply_transform(rhs, 1 / self._factor(adjoint))

    def convolution_kernel(self, name="convolution_kernel"):
        """Return the first column, `[..., n]`."""
        spectrum = self._complex()
        return self._drop_imaginary(
            jnp.fft.ifftn(spectrum, axes=self._block_axes(spectrum))
        ).astype(self.dtype)

    def _determinant(self):
        spectrum = self._complex()
        return self._drop_imaginary(product_over(spectrum, self._block_axes(spectrum))).astype(
            self.dtype
        )

    def _log_abs_determinant(self):
        logs = jnp.sum(jnp.log(jnp.abs(self._spectrum)), axis=self._block_axes(self._spectrum))
        return logs.astype(self.dtype)

    def _trace(self):
        spectrum = self._complex()
        return self._drop_imaginary(jnp.sum(spectrum, axis=self._block_axes(spectrum))).astype(
            self.dtype
        )

    def _diag_part(self):
        spectrum = self._complex()
        mean = self._drop_imaginary(jnp.mean(spectrum, axis=self._block_axes(spectrum))).astype(
            self.dtype
        )
        return jnp.broadcast_to(mean[..., None], self._dims()[:-1])

    def _eigvals(self):
        return self._spectrum.reshape(self._dims()[:-1])

    def _cond(self):
        size, last = jnp.abs(self._spectrum), self._block_axes(self._spectrum)
        return (largest(size, last) / smallest(size, last)).astype(self.dtype)

    def _with_spectrum(self, spectrum, **hints):
        return type(self)(spectrum, self.dtype, **hints)

    def _linop_adjoint(self):
        return self._with_spectrum(jnp.conj(self._spectrum), **self._all_hints())

    def _linop_inverse(self):
        return self._with_spectrum(1 / self._spectrum, **self._all_hints())

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """Raise `InvalidArgumentError` if the spectrum is not that of a real matrix."""
        precision = jnp.finfo(self._spectrum.dtype).eps
        axes = self._block_axes(self._spectrum)
        tolerance = 4 * precision * jnp.max(jnp.abs(self._spectrum), axis=axes, keepdims=True)
        mirrored = jnp.roll(jnp.flip(self._spectrum, axes), (1,) * self._depth, axes)
        self._refuse(
            jnp.abs(self._spectrum - jnp.conj(mirrored)) > tolerance, "Spectrum was not Hermitian"
        )

    def _assert_non_singular(self):
        self._refuse(self._spectrum == 0, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self):
        self._refuse(
            ~(jnp.real(self._spectrum) > 0),
            "Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self):
        self._refuse(
            jnp.imag(self._spectrum) != 0,
            "Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )


@jax.tree_util.register_pytree_node_class
class LinearOperatorCirculant2D(LinearOperatorCirculant):
    """A circulant matrix of circulant blocks, or a batch of them.

    Args:
      spectrum: the discrete Fourier transform of the first column as a block, `[..., n, m]`.
      input_output_dtype: the dtype of arguments and results of the operator.
      is_non_singular: whether the spectrum is known to be nonzero.
      is_self_adjoint: whether the spectrum is known to be real; True for real arrays.
      is_positive_definite: whether the real part of the spectrum is known to be positive.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the spectrum has fewer than 2 axes, or a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperatorCirculant`.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorCirculant2D
    """

    _depth = 2

    def __init__(
        self,
        spectrum,
        input_output_dtype=np.complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant2D",
    ):
        super().__init__(
            spectrum,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )


@jax.tree_util.register_pytree_node_class
class LinearOperatorCirculant3D(LinearOperatorCirculant):
    """A circulant matrix of circulant blocks of circulant blocks, or a batch of them.

    Args:
      spectrum: the discrete Fourier transform of the first column as a block, `[..., n, m, k]`.
      input_output_dtype: the dtype of arguments and results of the operator.
      is_non_singular: whether the spectrum is known to be nonzero.
      is_self_adjoint: whether the spectrum is known to be real; True for real arrays.
      is_positive_definite: whether the real part of the spectrum is known to be positive.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the spectrum has fewer than 3 axes, or a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperatorCirculant`.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorCirculant3D
    """

    _depth = 3

    def __init__(
        self,
        spectrum,
        input_output_dtype=np.complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant3D",
    ):
        super().__init__(
            spectrum,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )
