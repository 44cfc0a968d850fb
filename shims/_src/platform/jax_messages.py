"""Interpret JAX's error messages, which no other module does.

JAX raises `TypeError` or `ValueError` for a size that is unknown while tracing as for any other fault,
at some hundred places that have only the text in common, and removes its own frames from the traceback.
Only the text therefore tells whether a size is at fault, and which one. These functions choose the
wording of an error, never another attempt. The texts are those of JAX 0.9 to 0.12.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Parts of messages where JAX needs a number and gets a symbol.
_SYMBOL = ("_DimExpr", "shape polymorphism", "non-constant", "symbolic dimension")
# Parts of messages where two sizes have to be equal.
_MISMATCH = (
    "same shape",
    "equal types",
    "Incompatible shapes",
    "incompatible shapes",
    "must be equal",
)
_WORD = re.compile(r"\b\w+\b")


def names_in(error: BaseException, names: Iterable[str]) -> list[str]:
    """Return those of the given size names that an error message contains, sorted."""
    return sorted(set(_WORD.findall(str(error))).intersection(names))


def needs_number(error: BaseException) -> bool:
    """Return whether an error says that JAX needed a number and got a symbolic size."""
    return any(sign in str(error) for sign in _SYMBOL)


def needs_equal_sizes(error: BaseException) -> bool:
    """Return whether an error says that JAX needed two sizes to be equal."""
    return any(sign in str(error) for sign in _MISMATCH)


def names_tracer(error: BaseException) -> bool:
    """Return whether an error message is about a traced value."""
    return "Tracer" in str(error)


_TRACED_CLASS = re.compile(r"\b(\w+Tracer|_DimExpr)\b(?![<(])")


def names_traced_class(error: BaseException) -> bool:
    """Return whether an error message has the class of traced values or of sizes, not the text of a value."""
    return bool(_TRACED_CLASS.search(str(error)))


def hashes_tracer(error: BaseException) -> bool:
    """Return whether an error says that a traced value was a key of a dictionary or an element of a set."""
    return isinstance(error, TypeError) and "unhashable type" in str(error) and names_tracer(error)


_OF_STATIC_ARGUMENTS = ("Non-hashable static arguments", "parameters to jaxpr equations must have")


_ADVICE = re.compile(r"(?:^|[.,]\s)\s*((?:[Uu]se|pass) [^.\n]+)", re.MULTILINE)
_WHERE = "The error occurred while tracing"


def advice_in(error: BaseException) -> str:
    """Return what JAX advises to write in place of a call that needs the value of an array, `""` if nothing."""
    found = _ADVICE.search(str(error).partition(_WHERE)[0])
    return "" if found is None else found[1][0].lower() + found[1][1:].strip()


def takes_tracer_as_static(error: BaseException) -> bool:
    """Return whether an error says that a traced value was given where JAX takes a number, such as a size."""
    text = str(error)
    return "Tracer" in text and any(start in text for start in _OF_STATIC_ARGUMENTS)


def lacks_frames(error: BaseException) -> bool:
    """Return whether JAX has removed its frames from the traceback of an error, so it was raised in JAX."""
    return any("JAX has removed its internal frames" in note for note in _notes(error))


def _notes(error: BaseException) -> list[str]:
    """Return the notes of an error, and the text of the cause that JAX gives it."""
    return [*getattr(error, "__notes__", ()), str(error.__cause__ or "")]


_VARYING = ("varying manual axes", "manual axis types", "invariant->variant")


def is_of_varying_axes(error: BaseException) -> bool:
    """Return whether an error says that values vary over mesh axes that the checks of `shard_map` do not expect."""
    return any(sign in str(error) for sign in _VARYING)


def is_too_large(error: BaseException) -> bool:
    """Return whether an error says that an array would have more elements than an int64 counts."""
    return "overflow in static extent product" in str(error)
