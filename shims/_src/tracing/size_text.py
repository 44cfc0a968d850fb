"""Give the text of a symbolic size: its symbol in messages, the number's digits to code that examines it."""

from __future__ import annotations

from collections.abc import Callable

from shims._src.sizes import trace

# The methods of `str` whose results depend on the digits.
_EXAMINING = (
    *("__len__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
    *("__getitem__", "__iter__", "__contains__", "__mul__", "__rmul__", "__mod__"),
    *(n for n in dir(str) if not n.startswith("_") and n not in ("maketrans",)),
)


class SizeText(str):
    """Text with a symbol such as `u0`, as it is printed; code that examines it gets the digits.

    Args:
      text: the text with the symbol.
      digits: returns the text with the number instead, or raises what `number_of` raises.
      state: the trace that the symbol belongs to; afterwards this is ordinary text.
    """

    __slots__ = ("_digits", "_state")
    _digits: Callable[[], str]
    _state: trace.DynamicTrace

    def __new__(cls, text: str, digits: Callable[[], str], state: trace.DynamicTrace):
        made = super().__new__(cls, text)
        made._digits, made._state = digits, state
        return made

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, specification: str) -> str:
        return str.__format__(str.__str__(self), specification)

    def __add__(self, other):
        return self._extended(str.__add__(self, other), lambda text: text + other)

    def __radd__(self, other):
        return self._extended(other + str.__str__(self), lambda text: other + text)

    def _extended(self, text: str, extend: Callable[[str], str]) -> SizeText:
        return SizeText(text, lambda: extend(self._digits()), self._state)


def _examining(name: str) -> Callable:
    """Return a method of `str` that is applied to the digits while the trace runs."""

    def method(self, *args, **kwargs):
        inside = trace.current() is self._state
        return getattr(self._digits() if inside else str.__str__(self), name)(*args, **kwargs)

    method.__name__ = name
    return method


for _name in _EXAMINING:
    setattr(SizeText, _name, _examining(_name))
