"""Compute products of matrices, and norms."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks, contracted_pairs
from shims._src.arguments.checks import axes_of, is_known
from shims._src.arguments.equations import agreeing_operands
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import describe, matching, meeting, operand
from shims._src.elementwise.elementwise import inverse_root, larger, magnitude, square_root
from shims._src.errors import errors
from shims._src.linalg.matrix_operands import check_rank, without_infinities
from shims._src.math.over_axes import largest
from shims._src.recording.indexed_slices import values_of
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype

_BYTES = (np.dtype(np.int8), np.dtype(np.uint8))


@operator(compiled=True)
def matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    grad_a=False,
    grad_b=False,
    name=None,
):
    """Multiply matrices, with broadcasting of leading axes.

    Args:
      a: array `[..., n, k]`.
      b: array `[..., k, m]` of the same dtype; leading axes broadcast.
      transpose_a: whether to swap the last two axes of `a` first.
      transpose_b: whether to swap the last two axes of `b` first.
      adjoint_a: whether to swap the last two axes of `a` and to take the complex conjugate.
      adjoint_b: whether to swap the last two axes of `b` and to take the complex conjugate.
      a_is_sparse: ignored.
      b_is_sparse: ignored.
      output_type: the dtype of the result. It must be int32 if both operands are int8 or uint8;
        otherwise, it may only be the dtype of the operands, which is the default.
      grad_a: ignored.
      grad_b: ignored.
      name: ignored.

    Returns:
      An array of shape `[..., n, m]`.

    Raises:
      InvalidArgumentError: the dtypes differ, or the shapes of the matrices do not match.
      ValueError: a matrix is both transposed and adjoint.

    Differs from TensorFlow:
      A bfloat16 and a float32 matrix cannot be multiplied; TensorFlow multiplies them in float32.

    Under jit:
      Sizes that are known only at run time are checked for equality; masked elements are ignored.

    Example:
      >>> import shims
      >>> print(shims.matmul([[1.0, 2.0]], [[3.0], [4.0]]))
      [[11.]]

    https://www.tensorflow.org/api_docs/python/tf/linalg/matmul
    """
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("Only one of `transpose` and `adjoint` can be True.")
    a, b = _convert_factors(a, b, output_type)
    if min(a.ndim, b.ndim) < 2:
        raise _size_mismatch(a, b, "at least two axes in each operand")
    a = _transpose(a, transpose_a, adjoint_a)
    b = _transpose(b, transpose_b, adjoint_b)
    inner = (a.shape[-1], b.shape[-2])
    if all(map(is_known, inner)) and inner[0] != inner[1]:
        raise _size_mismatch(a, b, "a.shape[-1] == b.shape[-2], after transposing")
    for batch in zip(reversed(a.shape[:-2]), reversed(b.shape[:-2])):
        if all(map(is_known, batch)) and 1 not in batch and batch[0] != batch[1]:
            raise _size_mismatch(a, b, "equal leading sizes, or size 1")
    a, b = _unify_sizes(a, b)
    return jnp.matmul(a, b)


def _convert_factors(a, b, output_type):
    """Convert both operands to the dtype of their product."""
    dtype = None if output_type is None else array_dtype(output_type, "matmul")
    left, right = operand(a), operand(b)
    if all(x.dtype in _BYTES for x in (left, right)) and dtype == np.int32:
        return left.astype(np.int32), right.astype(np.int32)
    left, right = matching("matmul", a=a, b=b)
    if left.dtype in _BYTES or (dtype is not None and dtype != left.dtype):
        raise errors.MissingKernelError(
            errors.message(
                "matmul",
                f"there is no kernel for {left.dtype.name} with a result of "
                f"{left.dtype.name if dtype is None else dtype.name}.",
                required="the dtype of the operands, or int32 if they are int8 or uint8",
                do="cast the operands, or the product",
            )
        )
    return left, right


def _transpose(x, transpose, adjoint):
    if not (transpose or adjoint):
        return x
    x = jnp.swapaxes(x, -1, -2)
    return jnp.conj(x) if adjoint and jnp.iscomplexobj(x) else x


def _unify_sizes(a, b):
    """Unify symbolic contracted and batch sizes of the operands."""
    a, b = meeting("matmul", a, a.ndim - 1, b, b.ndim - 2)
    for back in range(3, min(a.ndim, b.ndim) + 1):
        sizes = (a.shape[-back], b.shape[-back])
        if not any(is_known(d) and d == 1 for d in sizes):
            a, b = meeting("matmul", a, a.ndim - back, b, b.ndim - back, broadcasts=True)
    return a, b


def _size_mismatch(a, b, required):
    return checks.invalid(
        "matmul",
        "the shapes of the matrices do not match.",
        required=required,
        received=f"a {describe(a)}, b {describe(b)}",
    )


@operator(compiled=True)
def matvec(
    a,
    b,
    transpose_a=False,
    adjoint_a=False,
    a_is_sparse=False,
    b_is_sparse=False,
    name=None,
):
    """Multiply matrices and vectors, with leading axes as batch axes.

    Args:
      a: array `[..., n, k]`.
      b: array `[..., k]` of the same dtype.
      transpose_a: whether to swap the last two axes of `a` first.
      adjoint_a: whether to swap the last two axes of `a` and to take the complex conjugate.
      a_is_sparse: ignored.
      b_is_sparse: ignored.
      name: ignored.

    Returns:
      An array of shape `[..., n]`.

    Raises:
      InvalidArgumentError: the dtypes differ, or the sizes are incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes that are known only at run time are checked for equality.

    Example:
      >>> import shims
      >>> print(shims.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 10.0]))
      [21. 43.]

    https://www.tensorflow.org/api_docs/python/tf/linalg/matvec
    """
    a, b = matching("matvec", a=a, b=b)
    out = matmul(a, b[..., None], transpose_a=transpose_a, adjoint_a=adjoint_a)
    return jnp.squeeze(out, -1)


@operator(compiled=True)
def tensordot(a, b, axes, name=None):
    """Contract two arrays over pairs of axes.

    Args:
      a: array.
      b: array of the same dtype.
      axes: the number of last axes of `a` and first axes of `b` to contract, or the axes of each
        array.
      name: ignored.

    Returns:
      An array with the remaining axes of `a`, followed by the remaining axes of `b`.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      Contracted data-dependent sizes must be equal pair by pair; TensorFlow only requires that
      their products are equal.

    Under jit:
      Sizes that are known only at run time are checked for equality.

    Example:
      >>> import shims
      >>> print(shims.tensordot([[1.0, 2.0]], [[3.0], [4.0]], axes=1))
      [[11.]]

    https://www.tensorflow.org/api_docs/python/tf/tensordot
    """
    a, b = matching("tensordot", a=a, b=b)
    if not isinstance(axes, (tuple, list)) and np.ndim(axes) == 0:
        count = checks.static_int("tensordot", "axes", axes)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise _axes_mismatch(axes, a, b)
        of_a, of_b = tuple(range(a.ndim - count, a.ndim)), tuple(range(count))
    else:
        if len(axes) != 2:
            raise _axes_mismatch(axes, a, b)
        of_a, of_b = (np.asarray(side).ravel().tolist() for side in axes)
        if any(i >= a.ndim for i in of_a) or any(i >= b.ndim for i in of_b):
            raise errors.OutOfBoundsError(_axes_mismatch(axes, a, b).args[0])
        of_a = axes_of("tensordot", axes[0], a.ndim)
        of_b = axes_of("tensordot", axes[1], b.ndim)
    if len(of_a) != len(of_b):
        raise _axes_mismatch(axes, a, b)
    if len(of_a) > 1:
        contracted_pairs.settle([(a.shape[i], b.shape[j]) for i, j in zip(of_a, of_b, strict=True)])
    for i, j in zip(of_a, of_b, strict=True):
        a, b = meeting("tensordot", a, i, b, j)
    pairs = [(a.shape[i], b.shape[j]) for i, j in zip(of_a, of_b, strict=True)]
    if contracted_pairs.differ(pairs):
        if not contracted_pairs.have_equal_products(pairs):
            raise _axes_mismatch(axes, a, b)
        a = contracted_pairs.as_one(a, of_a, last=True)
        b = contracted_pairs.as_one(b, of_b, last=False)
        of_a, of_b = (a.ndim - 1,), (0,)
    return jnp.tensordot(a, b, axes=(of_a, of_b))


def _axes_mismatch(axes, a, b):
    return checks.invalid(
        "tensordot",
        "`axes` does not match the operands.",
        required="a number of axes, or two lists of equal length; equal sizes along each pair",
        received=f"axes={axes}, a {describe(a)}, b {describe(b)}",
    )


@checked
def einsum(equation, *inputs, **kwargs):
    """Contract arrays by Einstein's summation convention.

    Args:
      equation: the equation, for example `"ij,jk->ik"`.
      *inputs: arrays of the same dtype.
      **kwargs: `optimize` is passed on, `name` is ignored.

    Returns:
      The result of the equation, with one axis for each letter after the arrow.

    Raises:
      InvalidArgumentError: the dtypes differ, or the operands do not fit the equation.
      TypeError: a keyword is unknown.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.einsum("ij->ji", shims.constant([[1.0, 2.0], [3.0, 4.0]])))
      [[1. 3.]
       [2. 4.]]

    https://www.tensorflow.org/api_docs/python/tf/einsum
    """
    kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "optimal")
    if kwargs:
        raise TypeError(f"einsum() got an unexpected keyword argument {next(iter(kwargs))!r}")
    return _einsum(equation, *inputs, optimize=optimize)


@operator(compiled=True)
def _einsum(equation, *inputs, optimize):
    arrays = matching("einsum", **{f"inputs[{i}]": x for i, x in enumerate(inputs)})
    equation = equation.replace(" ", "")
    return jnp.einsum(equation, *agreeing_operands(equation, arrays), optimize=optimize)


@operator(compiled=True)
def trace(x, name=None):
    """Sum the diagonal of matrices.

    Args:
      x: array `[..., n, m]`.
      name: ignored.

    Returns:
      An array `[...]`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/trace
    """
    x = operand(x)
    check_rank("trace", "x", x)
    on_diagonal = jnp.arange(x.shape[-2])[:, None] == jnp.arange(x.shape[-1])
    return jnp.sum(jnp.where(on_diagonal, x, 0), axis=(-2, -1), dtype=x.dtype)


@operator(compiled=True)
def global_norm(t_list, name=None):
    """Compute the Euclidean norm of all elements of several arrays.

    Args:
      t_list: list of arrays and `IndexedSlices` (of which the values are used); `None` elements are ignored.
      name: ignored.

    Returns:
      A scalar.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    https://www.tensorflow.org/api_docs/python/tf/linalg/global_norm
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    halves = [jnp.sum(jnp.square(operand(values_of(t)))) / 2 for t in t_list if t is not None]
    return square_root(functools.reduce(jnp.add, halves) * 2) if halves else jnp.zeros(())


