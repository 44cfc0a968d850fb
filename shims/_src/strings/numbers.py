"""Convert between numbers and strings."""

from __future__ import annotations

import re

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.conversion import as_array, check_width
from shims._src.strings.late import late
from shims._src.strings.operands import each, numbers, over_ragged, strings
from shims._src.tracing.text_operands import elements, holds_text
from shims._src.types.dtypes import array_dtype
from shims._src.types.host_tensor import host
from shims._src.types.tensor_spec import as_numpy_dtype


@late
@over_ragged
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Convert numbers to strings.

    Args:
      input: numbers, booleans or strings of any shape, or a ragged tensor of them.
      precision: the number of digits after the decimal point; -1 means 6.
      scientific: whether floats have an exponent.
      shortest: whether floats have the shorter form, with or without an exponent.
      width: the least number of characters.
      fill: the character that fills each string on the left; an empty string stands for a space.
      name: ignored.

    Returns:
      A tensor of strings of the same shape, on the host.

    Raises:
      InvalidArgumentError: an option does not apply to the dtype, or `fill` is longer than 1.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The strings of traced numbers are computed on the host; each has at most 1024 bytes.

    Example:
      >>> import shims
      >>> shims.strings.as_string([1.5, 2.0], precision=2).numpy().tolist()
      [b'1.50', b'2.00']

    https://www.tensorflow.org/api_docs/python/tf/strings/as_string
    """
    function = "strings.as_string"
    if holds_text(input):
        return elements(input)
    array = numbers(function, "input", as_array(input))
    floats = array.dtype.kind in "fcV"
    for option, is_set in (
        ("precision", precision > -1),
        ("scientific", scientific),
        ("shortest", shortest),
    ):
        if is_set and not floats:
            raise checks.invalid(
                function,
                f"`{option}` applies only to floating-point numbers.",
                received=array.dtype.name,
            )
    if scientific and shortest:
        raise checks.invalid(function, "`scientific` and `shortest` cannot both be true.")
    if fill not in ("", *" +-0#"):
        raise checks.invalid(function, "`fill` is not supported.", received=repr(fill))
    if array.dtype == bool:
        return _texts(array, lambda x: "true" if x else "false")
    form = "%" + (fill if fill else "") + (str(width) if width > -1 else "")
    if not floats:
        return _texts(array, lambda x: (form + "d") % x)
    form += f".{precision}" if precision > -1 else ""
    form += "e" if scientific else "g" if shortest else "f"
    if array.dtype.kind == "c":
        return _texts(array, lambda x: f"({form % x.real},{form % x.imag})")
    return _texts(array.astype(np.float64), lambda x: form % x)


def _texts(array: np.ndarray, text_of):
    found = np.empty(array.shape, object)
    found.reshape(-1)[:] = [text_of(x).encode() for x in array.ravel().tolist()]
    return host(found)


_FLOAT = re.compile(rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)", re.I)
_HEXADECIMAL = re.compile(rb"[+-]?0x([\da-f]+\.?[\da-f]*|\.[\da-f]+)(p[+-]?\d+)?", re.I)
_INTEGER = re.compile(rb"[+-]?\d+")
_NUMBER_DTYPES = ("float32", "float64", "int32", "int64", "uint32", "uint64")


@late
@over_ragged
def to_number(input, out_type=np.float32, name=None):
    """Convert strings to numbers.

    Args:
      input: strings of any shape, or a ragged tensor of them; white space around numbers is skipped.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: ignored.

    Returns:
      An array of the same shape.

    Raises:
      InvalidArgumentError: a string does not represent a number of the dtype.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      64-bit dtypes become 32-bit dtypes unless `jax_enable_x64` is on.

    Under jit:
      The result is a constant of the program.

    Example:
      >>> import shims
      >>> shims.strings.to_number(["1.5", "2"]).tolist()
      [1.5, 2.0]

    https://www.tensorflow.org/api_docs/python/tf/strings/to_number
    """
    dtype = as_numpy_dtype(out_type)
    if dtype.name not in _NUMBER_DTYPES:
        raise checks.invalid(
            "strings.to_number",
            f"`out_type` must not be {dtype.name}.",
            required=str(_NUMBER_DTYPES),
        )
    convert = _as_float if dtype.kind == "f" else _as_integer
    texts = strings("strings.to_number", input)
    with np.errstate(over="ignore"):
        found = each(lambda text: convert(text.strip(b" \t\n\v\f\r"), dtype), texts, dtype)
    check_width(found)
    return jnp.asarray(found, array_dtype(dtype, "strings.to_number"))


def _no_number(text: bytes, dtype: np.dtype):
    return checks.invalid(
        "strings.to_number",
        f"a string is not a valid {dtype.name} number.",
        received=text.decode(errors="backslashreplace"),
    )


def _as_float(text: bytes, dtype: np.dtype):
    if _FLOAT.fullmatch(text):
        return dtype.type(text)
    if _HEXADECIMAL.fullmatch(text):
        return dtype.type(float.fromhex(text.decode()))
    raise _no_number(text, dtype)


def _as_integer(text: bytes, dtype: np.dtype):
    limits = np.iinfo(dtype)
    if not _INTEGER.fullmatch(text) or not limits.min <= int(text) <= limits.max:
        raise _no_number(text, dtype)
    return int(text)
