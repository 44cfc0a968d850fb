"""Detect that code which is about to be staged changes a Python object.

Both branches of a staged `if` are traced, and the body of a staged loop once: a change in them, such as `names.add(x)`,
would happen once, whatever the sizes are. A statement that depends on sizes alone is therefore not
staged if it makes such a change: the trace decides on the sizes, and Python runs the statement. Python
also runs a loop over an array of known size if it is known to change something; that it calls a
function of a library, which may print or log, is not enough.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator

import jax
import numpy as np

from shims._src.autograph import outside, own_objects
from shims._src.control_flow.staging import is_staged
from shims._src.platform import user_frames
from shims._src.platform.thread_state import ThreadSlot
from shims._src.recording import reads, snapshots
from shims._src.sizes import numbering, trace
from shims._src.tracing.size_questions import question_of


class EffectFound(Exception):
    """Raised to stop staging a statement before the statement changes an object."""


class _Effect(BaseException):
    """Ends the staging of statements up to the outermost one that depends on sizes alone.

    Handlers of the program and of statements in between do not catch it.
    """

    def __init__(self, statement: _Statement):
        super().__init__("a statement that depends on sizes changes an object")
        self.statement = statement


@dataclasses.dataclass(frozen=True, eq=False)
class _Statement:
    """A statement that is being staged.

    Attributes:
      is_of_sizes: tells whether it depends on data-dependent sizes alone.
      blocks: the functions that stand for its blocks.
      is_counted: whether it is a loop of a known number of iterations.
      before: what the blocks reach, as it was before they were traced.
    """

    is_of_sizes: Callable[[], bool]
    blocks: tuple[Callable, ...]
    is_counted: bool = False
    before: list[snapshots.Snapshot] = dataclasses.field(default_factory=list)

    @property
    def codes(self) -> tuple[types.CodeType, ...]:
        """The code objects of the blocks."""
        return tuple(block.__code__ for block in self.blocks)

    def is_decidable(self) -> bool:
        """Return whether Python can run the statement."""
        return self.is_counted or self.is_of_sizes()

    def restore(self) -> bool:
        """Undo what the blocks have changed; return whether they changed anything."""
        changed = [snapshot.restore() for snapshot in self.before]
        return any(changed)


_STAGED: ThreadSlot[tuple[_Statement, ...]] = ThreadSlot(())


@contextlib.contextmanager
def staging(
    is_of_sizes: Callable[[], bool], *blocks: Callable, is_counted: bool = False
) -> Iterator[None]:
    """Open a block that stages a statement; an effect in it raises `EffectFound` if Python can run the statement."""
    statement = _Statement(is_of_sizes, blocks, is_counted)
    try:
        with _STAGED.holding((*_STAGED.value, statement)):
            if any(reads.may_change(block.__code__, reads.values_of(block)) for block in blocks):
                note()
            yield
    except BaseException as error:
        statement.restore()
        if not isinstance(error, _Effect) or error.statement is not statement:
            raise
        raise EffectFound(str(error)) from None
    finally:
        statement.before.clear()


def begin() -> None:
    """Note what the innermost statement's blocks reach, since they are about to be traced."""
    statement = _STAGED.value[-1]
    if statement.is_decidable():
        statement.before.append(snapshots.Snapshot(statement.blocks))
    elif trace.current() is not None:
        statement.before.append(own_objects.snapshot(statement.blocks))


def end() -> None:
    """End the staging of the innermost statement if its blocks, which have been traced, changed an object.

    Raises:
      UnimplementedError: the statement depends on traced data, and it changed an object that the trace
        has made.
    """
    statement = _STAGED.value[-1]
    changed = [] if statement.is_decidable() else own_objects.changed(statement.before)
    if statement.restore():
        note()
    if changed:
        raise own_objects.refusal(changed[0])


@contextlib.contextmanager
def unless_found() -> Iterator[list]:
    """Open a block; yields a list, which contains the effect that ended the block, if any."""
    found: list[EffectFound] = []
    try:
        yield found
    except EffectFound as effect:
        found.append(effect)


def is_signal(error: BaseException | None) -> bool:
    """Return whether an exception ends the staging of statements, so no handler may catch it."""
    return isinstance(error, (_Effect, EffectFound))


def is_of_sizes(condition) -> bool:
    """Return whether a staged condition was computed from data-dependent sizes and constants alone."""
    if question_of(condition) is not None:
        return True
    if not is_staged(condition):
        return False
    names = {eqn and eqn.primitive.name for eqn in numbering.equations_behind(condition)}
    return None not in names and not names.isdisjoint(numbering.SIZE_READERS)


def _end(statements, *, is_sure: bool = True) -> None:
    """End the staging of the first statement that Python can run, since an effect follows, or may follow."""
    for statement in statements:
        if statement.is_decidable() if is_sure else statement.is_of_sizes():
            raise _Effect(statement)


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
_IMMUTABLE = (str, bytes, int, float, complex, tuple, frozenset, range, slice, type, np.generic)
# Packages and modules whose functions change no object, but for those that follow.
_PURE = frozenset(
    {
        *("jax", "jaxlib", "shims", "numpy", "scipy", "ml_dtypes", "opt_einsum", "einops"),
        *("optax", "flax", "haiku", "equinox", "keras", "chex", "jaxtyping", "diffrax", "lineax"),
        *("builtins", "math", "cmath", "operator", "_operator", "itertools", "functools"),
        *("_functools", "statistics", "fractions", "decimal", "_decimal", "numbers", "copy"),
        *("dataclasses", "typing", "enum", "re", "string", "textwrap", "inspect", "types"),
        *("collections", "_collections", "contextlib", "abc", "_abc", "json"),
    }
)
_CHANGES = frozenset(
    {
        *("next", "setattr", "delattr", "print", "input", "open", "setitem", "delitem"),
        *("iadd", "iconcat", "isub", "imul", "ior", "iand", "ixor", "itruediv", "ifloordiv"),
        *("put", "place", "putmask", "copyto", "fill_diagonal", "put_along_axis", "shuffle"),
        *("fill", "resize", "setflags", "itemset", "sort", "partition", "setfield", "byteswap"),
    }
)


