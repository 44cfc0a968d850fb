"""Check that TensorFlow's CPU kernels support the dtypes of arguments.

The operator table states these dtypes, and `kernels.json` is generated from it. Every call of an
operator is checked before anything is computed.
"""

from __future__ import annotations

import functools

import jax
import numpy as np

from shims._src.arguments import text_parameters
from shims._src.errors import errors
from shims._src.platform.data_files import read_data
from shims._src.sizes.padded import Padded
from shims._src.types.composite import is_composite, may_be_composite

_SIGNED = frozenset({"int8", "int16", "int32", "int64"})
_UNSIGNED = frozenset({"uint8", "uint16", "uint32", "uint64"})
_FLOATING = frozenset({"float16", "bfloat16", "float32", "float64"})
_COMPLEX = frozenset({"complex64", "complex128"})
_INTEGER = _SIGNED | _UNSIGNED

# The kinds that the table names, with their dtypes and their wording in messages.
KINDS: dict[str, tuple[frozenset[str], str]] = {
    "bool": (frozenset({"bool"}), "booleans"),
    "index": (frozenset({"int32", "int64"}), "int32 or int64"),
    "signed": (_SIGNED, "signed integers"),
    "unsigned": (_UNSIGNED, "unsigned integers"),
    "integer": (_INTEGER, "integers"),
    "floating": (_FLOATING, "floating-point numbers"),
    "complex": (_COMPLEX, "complex numbers"),
    "inexact": (_FLOATING | _COMPLEX, "floating-point or complex numbers"),
    "real": (_INTEGER | _FLOATING, "real numbers"),
    "number": (_INTEGER | _FLOATING | _COMPLEX, "numbers"),
}

# The dtypes that operators take: `(position, parameter, dtypes, alone)`.
_DATA = read_data(__package__, "kernels")
TAKES: dict[str, tuple[tuple[int, str, str, bool], ...]] = {
    function: tuple(map(tuple, entries)) for function, entries in _DATA["takes"].items()
}
# The modules that hold the function of a row, whether or not the row states dtypes.
MODULES = frozenset(_DATA["modules"])


@functools.cache
def allowed(words: str) -> frozenset[str]:
    """Return the dtype names that an entry of the kernel table describes, as `real -uint8 complex64`."""
    names: frozenset[str] = frozenset()
    for word in words.split():
        kind = word.removeprefix("-")
        dtypes = KINDS[kind][0] if kind in KINDS else frozenset({kind})
        names = names - dtypes if word.startswith("-") else names | dtypes
    return names


@functools.cache
def allows(words: str, dtype: np.dtype) -> bool:
    """Return whether an entry of the kernel table includes a dtype; cached, as `dtype.name` is slow."""
    return dtype.name in allowed(words)


def spoken(words: str) -> str:
    """Convert an entry of the kernel table to text for messages: `real numbers, but not uint8`."""
    told = {w: KINDS[w.lstrip("-")][1] if w.lstrip("-") in KINDS else w for w in words.split()}
    with_, without = (
        " or ".join(told[w].lstrip("-") for w in told if w.startswith("-") is left)
        for left in (False, True)
    )
    return f"{with_}, but not {without}" if without else with_


def check_dtype(function: str, words: str, dtype, shape=None) -> None:
    """Reject a dtype that TensorFlow has no kernel for.

    Raises:
      MissingKernelError: there is no kernel.
    """
    if allows(words, dtype) or text_parameters.is_code(dtype):
        return
    do = ""
    if allowed(words) <= KINDS["inexact"][0]:
        do = "convert it first: `shims.cast(x, shims.float32)`"
    raise errors.MissingKernelError(
        errors.message(
            function,
            f"there is no kernel for {dtype.name}.",
            required=spoken(words),
            received=dtype.name if shape is None else f"{dtype.name}{list(shape)}",
            do=do,
        )
    )


# Modules of operators that call each other and stand in no row of the table.
_WITHOUT_ROWS = frozenset(
    {
        "shims._src.ragged.coordinates",
        "shims._src.ragged.dense",
        "shims._src.ragged.indexing",
        "shims._src.ragged.reduction",
        "shims._src.ragged.reshaping",
        "shims._src.v1.ops.fused_batch_norm",
        "shims._src.v1.ops.embedding",
        "shims._src.v1.ops.resizing",
    }
)


def of(f) -> tuple[tuple[int, str, str, bool], ...]:
    """Look up which dtypes an operator accepts.

    Returns `(position, parameter, words, alone)` for each array parameter, where `words` is an entry of the
    kernel table.

    Raises:
      LookupError: the operator's module is not in the table, so its dtypes would go unchecked;
        this happens when the module was moved and `make generate` has not run.
    """
    module = f.__module__.removeprefix("shims._src.")
    if module not in MODULES and f.__module__ not in _WITHOUT_ROWS:
        raise LookupError(f"No row of the table has a function of `{f.__module__}`.")
    return TAKES.get(f"{module}.{f.__qualname__}", ())


def checked(f):
    """Decorate a function with a check of argument dtypes; `dispatch.operator` includes this check."""
    takes = of(f)

    @functools.wraps(f)
    def call(*args, **kwargs):
        check_call(f.__name__, takes, args, kwargs)
        return f(*args, **kwargs)

    return call


def check_call(function: str, takes, args, kwargs) -> None:
    """Raise an error if an argument of a call has a dtype for which TensorFlow has no kernel.

    Args:
      function: the operator as the user spells it.
      takes: the result of `of` for the operator.
      args: the positional arguments.
      kwargs: the keyword arguments.
    """
    given = [
        args[at:] if name[0] == "*" else args[at] if at < len(args) else kwargs.get(name)
        for at, name, _, _ in takes
    ]
    for (_, _, words, alone), value in zip(takes, given, strict=True):
        dtype = getattr(value, "dtype", None)
        if isinstance(dtype, np.dtype):
            if not allows(words, dtype) and not is_composite(value):
                check_dtype(function, words, dtype, getattr(value, "shape", None))
        elif value is not None:
            follows = not alone and any(map(_is_tensor, given))
            _check_nested(function, words, value, alone, follows)


def _check_nested(function, words, value, alone, follows):
    """Check the dtypes of lists of arrays, `Padded` values, and Python numbers.

    A Python number that `follows` an array is converted to the dtype of the array.
    """
    leaves = jax.tree.leaves(value, is_leaf=_is_one_value)
    fractions = any(isinstance(leaf, float) for leaf in leaves)
    for leaf in leaves:
        dtype = getattr(leaf.values if isinstance(leaf, Padded) else leaf, "dtype", None)
        if isinstance(leaf, bool) and not follows:
            dtype = np.dtype(bool)
        elif isinstance(leaf, (int, float)) and alone:
            dtype = np.dtype(np.float32 if fractions else np.int32)
        if isinstance(dtype, np.dtype) and not is_composite(leaf):
            check_dtype(function, words, dtype)


def _is_tensor(value) -> bool:
    return hasattr(value, "dtype") and not isinstance(value, (np.ndarray, np.generic))


def _is_one_value(value) -> bool:
    return isinstance(value, Padded) or may_be_composite(value)
