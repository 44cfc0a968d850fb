"""Evaluate comparisons of data-dependent sizes in converted code.

A size that depends on data has no value while a program is traced, so its comparisons are traced
arrays. `if` and `while` stage them; code that cannot be staged gets the answer that the dynamic trace
measures or assumes.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, KeysView

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.autograph.grown_lists import GrownList
from shims._src.control_flow.staging import current_value, is_array, is_number, is_staged
from shims._src.errors import internal
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import equations
from shims._src.sizes import trace
from shims._src.tracing import hooked_sizes, hooks
from shims._src.tracing.size_questions import (
    SizeQuestion,
    depend_on_data,
    question_of,
)


def compare(name: str, left, right):
    """Evaluate a comparison such as `left < right`; of data-dependent sizes, at run time."""
    if name in ("in", "not in"):
        found = _staged_membership(left, right)
        if found is not None:
            return found if name == "in" else jnp.logical_not(found)
        return contains(right, left) == (name == "in")
    if name in ("is", "is not"):
        return _is_answer(left, right, (name == "is"))
    if name in ("eq", "ne") and isinstance(left, tuple) and isinstance(right, tuple):
        alike = _staged_equality(left, right)
        if alike is False:
            return name == "ne"
        if alike is not None:
            return alike if name == "eq" else jnp.logical_not(alike)
    if (
        name in ("eq", "ne")
        and isinstance(left, list | GrownList)
        and isinstance(right, list | GrownList)
    ):
        left, right = [x.as_python() if isinstance(x, GrownList) else x for x in (left, right)]
    if name in ("eq", "ne") and type(left) is type(right) and type(left) in (list, tuple):
        alike = _staged_equality_of_elements(left, right)
        if alike is not None:
            return alike if name == "eq" else jnp.logical_not(alike)
    left, right = _compare_as_integers(name, left, right)
    if (jp.is_symbolic(left) or jp.is_symbolic(right)) and _depends_on_data(left, right):
        return SizeQuestion(name, left, right).array()
    return hooked_sizes.QUESTIONS[name](left, right)


def _is_answer(left, right, wanted: bool):
    """Evaluate `left is right` (`is not`, unless `wanted`), one of which is `True` or `False` as written.

    An answer to a question about sizes is one of the two, as Python's comparisons of numbers are.
    """
    asked, said = (left, right) if isinstance(right, bool) else (right, left)
    if isinstance(asked, bool) or question_of(asked) is None or jp.is_symbolic(asked):
        return (left is right) == wanted
    return asked if said == wanted else jnp.logical_not(asked)


_EXCHANGED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _compare_as_integers(name: str, left, right):
    """Convert a float that is compared with a size to an integer for which the outcome is the same."""
    if jp.is_symbolic(left) and not jp.is_symbolic(right):
        return left, _equivalent_integer(name, right)
    if jp.is_symbolic(right) and not jp.is_symbolic(left):
        return _equivalent_integer(_EXCHANGED.get(name, name), left), right
    return left, right


def _equivalent_integer(name: str, number):
    """Return an integer with which `size <op> integer` has the same outcome as with `number`."""
    if isinstance(number, (np.ndarray, np.generic)) and np.ndim(number) == 0:
        number = number.item()
    if not isinstance(number, float):
        return number
    if name in _EXCHANGED:
        return hooks.whole(name, number)
    return int(number) if number.is_integer() else -1


def _staged_membership(item, container):
    """Test at run time whether a value is in a container; return `None` if that is not necessary."""
    container = current_value(container)
    if isinstance(container, (jax.Array, np.ndarray)):
        return _staged_search_of_array(current_value(item), container)
    if isinstance(container, range) and is_staged(item) and not item.ndim:
        return _staged_search_of_range(item, container)
    if not isinstance(container, (tuple, list, set, frozenset)) or any(map(np.ndim, container)):
        return None
    if any(map(is_staged, (item, *container))) and not np.ndim(item):
        return _staged_search(item, container)
    if not is_only_run_time([item]):
        return None
    numbers = [_equivalent_integer("eq", c) for c in container]
    numbers = [c for c in numbers if isinstance(c, int) or jp.is_symbolic(c)]
    found = [SizeQuestion("eq", item, c).array() for c in numbers]
    return jnp.any(jnp.stack(found)) if found else None


def _staged_search_of_array(item, container):
    """Search an array, by the rules of its class; return `None` if the array and the value are known."""
    if jp.is_symbolic(item):
        item = item.__jax_array__()
    if not is_staged(item) and not is_staged(container):
        return None
    if isinstance(
        container, np.ndarray
    ):  # whose method would convert the answer to a bool of Python
        return jnp.any(jnp.equal(container, item))
    return container.__contains__(item)


def _staged_search_of_range(item, numbers: range):
    """Compare a traced scalar with the numbers of a range; return `None` if they are out of int32's range."""
    limits = np.iinfo(np.int32)
    ends = sorted((numbers[0], numbers[-1])) if numbers else (0, -1)
    if ends[0] < limits.min or ends[1] > limits.max:
        return None
    return (item >= ends[0]) & (item <= ends[1]) & ((item - ends[0]) % abs(numbers.step) == 0)


