"""Compute operators on strings by codes: JAX has no arrays of strings.

All strings of a call become the positions in a sorted vocabulary that begins with the empty string. The
operator runs on these codes, whose dtype no operator returns for anything else, and results of that
dtype become strings again. Operators that only move, select, join or compare elements do not notice.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import text_parameters
from shims._src.arguments.operands import operand
from shims._src.arguments.text_parameters import CODE, DTYPE, LIST, NESTED, ONE
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.types.composite import is_composite
from shims._src.types.dtypes import DType, string
from shims._src.types.host_tensor import HostTensor, host

_NUMBERS = (bool, int, float, complex)


def computed(f: Callable) -> Callable:
    """Make a function that is no operator itself compute strings by codes."""
    takes = text_parameters.of(f)

    @functools.wraps(f)
    def call(*args, **kwargs):
        if are_among(takes, args, kwargs):
            return compute(f, takes, args, kwargs)
        return f(*args, **kwargs)

    return call


def elements(value):
    """Convert the values of a composite to an array, or to a `HostTensor` of strings."""
    return _dense(value) if holds_text(value) else operand(value)


def dtype_of(values):
    """Return the dtype of the values of a composite, TensorFlow's if they are strings."""
    return string if isinstance(values, HostTensor) and _is_text_array(values) else values.dtype


def are_among(takes, args, kwargs) -> bool:
    """Return whether any of the arguments that may hold strings does hold strings."""
    for place, name, form in takes:
        x = args[place] if place < len(args) else kwargs.get(name)
        if x is None or type(x) is jp.ArrayImpl:
            continue
        if _is_text_dtype(x) if form == DTYPE else holds_text(x):
            return True
    return False


def holds_text(x) -> bool:
    """Return whether a value is a string, or an array, a composite or nested lists of strings."""
    if isinstance(x, (str, bytes)):
        return True
    if isinstance(x, (list, tuple)):
        return not (x and type(x[0]) in _NUMBERS) and any(map(holds_text, x))
    if isinstance(x, (np.ndarray, np.generic)):
        return _is_text_array(x)
    return is_composite(x) and _is_text_array(_flat(x))


def _flat(x):
    """Return the values of a ragged or a sparse tensor."""
    return x.flat_values if hasattr(x, "flat_values") else getattr(x, "values", None)


def _is_text_array(x) -> bool:
    if not isinstance(x, (np.ndarray, np.generic)):
        return False
    kind = np.asarray(x).dtype.kind
    if kind != "O" or isinstance(x, HostTensor):
        return kind in "SUO"
    return bool(x.size) and isinstance(np.asarray(x).flat[0], (str, bytes))


def _is_text_tensor(x) -> bool:
    """Return whether a leaf is a tensor of strings; the indices of a composite may be on the host, too."""
    return isinstance(x, HostTensor) and _is_text_array(x)


def _is_text_dtype(x) -> bool:
    if isinstance(x, (DType, np.dtype)):
        return np.dtype(x).hasobject
    return x in ("string", str, bytes) if isinstance(x, (str, type)) else False


# ---- codes ---------------------------------------------------------------------------------------


class Vocabulary:
    """The strings of one call, in the order of their bytes; the first is empty."""

    def __init__(self, texts):
        self.words = np.array([*sorted({b"", *texts}), None], object)[:-1]
        self._codes = {word: i for i, word in enumerate(self.words)}

    def encode(self, x):
        """Replace strings, and arrays of them, by codes; return other values unchanged."""
        if isinstance(x, bytes):
            return self._codes[x]
        if not _is_text_tensor(x):
            return x
        flat = np.asarray(x).ravel().tolist()
        codes = np.fromiter((self._codes[word] for word in flat), CODE, len(flat))
        return jnp.asarray(codes.reshape(np.shape(x)))

    def encode_first(self, x):
        """Replace the strings of an operator's first operand by codes; a subclass may encode it differently."""
        return self.encode(x)

    def decode(self, x):
        """Replace an array of codes by the strings; return other values unchanged."""
        if getattr(x, "dtype", None) != CODE:
            return x
        if jp.is_tracer(x):
            raise _traced_error()
        return host(self.words[np.asarray(x)])


class _Sums(Vocabulary):
    """The vocabulary of `add`, which joins strings: the sum of two codes stands for both."""

    def encode_first(self, x):
        """Replace the strings of an operator's first operand by codes that are multiples of the number of words."""
        if len(self.words) ** 2 > np.iinfo(CODE).max:
            raise errors.ResourceExhaustedError(
                errors.message(
                    "add",
                    "the operands have more than 65,535 different strings.",
                    do="join the strings in several parts, or with `shims.strings.join`",
                )
            )
        coded = self.encode(x)
        return coded * CODE.type(len(self.words)) if isinstance(x, HostTensor) else coded

    def decode(self, x):
        """Replace sums of two codes by the joined strings; return other values unchanged."""
        if getattr(x, "dtype", None) != CODE:
            return x
        if jp.is_tracer(x):
            raise _traced_error()
        first, second = np.divmod(np.asarray(x), CODE.type(len(self.words)))
        return host(np.asarray(self.words[first] + self.words[second], object))