def note() -> None:
    """Note that an object is about to be changed."""
    _end(_STAGED.value)


def note_unknown() -> None:
    """Note that an object may be changed by code that is not examined."""
    _end(_STAGED.value, is_sure=False)


def note_in_statement() -> None:
    """Note that the innermost statement that is being staged changes an object that has another name, too."""
    _end(_STAGED.value[-1:])


def note_store_in(owner) -> None:
    """Note that an object was given a value; a staged statement would give it a traced value instead."""
    if any(s.is_of_sizes() for s in _STAGED.value) and outside.holds(owner):
        note_unknown()


def note_attribute(owner, name: str) -> None:
    """Note that an attribute is about to be set, if that calls a method: of a property, or `__setattr__`."""
    kind = type(owner)
    if not user_frames.is_unconverted_module(kind.__module__) and (
        isinstance(inspect.getattr_static(kind, name, None), property)
        or kind.__setattr__ is not object.__setattr__
    ):
        note_unknown()


def note_context(manager) -> None:
    """Note that a context manager is about to be entered, whose methods may change objects."""
    module = type(manager).__module__
    if module in ("contextlib", "threading") or not user_frames.is_unconverted_module(module):
        note_unknown()


def note_call(f, args: tuple, kwargs: dict) -> None:
    """Note a call of a function, if it may change an object.

    A function that is converted reports its changes itself, except those that it makes by reading.
    """
    if not _STAGED.value:
        return
    if _draws(f) or _changes_what_it_reads(f, args, kwargs):
        note()
    # Such a change shows when the blocks have been traced, unless they have made the object.
    if _may_change(f, kwargs) or _is_changing_descriptor(f) or any(map(_is_changing_method, args)):
        note_unknown()


def _draws(f) -> bool:
    """Return whether a function draws random numbers of NumPy."""
    owner = getattr(f, "__self__", None)
    module = getattr(f, "__module__", None) if owner is None else type(owner).__module__
    return (module or "").startswith("numpy.random")


def _changes_what_it_reads(f, args: tuple, kwargs: dict) -> bool:
    """Return whether a call may change what the function reads, apart from iterators among the arguments.

    The statement that is being staged reads those, too, unless it has made them.
    """
    values = [*args, *kwargs.values()]
    while isinstance(f, functools.partial):
        values += [*f.args, *f.keywords.values()]
        f = f.func
    if isinstance(f, types.MethodType):
        values.append(f.__self__)
        f = f.__func__
    elif not isinstance(f, (type, types.FunctionType)):
        values.append(f)
        f = inspect.getattr_static(type(f), "__call__", None)
    if not isinstance(f, types.FunctionType):
        return False  # a class, or a function whose reads are those of the statement
    values = [v for v in values if not isinstance(v, Iterator)]
    if user_frames.root_package(f.__globals__) not in user_frames.NOT_CONVERTED:
        values += reads.values_of(f)
    return reads.may_change(f.__code__, values)


def _is_changing_method(f) -> bool:
    """Return whether a function, such as an argument of `map`, is a method that changes a container."""
    return isinstance(f, types.BuiltinMethodType) and _may_change(f, {})


def _is_changing_descriptor(f) -> bool:
    """Return whether a function is a method of a class of containers, such as `list.append`, that changes one."""
    if not isinstance(f, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return False
    if f.__objclass__ is object:
        return f.__name__ in ("__setattr__", "__delattr__")
    return issubclass(f.__objclass__, _CONTAINERS) and f.__name__ not in _READS


def _may_change(f, kwargs: dict) -> bool:
    while isinstance(f, functools.partial):
        f = f.func
    if isinstance(f, type):
        return False
    owner = getattr(f, "__self__", None)
    if isinstance(owner, _CONTAINERS):
        return f.__name__ not in _READS
    if isinstance(owner, types.ModuleType):
        owner = None
    if owner is None:
        module, name = getattr(f, "__module__", None) or "", getattr(f, "__name__", "")
    elif isinstance(owner, _IMMUTABLE):
        return False
    else:
        module, name = type(owner).__module__, f.__name__
    if not user_frames.is_unconverted_module(module):
        return False  # converted code reports what it changes itself
    if kwargs.get("out") is not None:
        return True
    is_array = isinstance(owner, jax.Array)
    return not is_array and (name in _CHANGES or module.partition(".")[0] not in _PURE)


# The code of the functions that call a function of the user's.
CALLERS: set[types.CodeType] = set()


def storing() -> None:
    """Note that the current function is about to change an object that it has not made.

    A statement that is being staged in the same function has that object among its variables.
    """
    if not _STAGED.value:
        return
    frame: types.FrameType | None = sys._getframe(1)
    outside: set[types.CodeType] = set()
    was_called = False
    while frame is not None:
        was_called = was_called or frame.f_code in CALLERS
        if was_called:
            outside.add(frame.f_code)
        frame = frame.f_back
    _end(s for s in _STAGED.value if not outside.isdisjoint(s.codes))
