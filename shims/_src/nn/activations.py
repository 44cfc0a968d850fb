"""Provide the activation functions that differ from JAX's, and softmax."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from shims._src.arguments.checks import axis_of, check_kind
from shims._src.arguments.operands import operand
from shims._src.elementwise.elementwise import is_inexact, magnitude
from shims._src.numeric.unconjugated import unconjugated
from shims._src.tracing.dispatch import operator

_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _above_zero(x, highest):
    return jnp.clip(x, 0, highest)


@_above_zero.defjvp
def _above_zero_jvp(highest, primals, tangents):
    (x,), (t,) = primals, tangents
    # TensorFlow multiplies by a mask, so a tangent that is not finite becomes NaN where it is
    # masked. XLA would turn a product with a mask into a selection.
    within = (x > 0) & ((x < highest) | (highest == jnp.inf))
    return _above_zero(x, highest), jnp.where(within, t, 0 * t)


def _clipped(x, highest):
    """Clip an array to [0, highest], with TensorFlow's gradient."""
    if is_inexact(x):
        return _above_zero(x, highest)
    return jnp.maximum(x, 0) if highest == jnp.inf else jnp.clip(x, 0, highest)


@operator(compiled=True)
def relu(features, name=None):
    """Compute the rectified linear unit, `max(x, 0)`.

    Args:
      features: array of numbers.
      name: ignored.

    Returns:
      An array of the shape of `features`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing. NaN stays NaN, and the gradient at 0 is 0.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.nn.relu([-1.0, 0.0, 2.0]))
      [0. 0. 2.]

    https://www.tensorflow.org/api_docs/python/tf/nn/relu
    """
    return _clipped(operand(features), jnp.inf)


@operator(compiled=True)
def relu6(features, name=None):
    """Clip an array to [0, 6].

    Args:
      features: array of real numbers.
      name: ignored.

    Returns:
      An array of the shape and dtype of `features`.

    Differs from TensorFlow:
      Nothing. Integers stay integers, whereas `jax.nn.relu6` converts them to floating point.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.nn.relu6([-1.0, 3.0, 9.0]))
      [0. 3. 6.]

    https://www.tensorflow.org/api_docs/python/tf/nn/relu6
    """
    x = operand(features)
    return _clipped(x, 6)


@operator(compiled=True)
def leaky_relu(features, alpha=0.2, name=None):
    """Compute the leaky rectified linear unit: `x` if positive, `alpha * x` otherwise.

    Args:
      features: array of numbers.
      alpha: the slope below 0.
      name: ignored.

    Returns:
      An array of the shape of `features`.

    Differs from TensorFlow:
      Nothing. The gradient at 0 is `alpha`, whereas that of `jax.nn.leaky_relu` is 1. The default slope
      differs from that of `jax.nn.leaky_relu`, too.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.nn.leaky_relu([-1.0, 2.0]))
      [-0.2  2. ]

    https://www.tensorflow.org/api_docs/python/tf/nn/leaky_relu
    """
    x = operand(features)
    if jnp.issubdtype(x.dtype, jnp.integer):
        x = x.astype(jnp.float32)
    return jnp.where(x > 0, x, operand(alpha, x.dtype) * x)


@operator(compiled=True)
def selu(features, name=None):
    """Compute the scaled exponential linear unit.

    Args:
      features: floating-point array.
      name: ignored.

    Returns:
      An array of the shape of `features`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing. The gradient at 0 is the scale, whereas that of `jax.nn.selu` is the left derivative.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/selu
    """
    x = operand(features)
    check_kind("selu", "inexact", x)
    return _selu(x)


@jax.custom_jvp
def _selu(x):
    below = _SELU_SCALE * _SELU_ALPHA * jnp.expm1(jnp.where(x < 0, x, 0))
    return jnp.where(x < 0, below, _SELU_SCALE * x)


@_selu.defjvp
def _selu_jvp(primals, tangents):
    # A function of the result, as in TensorFlow, so the derivative far below 0 is exactly 0. Just
    # below 0 TensorFlow's result is 0, since it subtracts 1 from the exponential.
    y = _selu(*primals)
    is_below = jnp.exp(primals[0]) < 1
    slope = jnp.where(is_below, y + _SELU_SCALE * _SELU_ALPHA, jnp.asarray(_SELU_SCALE, y.dtype))
    return y, slope * tangents[0]


