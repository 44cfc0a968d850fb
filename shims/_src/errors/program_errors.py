"""Distinguish errors of the program itself from errors for code that cannot be staged.

A program may raise any error where nothing is selected: by a `raise` statement, by a call of Python, or in a library
that computes with Python objects. JAX raises some of the same classes for what it cannot trace. The place where an
error was raised tells them apart, and whether a traced value or a symbolic size was at hand there.
"""

from __future__ import annotations

import dis
import functools
import types

import jax

from shims._src.errors import refusals
from shims._src.platform import jax_messages, user_frames
from shims._src.platform import jax_private as jp

# What Python says of calls that do not fit the function, of objects that are no container, and of operators that the
# classes of operands do not define; traced values define those of arrays.
_OF_OBJECTS = (
    "object is not subscriptable",
    "object is not iterable",
    "cannot unpack non-iterable",
    "does not support item",
    "required positional argument",
    "required keyword-only argument",
    "positional arguments but",
    "positional argument but",
    "unexpected keyword argument",
    "multiple values for",
    "object is not callable",
)
_OF_OPERATORS = (
    "unsupported operand type(s)",
    "not supported between instances",
    "bad operand type",
)
# Modules of JAX that compute with Python objects only.
_TREES = ("jax.tree", "jax.tree_util", "jax._src.tree", "jax._src.tree_util")
_ON_BEHALF = ("shims", "malt")


def is_raised_by_program(error: BaseException) -> bool:
    """Return whether the program, or a library that knows no traced values, raised an error.

    The error is then raised for exact arrays, too. The answer is no where a traced value or a size
    could be the reason.
    """
    if isinstance(error, refusals.CONCRETIZATION_ERRORS):
        return False
    steps = _steps(error)
    last = next((i for i in reversed(range(len(steps))) if _is_own(steps[i].tb_frame)), None)
    if last is None:
        return False
    if isinstance(error, AttributeError) and error.name is not None:
        return _lacks_attribute(error.obj, error.name) and _reads_attribute(steps[last + 1 :])
    own, inner = steps[last], steps[last + 1 :]
    if not all(_is_python(step) for step in inner):
        return False
    by_library = [step for step in inner if not _is_on_behalf(step.tb_frame)]
    if _raises(steps[-1]) and not by_library:
        # An operator of converted code raises for what it cannot convert, and a check of types for what is traced.
        return not inner and not jax_messages.names_traced_class(error)
    if isinstance(error, TypeError) and _is_of_python(str(error)):
        return True
    if jax_messages.names_tracer(error) or jax_messages.needs_number(error):
        return False
    if by_library or inner:
        return not any(_is_at_hand(list(step.tb_frame.f_locals.values())) for step in inner)
    return not jax_messages.lacks_frames(error) and not _is_at_hand(_operands(own))


def _steps(error: BaseException) -> list[types.TracebackType]:
    steps, step = [], error.__traceback__
    while step is not None:
        steps.append(step)
        step = step.tb_next
    return steps


def _is_own(frame: types.FrameType) -> bool:
    """Return whether a frame runs the program, not a library."""
    return not user_frames.runs_unconverted_library(frame)


def _is_on_behalf(frame: types.FrameType) -> bool:
    return user_frames.root_package(frame.f_globals) in _ON_BEHALF


def _is_python(step: types.TracebackType) -> bool:
    """Return whether a frame runs a library that knows no traced values, or calls a function for converted code."""
    frame = step.tb_frame
    package = user_frames.root_package(frame.f_globals)
    if package == "shims":
        return user_frames.asks_for_user(frame)
    return package != "jax" or frame.f_globals.get("__name__") in _TREES


def _raises(step: types.TracebackType) -> bool:
    return step.tb_frame.f_code.co_code[step.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _is_of_python(text: str) -> bool:
    """Return whether Python raises an error with this text for concrete values and sizes, too."""
    if any(part in text for part in _OF_OBJECTS):
        return True
    return jp.DimExpr.__name__ not in text and any(part in text for part in _OF_OPERATORS)


def _lacks_attribute(asked: object, name: str) -> bool:
    """Return whether an object lacks an attribute also where all values are known."""
    if jp.is_symbolic(asked):
        return not hasattr(int, name)
    if isinstance(asked, jax.core.Tracer):
        return not hasattr(_class_of_arrays(), name)
    return True


@functools.cache
def _class_of_arrays() -> type:
    with jax.ensure_compile_time_eval():
        return type(jax.numpy.zeros(()))


def _reads_attribute(inner: list[types.TracebackType]) -> bool:
    """Return whether the frames inside of the program's are those of `__getattr__`, if there are any."""
    names = [step.tb_frame.f_code.co_name for step in inner]
    return all(_is_python(s) and not _raises(s) for s in inner) or "getattr" in names[-1]


def _operands(step: types.TracebackType) -> list[object]:
    """Return the variables that the failing expression of a frame reads."""
    frame = step.tb_frame
    where = list(frame.f_code.co_positions())[step.tb_lasti // 2]
    values = {**frame.f_globals, **frame.f_locals}
    if None in where:
        return list(frame.f_locals.values())
    read = [
        i.argval
        for i in dis.get_instructions(frame.f_code)
        if i.opname.startswith("LOAD")
        and i.positions is not None
        and _is_inside(i.positions, where)
    ]
    names = [name for found in read for name in (found if isinstance(found, tuple) else (found,))]
    return [values[name] for name in names if isinstance(name, str) and name in values]


def _is_inside(positions: dis.Positions, where) -> bool:
    first, last, start, end = where
    if None in positions:
        return False
    begins = (positions.lineno, positions.col_offset) >= (first, start)
    return begins and (positions.end_lineno, positions.end_col_offset) <= (last, end)


_DEPTH = 4


def _is_at_hand(value: object, depth: int = _DEPTH) -> bool:
    """Return whether a value is or holds a traced array or a symbolic size, as far as it can be seen from outside."""
    if isinstance(value, jax.core.Tracer) or jp.is_symbolic(value):
        return True
    if not depth or isinstance(value, (type, types.ModuleType, types.FunctionType, str, bytes)):
        return False
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = list(value)
    else:
        parts = list(getattr(value, "__dict__", {}).values())
    return any(_is_at_hand(part, depth - 1) for part in parts)
