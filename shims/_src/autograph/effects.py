"""Find out that code which is about to be staged changes an object of Python.

Both branches of a staged `if` are traced, and the body of a staged loop once: a change in them, such as `names.add(x)`,
would happen once, whatever the sizes are. So a statement on which nothing but sizes decides is not staged then: the trace
decides on the sizes, and Python runs the statement.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import heapq
import sys
import types
from collections.abc import Callable, Iterator

from shims._src.control_flow.staging import is_staged
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import numbering
from shims._src.tracing.size_questions import question_of


class EffectFound(Exception):
    """Ends the staging of a statement before its code changes an object."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Statement:
    """A statement that is being staged.

    Attributes:
      is_of_sizes: tells whether nothing but data-dependent sizes decides on it.
      codes: the code objects of its blocks.
    """

    is_of_sizes: Callable[[], bool]
    codes: tuple[types.CodeType, ...]


_STAGED: ThreadSlot[tuple[_Statement, ...]] = ThreadSlot(())


def staging(
    is_of_sizes: Callable[[], bool], *blocks: Callable
) -> contextlib.AbstractContextManager[object]:
    """Open a block that stages a statement, in which effects raise `EffectFound` if sizes decide on it."""
    codes = tuple(block.__code__ for block in blocks)
    return _STAGED.holding((*_STAGED.value, _Statement(is_of_sizes, codes)))


@contextlib.contextmanager
def unless_found() -> Iterator[list]:
    """Open a block; yields a list, which contains the effect that ended the block, if any."""
    found: list[EffectFound] = []
    try:
        yield found
    except EffectFound as effect:
        found.append(effect)


def is_of_sizes(condition) -> bool:
    """Return whether a staged condition was computed from data-dependent sizes and constants alone."""
    if question_of(condition) is not None:
        return True
    if not is_staged(condition):
        return False
    names = {eqn and eqn.primitive.name for eqn in numbering.equations_behind(condition)}
    return None not in names and not names.isdisjoint(numbering.SIZE_READERS)


def note() -> None:
    """End the staging of statements on which sizes decide, since an effect follows."""
    if any(statement.is_of_sizes() for statement in _STAGED.value):
        raise EffectFound("an object is changed in a statement on which sizes decide")


# The methods of Python's mutable containers that do not change them; all others do.
_READS = frozenset(
    {
        *("get", "keys", "values", "items", "copy", "count", "index", "union", "intersection"),
        *("difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"),
        *("most_common", "elements", "total", "hex", "decode", "find", "startswith", "endswith"),
        *("__contains__", "__getitem__", "__len__", "__iter__", "__eq__", "__ne__"),
    }
)
_CONTAINERS = (list, dict, set, collections.deque, bytearray)
_FUNCTIONS = frozenset(
    map(id, (next, setattr, delattr, heapq.heappush, heapq.heappop, heapq.heapify))
)


def note_call(f) -> None:
    """Note a call of a function that is not written in Python, if it changes an object."""
    if not _STAGED.value:
        return
    owner = getattr(f, "__self__", None)
    if (isinstance(owner, _CONTAINERS) and f.__name__ not in _READS) or id(f) in _FUNCTIONS:
        note()


# The code of the functions that call a function of the user's.
CALLERS: set[types.CodeType] = set()


def storing() -> None:
    """Note that the current function is about to change an object that it has not made.

    A statement that is being staged in the same function has that object among its variables.
    """
    if not _STAGED.value:
        return
    own = {code for statement in _STAGED.value for code in statement.codes}
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code not in own:
        if frame.f_code in CALLERS:
            note()
            return
        frame = frame.f_back
