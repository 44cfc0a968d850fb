"""Check that arrays and their gradients are finite."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.debugging.assertions import must_hold
from shims._src.platform import jax_private as jp
from shims._src.recording import recording
from shims._src.tracing.dispatch import operator

# The identity; its transpose checks that the cotangent is finite.
watched_p = jp.Primitive("finite_gradient")


@operator
def check_numerics(tensor, message, name=None):
    """Check that an array and its gradient are finite, and return the array.

    Args:
      tensor: array of floating-point numbers.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      The array, of the same shape.

    Raises:
      InvalidArgumentError: a value is NaN or infinite.

    Differs from TensorFlow:
      An error raised after a call does not distinguish NaN from infinity. The gradient is not
      checked if JAX differentiates a `shims.function` as a whole.

    Under jit:
      The error is raised after the call of a `shims.function`; in an enclosing trace, `checkify`
      reports the error.

    Example:
      >>> import shims
      >>> print(shims.debugging.check_numerics([1.0, 2.0], "not finite"))
      [1. 2.]

    https://www.tensorflow.org/api_docs/python/tf/debugging/check_numerics
    """
    tensor = operand(tensor)
    checks.check_kind("check_numerics", "floating", tensor)
    _must_be_finite(tensor, message)
    if not recording.is_followed(tensor):
        return watched_p.bind(tensor, message=str(message))
    with recording.unrecorded():
        taken = jp.another(tensor)
    recording.record([tensor], [taken], lambda ct: _transpose(ct, tensor, message=message))
    return taken


def assert_all_finite(x, message, name=None):
    """Check that an array and its gradient are finite, and return the array.

    Args:
      x: array of floating-point numbers.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: a value is NaN or infinite.

    Differs from TensorFlow:
      An error raised after a call does not distinguish NaN from infinity.

    Under jit:
      See `check_numerics`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_all_finite
    """
    return check_numerics(x, message)


def _must_be_finite(x, message) -> None:
    finite = jnp.isfinite(x)
    holds = jnp.all(finite) if jp.is_tracer(finite) else finite

    def told():
        array = np.asarray(x).astype(np.float64)
        kinds = [k for k, n in (("Inf", np.isinf(array)), ("NaN", np.isnan(array))) if n.any()]
        return [f"{message} : Tensor had {' and '.join(kinds)} values"]

    must_hold(holds, told, [f"{message} : Tensor had Inf or NaN values"])


def _identity(x, *, message):
    return x


@watched_p.def_abstract_eval
def _abstract_eval(x, *, message):
    return x


def _jvp(primals, tangents, *, message):
    out = watched_p.bind(*primals, message=message)
    if type(tangents[0]) is jp.ad.Zero:
        return out, tangents[0]
    return out, watched_p.bind(tangents[0], message=message)


def _transpose(ct, x, *, message):
    if type(ct) is not jp.ad.Zero:
        _must_be_finite(
            ct, f"Not a number (NaN) or infinity (Inf) values detected in gradient. {message}"
        )
    return [ct]


def _batch(args, dims, *, message):
    return watched_p.bind(*args, message=message), dims[0]


watched_p.def_impl(_identity)
jp.mlir.register_lowering(watched_p, jp.mlir.lower_fun(_identity, multiple_results=False))
jp.ad.primitive_jvps[watched_p] = _jvp
jp.ad.primitive_transposes[watched_p] = _transpose
jp.batching.primitive_batchers[watched_p] = _batch