@operator(compiled=True)
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None):
    """Compute the norm of vectors or matrices.

    Args:
      tensor: floating-point array.
      ord: `euclidean`, `fro`, 1, 2, infinity or any positive number.
      axis: one axis for vectors, two axes for matrices, or `None` to treat all elements as one vector.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The norms, in the shape of `tensor` without the reduced axes (which `keepdims` keeps with size
      1).

    Raises:
      ValueError: the norm is unknown.

    Differs from TensorFlow:
      Nothing. The gradient of the Euclidean norm at 0 is NaN.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    Example:
      >>> import shims
      >>> print(shims.norm([[3.0, 4.0], [6.0, 8.0]], axis=1))
      [ 5. 10.]

    https://www.tensorflow.org/api_docs/python/tf/norm
    """
    x = operand(tensor)
    if axis is None or np.ndim(axis) == 0:
        axes = axes_of("norm", axis, x.ndim)
        if ord == "fro":
            raise ValueError("'ord' must be a supported vector norm, got fro")
        out = _vector_norm(x, ord, axes)
    elif len(axis) == 2:
        axes = axes_of("norm", axis, x.ndim)
        out = _matrix_norm(x, ord, axes)
    else:
        raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
    return lax.expand_dims(out, tuple(sorted(axes))) if keepdims else out