@operator(compiled=True)
def elu(features, name=None):
    """Compute the exponential linear unit: `x` if positive, `exp(x) - 1` otherwise.

    Args:
      features: floating-point array.
      name: ignored.

    Returns:
      An array of the shape of `features`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing, not even the gradient 1 at NaN.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/elu
    """
    x = operand(features)
    check_kind("elu", "inexact", x)
    return _elu(x)


@jax.custom_jvp
def _elu(x):
    return jnp.where(x < 0, jnp.expm1(jnp.where(x < 0, x, 0)), x)


@_elu.defjvp
def _elu_jvp(primals, tangents):
    y = _elu(*primals)
    return y, jnp.where(y < 0, y + 1, jnp.ones_like(y)) * tangents[0]


@jax.custom_jvp
def _softsign(x):
    return x / (1 + jnp.abs(x))


@_softsign.defjvp
def _softsign_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return _softsign(x), t / jnp.square(1 + magnitude(x))


@operator(compiled=True)
def softsign(features, name=None):
    """Compute softsign, `x / (1 + |x|)`.

    Args:
      features: floating-point array.
      name: ignored.

    Returns:
      An array of the shape of `features`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing. The gradient at infinity is 0, whereas that of `jax.nn.soft_sign` is NaN.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/softsign
    """
    x = operand(features)
    check_kind("softsign", "inexact", x)
    return _softsign(x)


@operator(compiled=True)
def silu(features, beta=1.0):
    """Compute the sigmoid linear unit (swish), `x * sigmoid(beta * x)`.

    Args:
      features: floating-point array.
      beta: scalar.

    Returns:
      An array of the shape of `features`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.nn.silu([0.0, 1.0]))
      [0.        0.7310586]

    https://www.tensorflow.org/api_docs/python/tf/nn/silu
    """
    x = operand(features)
    check_kind("silu", "inexact", x)
    return unconjugated(_silu, x, operand(beta, x.dtype))


@jax.custom_jvp
def _silu(x, beta):
    return x * jax.nn.sigmoid(beta * x)


@_silu.defjvp
def _silu_jvp(primals, tangents):
    (x, beta), (tx, tb) = primals, tangents
    share = jax.nn.sigmoid(beta * x)
    slope = share * (1 + (beta * x) * (1 - share))
    return _silu(x, beta), tx * slope + tb * jnp.square(x) * share * (1 - share)


@operator(compiled=True)
def crelu(features, axis=-1, name=None):
    """Concatenate the rectified linear units of `x` and `-x`.

    Args:
      features: array of numbers.
      axis: the axis to concatenate along.
      name: ignored.

    Returns:
      An array with twice the size along `axis`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Elementwise, with a concatenation; sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/crelu
    """
    x = operand(features)
    axis = axis_of("crelu", axis, x.ndim)
    return _clipped(jnp.concatenate([x, -x], axis=axis), jnp.inf)


@operator(compiled=True)
def softmax(logits, axis=None, name=None):
    """Compute the softmax along an axis.

    Args:
      logits: floating-point array.
      axis: the axis of the classes; the last when `None`.
      name: ignored.

    Returns:
      An array of the shape of `logits`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      If a logit is inf, its whole row of the result is NaN; in TensorFlow some elements of this row
      are 0.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    Example:
      >>> import shims
      >>> print(shims.nn.softmax([[0.0, 0.0], [1.0, 3.0]]))
      [[0.5        0.5       ]
       [0.11920291 0.880797  ]]

    https://www.tensorflow.org/api_docs/python/tf/nn/softmax
    """
    x = operand(logits)
    check_kind("softmax", "inexact", x)
    return jax.nn.softmax(x, axis=axis_of("softmax", -1 if axis is None else axis, x.ndim))


@operator(compiled=True)
def log_softmax(logits, axis=None, name=None):
    """Compute the logarithm of the softmax along an axis.

    Args:
      logits: floating-point array.
      axis: the axis of the classes; the last when `None`.
      name: ignored.

    Returns:
      An array of the shape of `logits`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    Example:
      >>> import shims
      >>> print(shims.nn.log_softmax([[0.0, 0.0]]))
      [[-0.6931472 -0.6931472]]

    https://www.tensorflow.org/api_docs/python/tf/nn/log_softmax
    """
    x = operand(logits)
    check_kind("log_softmax", "inexact", x)
    return jax.nn.log_softmax(x, axis=axis_of("log_softmax", -1 if axis is None else axis, x.ndim))