def compute(call: Callable, takes, args, kwargs) -> Any:
    """Call an operator on the codes of its strings.

    Args:
      call: the operator.
      takes: the result of `text_parameters.of` for it.
      args: the positional arguments.
      kwargs: the keyword arguments.

    Raises:
      DtypeMismatchError: there are numbers beside the strings, or the requested dtype is a number's.
      UnimplementedError: the strings of the result depend on traced values.
    """
    parts = dict(_parts(call.__name__, takes, args, kwargs))
    words = (word for x in jax.tree.leaves([*parts.values()]) for word in _words(x))
    vocabulary = (_Sums if call.__name__ == "add" else Vocabulary)(words)
    args, kwargs = [*args], dict(kwargs)
    with _evaluating((args, kwargs)), text_parameters.computing_by_codes():
        for key, part in parts.items():
            first = key in (0, "x")
            coded = jax.tree.map(vocabulary.encode_first if first else vocabulary.encode, part)
            if isinstance(key, int):
                args[key] = coded
            else:
                kwargs[key] = coded
        result = call(*args, **kwargs)
    return jax.tree.map(vocabulary.decode, result)


def _parts(function: str, takes, args, kwargs):
    """Yield `(position or name, replacement)` for the arguments of an operator that hold strings.

    A replacement holds its strings as a `HostTensor`; a string dtype is replaced by the dtype of codes.
    """
    follows = any(form != DTYPE for *_, form in takes) and not text_parameters.is_free(function)
    for place, name, form in takes:
        key = place if place < len(args) else name
        given = args[place] if place < len(args) else kwargs.get(name)
        if form == DTYPE:
            nested = takes[0][2] == NESTED
            if given is None and not nested:
                continue
            if given is None or _is_text_dtype(given):
                yield key, CODE
            elif follows and name != "dtype_hint":
                raise _mismatch(function, name, given)
        elif given is not None:
            if not follows and not holds_text(given):
                continue
            yield key, _PARTS[form](function, name, given)


def _part(function: str, name: str, value) -> Any:
    """Convert an operand, or the string arrays of a composite operand, to `HostTensor`s of strings."""
    if is_composite(value) and holds_text(value):
        return jax.tree.map(lambda x: host(x) if _is_text_array(x) else x, value)
    if holds_text(value) or (np.size(value) == 0 and not isinstance(value, jax.Array)):
        return _dense(value)
    raise _mismatch(function, name, value)


def _listed(function: str, name: str, values) -> Any:
    if not isinstance(values, (list, tuple)):
        return _part(function, name, values)
    return [_part(function, name, x) for x in values]


def _nested(function: str, name: str, value) -> Any:
    """Convert nested lists of strings to nested lists of `bytes`."""
    if isinstance(value, np.ndarray):
        value = np.asarray(value).tolist()
    if isinstance(value, (list, tuple)):
        return [_nested(function, name, x) for x in value]
    if not holds_text(value):
        raise _mismatch(function, name, value)
    return value.encode() if isinstance(value, str) else value


_PARTS = {ONE: _part, LIST: _listed, NESTED: _nested}


def _dense(value) -> HostTensor:
    if not isinstance(value, (list, tuple)):
        return host(value)
    if all(isinstance(x, (str, bytes)) for x in value):
        flat = np.empty(len(value), object)
        flat[:] = value
        return host(flat)
    parts = [_dense(x) for x in value]
    if len({np.shape(x) for x in parts}) > 1:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return host(np.stack([np.asarray(x) for x in parts]))


def _words(x):
    """Return the strings in a leaf of an argument, to be collected in the vocabulary."""
    if isinstance(x, bytes):
        return (x,)
    return np.asarray(x).ravel().tolist() if _is_text_tensor(x) else ()


def _evaluating(arguments):
    """Return a context in which operators run at once, also in a trace, if no argument is traced."""
    if jp.ambient_is_eager() or any(map(jp.is_tracer, jax.tree.leaves(arguments))):
        return contextlib.nullcontext()
    return jax.ensure_compile_time_eval()


def _mismatch(function: str, name: str, value) -> errors.DtypeMismatchError:
    return errors.DtypeMismatchError(
        errors.message(
            function,
            f"`{name}` does not contain strings, but another operand contains strings.",
            required="operands of the same dtype",
            received=f"{name}={value!r:.200}",
            do="convert numbers to strings: `shims.strings.as_string(x)`",
        )
    )


def _traced_error() -> errors.UnimplementedError:
    return errors.UnimplementedError(
        errors.message(
            "",
            "traced values decide which strings are returned, and JAX has no arrays of strings.",
            required="known operands",
            do="return the numbers that select the strings, and select the strings after the call",
        )
    )