def _vector_norm(x, ord, axes):
    if ord in ("fro", "euclidean", 2):
        squares = x * (jnp.conj(x) if jnp.iscomplexobj(x) else x)
        # The Euclidean norm of complex numbers has a complex dtype, as in TensorFlow.
        return square_root(jnp.sum(squares, axis=axes))
    if isinstance(ord, str) or ord <= 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord!r}")
    if ord == np.inf:
        return largest(magnitude(x), axes)
    if ord == 1:
        return jnp.sum(magnitude(x), axis=axes)
    return jnp.power(jnp.sum(jnp.power(magnitude(x), ord), axis=axes), 1.0 / ord)


def _matrix_norm(x, ord, axes):
    rows, columns = axes
    if ord in ("fro", "euclidean"):
        return _vector_norm(x, 2, axes)
    if ord in (1, np.inf):
        inner, outer = (rows, columns) if ord == 1 else (columns, rows)
        outer -= outer > inner
        return largest(jnp.sum(magnitude(x), axis=inner), (outer,))
    if ord == 2:
        x = without_infinities(jnp.moveaxis(x, axes, (-2, -1)))
        singular = jnp.linalg.svd(x, compute_uv=False)
        return largest(singular, (singular.ndim - 1,))
    raise ValueError(
        f"'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got {ord!r}"
    )


@operator(compiled=True)
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """Divide vectors by their Euclidean norm.

    Args:
      x: array of numbers.
      axis: the axes of a vector; all when `None`.
      epsilon: the minimum of the squared norm.
      name: ignored.
      dim: the old name of `axis`.

    Returns:
      `x / sqrt(max(sum(x**2), epsilon))`, in the shape of `x`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    Example:
      >>> import shims
      >>> print(shims.nn.l2_normalize([[3.0, 4.0]], axis=1))
      [[0.6 0.8]]

    https://www.tensorflow.org/api_docs/python/tf/math/l2_normalize
    """
    x = operand(x)
    axes = axes_of("l2_normalize", dim if axis is None else axis, x.ndim)
    squares = jnp.real(x * jnp.conj(x)) if jnp.iscomplexobj(x) else jnp.square(x)
    squares = jnp.sum(squares, axis=axes, keepdims=True)
    least = jnp.asarray(epsilon, squares.dtype)
    return x * inverse_root(larger(squares, jnp.broadcast_to(least, squares.shape)))
