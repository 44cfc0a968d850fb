"""Find the functions of `tf.experimental.numpy` in `jax.numpy`, and let them take lists."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.gradients.tensor_questions import Tensor
from shims._src.tensor_methods.enabling import enable_tensor_methods
from shims._src.variables.variable import Variable


def _words(text: str) -> list[str]:
    return text.split()


_SAME = _words("""
abs absolute add all allclose amax amin angle any append arange arccos arccosh arcsin arcsinh arctan arctan2
arctanh argmax argmin argsort around array array_equal asarray atleast_1d atleast_2d atleast_3d average
bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_arrays broadcast_to cbrt ceil clip compress
concatenate conj conjugate copy cos cosh count_nonzero cross cumprod cumsum deg2rad diag diag_indices diagflat
diagonal diff divide divmod dot dsplit dstack einsum empty empty_like equal exp exp2 expand_dims expm1 eye
fabs finfo flip fliplr flipud float_power floor floor_divide full full_like gcd geomspace greater
greater_equal heaviside hsplit hstack hypot identity iinfo imag inner isclose iscomplex iscomplexobj isfinite
isinf isnan isneginf isposinf isreal isrealobj isscalar issubdtype ix_ kron lcm less less_equal linspace log
log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace matmul max
maximum mean meshgrid min minimum mod moveaxis multiply nanmean nanprod nansum ndim negative nextafter nonzero
not_equal ones ones_like outer pad polyval positive power prod promote_types ptp rad2deg ravel real reciprocal
remainder repeat reshape result_type roll rot90 round select shape sign signbit sin sinc sinh size sort split
sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace
transpose tri tril triu true_divide vander var vdot vsplit vstack where zeros zeros_like
""")
_OTHERS = {
    **{
        name: getattr(np, name)
        for name in ("e", "pi", "inf", "newaxis", "inexact", "bool_", "object_")
    },
    **{name: getattr(np, name) for name in ("int8", "int16", "int32", "int64", "complex64")},
    **{name: getattr(np, name) for name in ("uint8", "uint16", "uint32", "uint64", "complex128")},
    **{name: getattr(np, name) for name in ("float16", "float32", "float64")},
    "float_": np.float64,
    "int_": np.int64,
    "complex_": np.complex128,
    "string_": np.bytes_,
    "unicode_": np.str_,
    "ndarray": Tensor,
}
# The parameters of NumPy's functions that are arrays.
_ARRAYS = frozenset(
    _words(
        "a a1 a2 A arr array ary b condition indices m p prototype v val values weights x x1 x2 y z"
    )
)


def experimental_enable_numpy_behavior(
    prefer_float32=False, dtype_conversion_mode="legacy"
) -> None:
    """Give arrays the methods of tensors; they already have NumPy's methods.

    Args:
      prefer_float32: ignored, because Python numbers are 32-bit unless `jax_enable_x64` is on.
      dtype_conversion_mode: ignored, because dtypes are promoted as in JAX.

    https://www.tensorflow.org/api_docs/python/tf/experimental/numpy/experimental_enable_numpy_behavior
    """
    del prefer_float32, dtype_conversion_mode
    enable_tensor_methods()


def names() -> list[str]:
    """Return the names that `tf.experimental.numpy` has and `find` knows."""
    return sorted((*_SAME, *_OTHERS, *_OWN))


def find(name: str) -> Any:
    """Return a function or a constant.

    Raises:
      KeyError: there is none of that name.
    """
    if name in _OTHERS:
        return _OTHERS[name]
    if name in _OWN:
        return _OWN[name]
    if name not in _SAME:
        raise KeyError(name)
    return _taking_lists(name)


@functools.cache
def _taking_lists(name: str) -> Callable[..., Any]:
    """Return a function of `jax.numpy` that takes lists and variables for its arrays."""
    function = getattr(jnp, name)
    if isinstance(function, type) or name in ("array", "asarray"):
        return function
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments, **options):
        given = signature.bind(*arguments, **options)
        for parameter, value in given.arguments.items():
            kind = signature.parameters[parameter].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                given.arguments[parameter] = tuple(map(_array, value))
            elif parameter in _ARRAYS:
                given.arguments[parameter] = _array(value)
        return function(*given.args, **given.kwargs)

    return call


def _array(value) -> Any:
    if isinstance(value, Variable):
        return value.read_value()
    return jnp.asarray(value) if isinstance(value, (list, tuple)) else value


def _asarray(a, dtype=None) -> jax.Array:
    return jnp.asarray(_array(a), dtype)


def _fix(x) -> jax.Array:
    return jnp.trunc(_array(x))


def _flatten(a, order="C") -> jax.Array:
    return jnp.ravel(_array(a), order)


_OWN: dict[str, Callable[..., Any]] = {
    "asanyarray": _asarray,
    "ascontiguousarray": _asarray,
    "fix": _fix,
    "flatten": _flatten,
    "experimental_enable_numpy_behavior": experimental_enable_numpy_behavior,
}
