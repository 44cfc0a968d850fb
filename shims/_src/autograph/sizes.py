"""Questions that converted code asks about symbolic sizes.

JAX takes every size to be at least 1, and a size that depends on data has no value while a program is
traced. So a comparison of such a size is kept as a question until somebody needs the answer: `if` and
`while` stage it, which asks when the program runs; other code gets the engine's answer.
"""

from __future__ import annotations

import contextlib
import operator
import types
from collections.abc import Callable, Iterator, KeysView
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import equations
from shims._src.sizes import primitives, trace
from shims._src.tracing import hooks

_OPERATIONS: dict[str, Callable] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def _as_the_users(function: Any) -> Callable:
    """A function whose frame counts as the user's, whose questions the engine answers."""
    code = function.__code__.replace(co_filename="<question>")
    return types.FunctionType(code, {"__name__": "question"})


_QUESTIONS: dict[str, Callable] = {
    "lt": _as_the_users(lambda a, b: a < b),
    "le": _as_the_users(lambda a, b: a <= b),
    "gt": _as_the_users(lambda a, b: a > b),
    "ge": _as_the_users(lambda a, b: a >= b),
    "eq": _as_the_users(lambda a, b: a == b),
    "ne": _as_the_users(lambda a, b: a != b),
}


class SizeQuestion:
    """A comparison of sizes of which one depends on data."""

    def __init__(self, name: str, left, right):
        self._name, self._left, self._right = name, left, right

    def answer(self) -> bool:
        """What the engine takes the answer to be, which is checked when the program runs."""
        return _QUESTIONS[self._name](self._left, self._right)

    def __bool__(self) -> bool:
        return self.answer()

    def __and__(self, other):
        return _combined(jnp.logical_and, self, other)

    def __or__(self, other):
        return _combined(jnp.logical_or, self, other)

    def __xor__(self, other):
        return _combined(jnp.logical_xor, self, other)

    def __int__(self) -> int:
        return int(self.answer())

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __jax_array__(self):
        left, right = (primitives.as_size(d) for d in (self._left, self._right))
        return _OPERATIONS[self._name](left, right)


def _combined(operation, *operands):
    """What `&` and its relatives give: asked when the program runs."""
    return operation(*(array_of(q) if isinstance(q, SizeQuestion) else q for q in operands))


def compare(name: str, left, right):
    """`left < right` and its relatives."""
    if name in ("in", "not in"):
        found = _among(left, right)
        if found is not None:
            return found if name == "in" else jnp.logical_not(found)
        return contains(right, left) == (name == "in")
    if name in ("eq", "ne") and isinstance(left, tuple) and isinstance(right, tuple):
        alike = _alike(left, right)
        if alike is False:
            return name == "ne"
        if alike is not None:
            return alike if name == "eq" else jnp.logical_not(alike)
    left, right = _whole_numbers(name, left, right)
    if (jp.is_symbolic(left) or jp.is_symbolic(right)) and _depends_on_data(left, right):
        return SizeQuestion(name, left, right)
    return _QUESTIONS[name](left, right)


_EXCHANGED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _whole_numbers(name: str, left, right):
    """Sizes are compared with whole numbers: NumPy's as Python's, floats as those that decide alike."""
    if jp.is_symbolic(left) and not jp.is_symbolic(right):
        return left, _whole(name, right)
    if jp.is_symbolic(right) and not jp.is_symbolic(left):
        return _whole(_EXCHANGED.get(name, name), left), right
    return left, right


def _whole(name: str, number):
    """The number to the right of a comparison; no size equals one that is not whole."""
    if isinstance(number, (np.ndarray, np.generic)) and np.ndim(number) == 0:
        number = number.item()
    if not isinstance(number, float):
        return number
    if name in _EXCHANGED:
        return hooks.whole(name, number)
    return int(number) if number.is_integer() else -1


def _among(item, container):
    """Whether a size is one of several, asked when the program runs; `None` where it can be told."""
    if not isinstance(container, (tuple, list, set, frozenset)) or not is_only_run_time([item]):
        return None
    numbers = [_whole("eq", c) for c in container]
    numbers = [c for c in numbers if isinstance(c, int) or jp.is_symbolic(c)]
    found = [SizeQuestion("eq", item, c).__jax_array__() for c in numbers]
    return jnp.any(jnp.stack(found)) if found else None


def _alike(left: tuple, right: tuple):
    """Whether two shapes are equal, asked when the program runs; `None` where it can be told."""
    if len(left) != len(right) or not is_only_run_time([*left, *right]):
        return None
    pairs = list(zip(left, right, strict=True))
    if any(a != b for a, b in pairs if not (jp.is_symbolic(a) or jp.is_symbolic(b))):
        return False
    asked = [p for p in pairs if any(map(jp.is_symbolic, p))]
    return jnp.all(jnp.stack([SizeQuestion("eq", a, b).__jax_array__() for a, b in asked]))


def contains(container, item) -> bool:
    """`item in container`; sets and dictionaries know numbers by hashes, which sizes lack."""
    if isinstance(container, (set, frozenset, dict, KeysView)) and _has_sizes(item):
        container = list(container)
    return item in container


def key_of(container: dict, item):
    """The key of a dictionary that a size equals, where there is one; anything else as it is."""
    return next((k for k in container if item == k), item) if _has_sizes(item) else item


def _has_sizes(item) -> bool:
    return jp.is_symbolic(item) or (isinstance(item, tuple) and any(map(_has_sizes, item)))


def _depends_on_data(left, right) -> bool:
    if any(not isinstance(d, int) and not jp.is_symbolic(d) for d in (left, right)):
        return False
    return depend_on_data([d for d in (left, right) if jp.is_symbolic(d)])


def is_only_run_time(values) -> bool:
    """Whether these are sizes that depend on data, where nobody can trace again for an answer."""
    state = trace.current()
    if state is None or state.may_assume:
        return False
    symbolic = [d for d in values if jp.is_symbolic(d)]
    plain = all(isinstance(d, int) or jp.is_symbolic(d) for d in values)
    return plain and bool(symbolic) and depend_on_data(symbolic)


def question_of(condition):
    """A condition that is a size itself, or a question about sizes, as a question; else `None`."""
    if isinstance(condition, SizeQuestion):
        return condition
    if jp.is_symbolic(condition) and _depends_on_data(condition, 0):
        return SizeQuestion("ne", condition, 0)
    return None


@contextlib.contextmanager
def attempt() -> Iterator[list]:
    """Try to stage what ordinary Python could do, too; the list has the exception if it failed.

    A demand for another specialization passes. What a failed attempt assumed is forgotten.
    """
    state = trace.current()
    mark = (0, 0) if state is None else state.decisions.mark()
    failure: list[Exception] = []
    try:
        yield failure
    except trace.Respecialize:
        raise
    except Exception as error:  # noqa: BLE001 - ordinary Python may do where staging cannot
        if state is not None:
            state.decisions.forget_since(mark)
        failure.append(error)


def sizes_in(closed) -> list:
    """The symbolic sizes that a traced condition asks for."""
    asking = ("dim_as_value", "size_number")
    return [e.params["dim"] for e in equations(closed) if e.primitive.name in asking]


def depend_on_data(dims) -> bool:
    """Whether one of several sizes is known only when the program runs."""
    state = trace.current()
    return state is not None and any(not state.is_input_only(d) for d in dims)


def array_of(question: SizeQuestion):
    """The question as a traced condition."""
    return jnp.asarray(question.__jax_array__())