def _staged_search(item, container):
    """Compare a traced scalar with the numbers in a container; return `None` if it holds other values."""
    item, *numbers = [current_value(c) for c in (item, *container)]
    item, *numbers = [c.__jax_array__() if jp.is_symbolic(c) else c for c in (item, *numbers)]
    if not numbers or not all((is_array(c) or is_number(c)) and not np.ndim(c) for c in numbers):
        return None
    return functools.reduce(jnp.logical_or, [item == c for c in numbers])


def _staged_equality(left: tuple, right: tuple):
    """Return a traced boolean that tells at run time whether two tuples of sizes are equal.

    Returns False if they cannot be equal, and `None` if Python's own comparison decides it.
    """
    if len(left) != len(right) or not is_only_run_time([*left, *right]):
        return None
    pairs = list(zip(left, right, strict=True))
    if any(a != b for a, b in pairs if not (jp.is_symbolic(a) or jp.is_symbolic(b))):
        return False
    asked = [p for p in pairs if any(map(jp.is_symbolic, p))]
    return jnp.all(jnp.stack([SizeQuestion("eq", a, b).array() for a, b in asked]))


def _staged_equality_of_elements(left, right):
    """Return whether two lists or tuples of scalars are equal, traced; `None` if Python's own comparison decides it."""
    if len(left) != len(right) or not any(map(is_staged, (*left, *right))):
        return None
    values = [current_value(x) for x in (*left, *right)]
    values = [x.__jax_array__() if jp.is_symbolic(x) else x for x in values]
    if not all((is_array(x) or is_number(x)) and not np.ndim(x) for x in values):
        return None
    pairs = zip(values[: len(left)], values[len(left) :], strict=True)
    return functools.reduce(jnp.logical_and, [jnp.equal(a, b) for a, b in pairs])


def contains(container, item) -> bool:
    """Evaluate `item in container`; a set is searched like a list for sizes, which cannot be hashed."""
    if isinstance(container, (set, frozenset, dict, KeysView)) and has_sizes(item):
        container = list(container)
    return item in container


def looked_up(container: dict, key, default=None):
    """Evaluate `container.get(key, default)`; a size is compared with the keys, and never hashed."""
    if not has_sizes(key):
        return container.get(key, default)
    return next((value for k, value in container.items() if key == k), default)


# Calls a function of Python's own, which may need the number of a size: its caller is the user's code.
call_for_user = hooked_sizes.as_user_code(lambda f, args, kwargs: f(*args, **kwargs))


def has_sizes(item) -> bool:
    """Return whether an item is a symbolic size, or a tuple that contains one."""
    return jp.is_symbolic(item) or (isinstance(item, tuple) and any(map(has_sizes, item)))


def _depends_on_data(left, right) -> bool:
    if any(not isinstance(d, int) and not jp.is_symbolic(d) for d in (left, right)):
        return False
    return depend_on_data([d for d in (left, right) if jp.is_symbolic(d)])


def is_only_run_time(values) -> bool:
    """Return whether values are data-dependent sizes that can be compared only at run time.

    This is so in a trace that cannot assume an answer and be repeated if the answer is wrong.
    """
    state = trace.current()
    if state is None or state.may_assume:
        return False
    symbolic = [d for d in values if jp.is_symbolic(d)]
    plain = all(isinstance(d, int) or jp.is_symbolic(d) for d in values)
    return plain and bool(symbolic) and depend_on_data(symbolic)


@contextlib.contextmanager
def attempt() -> Iterator[list]:
    """Open a block that tries to stage code that Python could also run.

    Yields a list, which contains the exception if the attempt failed. The decisions of the trace about sizes
    in a failed attempt are dropped.
    """
    state = trace.current()
    mark = (0, 0) if state is None else state.decisions.mark()
    raised = [] if state is None else list(state.raised)
    failure: list[Exception] = []
    try:
        yield failure
    except Exception as error:  # noqa: BLE001 - ordinary Python may work where staging fails
        internal.raise_if_internal(error)
        if state is not None and state.decisions.forget_since(mark):
            state.forget_inner_programs()  # they rely on the decisions
        if state is not None:
            state.raised[:] = raised
        failure.append(error)


def sizes_in(closed) -> list:
    """Return the symbolic sizes that a traced condition reads, given its jaxpr."""
    asking = ("dim_as_value", "size_number")
    return [e.params["dim"] for e in equations(closed) if e.primitive.name in asking]
