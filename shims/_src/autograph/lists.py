"""Track Python lists to which a staged loop appends; reject changes of containers outside."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import sys
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.autograph import aliases, effects
from shims._src.autograph.grown_lists import GrownList
from shims._src.control_flow.staging import Block, is_staged
from shims._src.control_flow.undefined import UndefinedReturnValue
from shims._src.errors import errors
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import primitives, trace


@jax.tree_util.register_pytree_node_class
class Entry:
    """An element that an iteration of a staged loop appends to a list.

    Attributes:
      value: the element.
      valid: a traced bool, whether the iteration did append it; `None` if every iteration does.
    """

    def __init__(self, value, valid=None):
        self.value = value
        self.valid = valid

    def tree_flatten(self):
        """Return `value` and `valid` as children."""
        return (self.value, self.valid), None

    @classmethod
    def tree_unflatten(cls, _, children):
        """Create an entry from the children that `tree_flatten` returned."""
        return cls(*children)


class Recorder(list):
    """Stands for a list inside a staged loop, and records what the loop appends.

    The loop may append to the list or read it, but not both.
    """

    def __init__(self, name: str, elements, parent: Recorder | None = None):
        super().__init__(elements)
        self.name = name
        self.entries: list[Entry] = []
        self._parent = parent
        self._was_read = False

    def copy_for_branch(self) -> Recorder:
        """Return a copy with the same elements and entries, to which a branch may append."""
        new = Recorder(self.name, self.elements(), self)
        new.entries, new._was_read = list(self.entries), self._was_read
        return new

    def elements(self) -> list:
        """Return the elements that the list had before the loop."""
        return list(list.__iter__(self))

    def append(self, value) -> None:
        """Record an element that every iteration appends."""
        self._check(self._was_read)
        self.entries.append(Entry(value))

    def _read(self):
        self._was_read = True
        self._check(bool(self.entries))
        if self._parent is not None:
            self._parent._read()

    def _check(self, is_bad: bool) -> None:
        if is_bad:
            raise errors.UnimplementedError(
                errors.message(
                    "append",
                    f"the list `{self.name}` is read in the loop that appends to it.",
                    required="a loop over traced data that only appends to the list",
                    do="keep the value that you read in a separate variable.",
                )
            )

    def __len__(self):
        self._read()
        return super().__len__()

    def __getitem__(self, key):
        self._read()
        return super().__getitem__(key)

    def __iter__(self):
        self._read()
        return super().__iter__()

    def __contains__(self, item):
        self._read()
        return super().__contains__(item)

    def _refuse(self, *args, **kwargs):
        del args, kwargs
        raise errors.UnimplementedError(
            errors.message(
                "list",
                f"the list `{self.name}` changes in a loop over traced data.",
                required="`append`, or a new list of the same length",
                do=f"build a new list, for instance `{self.name} = [*{self.name}[1:], x]`.",
            )
        )

    extend = insert = pop = remove = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse


def list_append(target, value):
    """Execute `target.append(value)` for a local variable, and return the variable's new value."""
    if type(target) in (list, GrownList):
        _record_change(target.append, (value,))
    elif isinstance(target, collections.deque):
        effects.note_call(target.append, (value,), {})
    target.append(value)
    return target


# ---- the lists of a loop's state ---------------------------------------------------------------


def opened(values, names) -> tuple:
    """Replace the lists in the state of a loop by `Recorder`s, before its body is traced."""
    return tuple(_opened(value, name) for name, value in zip(names, values))


def _opened(value, name: str):
    if isinstance(value, Recorder):
        return Recorder(name, value.elements(), value)
    return Recorder(name, value) if type(value) is list else value


def closed(values, before, names) -> tuple[tuple, dict[int, tuple], tuple[int, ...]]:
    """Replace the recorders in a loop's state by the lists in `before`, after tracing the body.

    Also returns a dict from positions in the state to the entries appended to that list, and the positions of
    the lists that the body has not replaced.
    """
    entries = {
        i: tuple(value.entries)
        for i, value in enumerate(values)
        if isinstance(value, Recorder) and value.entries
    }
    plain = tuple(
        old if isinstance(value, Recorder) else value for value, old in zip(values, before)
    )
    kept = [i for i, value in enumerate(values) if isinstance(value, Recorder)]
    for i in kept:
        if values[i].name != names[i]:
            values[i]._refuse()  # the variable is another one's list from now on
    return plain, entries, tuple(kept)


def align(blocks: list[Block], i: int) -> list[Block]:
    """Make all branches append the same number of entries to the list that is output `i`.

    A branch that appends fewer gets invalid entries.
    """
    received = [jax.tree.unflatten(b.trees[i], b.leaves[i]) for b in blocks]
    longest = max(received, key=len)
    nothing = UndefinedReturnValue()
    for j, template in enumerate(longest):
        has = [len(entries) > j for entries in received]
        if all(has) and all(entries[j].valid is None for entries in received):
            continue
        for k, entries in enumerate(received):
            if not has[k]:
                value = jax.tree.map(lambda _: nothing, template.value)
                received[k] = (*entries, Entry(value, False))
            elif entries[j].valid is None:
                entries = list(entries)
                entries[j] = Entry(entries[j].value, True)
                received[k] = tuple(entries)
    return [_with_output(block, i, entries) for block, entries in zip(blocks, received)]


def _with_output(block: Block, i: int, output) -> Block:
    leaves, tree = jax.tree.flatten(output)
    return dataclasses.replace(
        block,
        trees=(*block.trees[:i], tree, *block.trees[i + 1 :]),
        leaves=(*block.leaves[:i], tuple(leaves), *block.leaves[i + 1 :]),
    )


def with_entries(recorder: Recorder, entries) -> Recorder:
    """Return a copy of a recorder with the given entries appended."""
    new = recorder.copy_for_branch()
    new.entries += entries
    return new


def extended(before, entries: tuple, length, live, is_shared: bool):
    """Return a list as it is after a loop that appended to it.

    Args:
      before: the list before the loop, which is extended in place, or the recorder of an enclosing loop.
      entries: the entries of each iteration, stacked along a new leading axis.
      length: the number of possible iterations, an int or a dimension.
      live: a mask of the iterations that took place, or `None` for all.
      is_shared: whether other variables or objects hold the list, too.

    Returns:
      A list or recorder; or a `GrownList` if the number of elements is unknown while tracing.

    Raises:
      UnimplementedError: such an array would replace a list that others hold.
    """
    is_whole = live is None and all(entry.valid is None for entry in entries)
    if isinstance(before, Recorder):
        return with_entries(before, _unstack_entries(before.name, entries, length, live))
    if is_whole and isinstance(length, int):
        before.extend(entry.value for entry in _unstack_entries("", entries, length, None))
        return before
    if is_shared:
        effects.note_in_statement()
        raise errors.UnimplementedError(
            errors.message(
                "append",
                "a list grows in a loop over traced data, and two names refer to the list.",
                required="only one variable that refers to the list, or a known number of iterations",
                do="fill a separate list, and store it after the loop.",
            )
        )
    state = trace.current()
    if is_whole and (state is None or state.may_assume) and any(map(containers_in, entries)):
        effects.note_in_statement()  # the program may change them later
    values = _interleave_entries([entry.value for entry in entries])
    if not is_whole:
        flags = [_validity(entry, live) for entry in entries]
        shape = next(flag.shape for flag in flags if flag is not None)
        flags = [jnp.ones(shape, bool) if flag is None else flag for flag in flags]
        valid = _interleave_entries(flags)
        values = jax.tree.map(lambda x: primitives.compress(x, valid), values)
    if before:
        values = jax.tree.map(lambda x, *xs: jnp.concatenate([jnp.stack(xs), x]), values, *before)
    return GrownList(values)


def containers_in(entry: Entry) -> list:
    """Return the outermost containers in an element that a program can change."""
    found, left = [], [entry.value]
    while left:
        value = left.pop()
        if isinstance(value, (list, dict)):
            found.append(value)
        left += value if isinstance(value, tuple) else []
    return found


def _validity(entry: Entry, live):
    """Return a mask of the iterations that appended an entry, or `None` if all of them did."""
    if entry.valid is None or live is None:
        return live if entry.valid is None else entry.valid
    return entry.valid & live


def _unstack_entries(name: str, entries: tuple, length, live) -> list[Entry]:
    """Split stacked entries into separate entries of each iteration, in order of appending."""
    if not isinstance(length, int):
        raise errors.UnimplementedError(
            errors.message(
                "append",
                f"the list `{name}` grows in a loop of unknown length that is inside another loop.",
                required="a known number of iterations of the inner loop",
                received=f"{length} iterations",
                do="collect the inner loop's values in a separate list.",
            )
        )
    whole = [Entry(entry.value, _validity(entry, live)) for entry in entries]
    rows = [jax.tree.map(lambda x, i=i: x[i], whole) for i in range(length)]
    return [entry for row in rows for entry in row]


def _interleave_entries(columns: list):
    """Merge the stacked values of several appends per iteration, in order of appending."""
    if len(columns) == 1:
        return columns[0]
    return jax.tree.map(
        lambda *xs: jnp.stack(xs, 1).reshape(xs[0].shape[0] * len(xs), *xs[0].shape[1:]), *columns
    )


# ---- containers and objects from outside ------------------------------------------------------------------------

_CHANGING = frozenset(
    {
        *("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault"),
        "__setitem__",
    }
)


@dataclasses.dataclass(eq=False)
class _Block:
    """Records changes of containers while a branch or a loop body is traced.

    Attributes:
      changes: the containers to which a traced value was added, with the method and the user's line.
      copies: the containers that are part of the block's own state, whose changes are allowed.
      stores: the attributes and items to which a traced value was assigned.
    """

    changes: list[tuple[Any, str, str]] = dataclasses.field(default_factory=list)
    copies: list = dataclasses.field(default_factory=list)
    stores: list[tuple] = dataclasses.field(default_factory=list)


_BLOCK: ThreadSlot[_Block | None] = ThreadSlot(None)


def note_call(f, args: tuple, kwargs: dict) -> None:
    """Note that converted code is about to call a function, which may change a container.

    A method that adds traced values to one is recorded, if a block is being traced.
    """
    block, owner = _BLOCK.value, getattr(f, "__self__", None)
    if block is None or not any(owner is copy for copy in block.copies):
        effects.note_call(f, args, kwargs)
    if isinstance(f, types.BuiltinMethodType):
        _record_change(f, args)


def note_in_place(value, method: str) -> None:
    """Note that an assignment such as `value += x` is about to change a value, if its type does so."""
    block = _BLOCK.value
    if block is not None and any(value is copy for copy in block.copies):
        return
    if hasattr(type(value), method) and not isinstance(value, (np.ndarray, Recorder)):
        effects.note_unknown()


def _record_change(method, args) -> None:
    block, container = _BLOCK.value, method.__self__
    if block is None or method.__name__ not in _CHANGING:
        return
    if isinstance(container, Recorder) or not isinstance(container, (list, dict, set, GrownList)):
        return
    if any(container is copy for copy in block.copies):
        return
    if any(is_staged(leaf) for leaf in jax.tree.leaves(args)):
        kind = "list" if isinstance(container, GrownList) else type(container).__name__
        what = f"{kind}.{method.__name__}"
        block.changes.append((container, what, errors.user_line()))


_MISSING = object()


def note_store(owner, attribute: str | None, key=None) -> None:
    """Record that a value was assigned to an attribute or an item, if a block is being traced."""
    effects.note_store_in(owner)
    block = _BLOCK.value
    if block is None or isinstance(owner, jax.Array):
        return
    if any(owner is copy for copy in block.copies):
        return
    stored = _stored_value(owner, attribute, key)
    if any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(stored)):
        what = f"{type(owner).__name__}.{attribute or '__setitem__'}"
        block.stores.append((owner, attribute, key, stored, what, errors.user_line()))


def _stored_value(owner, attribute: str | None, key):
    try:
        return owner[key] if attribute is None else getattr(owner, attribute)
    except (KeyError, IndexError, AttributeError, TypeError):
        return _MISSING


def set_item(target, value, owner, key):
    """Execute `owner[key] = value` for a local variable or a container in it, and return the variable's new value."""
    owner[key] = value
    note_store(owner, None, key)
    return target


def _positions_of_more_references(state: tuple, most: int) -> list[int]:
    return [
        i
        for i in range(len(state))
        if type(state[i]) in (list, dict, np.ndarray)
        and (sys.getrefcount(state[i]) > most or getattr(state[i], "base", None) is not None)
    ]


def _references_of_one_variable() -> int:
    """Count the references to a list that only a variable of a block holds, as the count for a state sees them."""
    value: list = []

    def get_state():
        return (value,)

    def exceeds(state, most):
        return bool(_positions_of_more_references(state, most))

    state = get_state()
    return next(most for most in itertools.count() if not exceeds(state, most))


_OF_ONE_VARIABLE = _references_of_one_variable()


def shared(state: tuple) -> list[int]:
    """Return the positions of the containers in the state of a block that other variables or objects hold.

    Containers are lists, dicts, and arrays of NumPy, which may have views.
    """
    return _positions_of_more_references(state, _OF_ONE_VARIABLE)


def chosen(state: tuple, copies: list, held: list[int]) -> list[int]:
    """Return the positions where a block has assigned a list or dict that others hold, or replaced one.

    Args:
      state: the state after the block.
      copies: the copies with which the block began, in the same order.
      held: the positions of the containers that others held before.
    """
    replaced = [i for i in held if type(copies[i]) in (list, dict)]
    taken = [i for i in shared(state) if type(state[i]) in (list, dict)]
    return [i for i in {*taken, *replaced} if state[i] is not copies[i]]


def result_of(run: Callable):
    """Evaluate an operand of a conditional expression; note if it is a list or dict that others hold."""
    value = run()
    if type(value) in (list, dict) and sys.getrefcount(value) > _OF_A_RESULT:
        effects.note_in_statement()
    return value


_OF_A_RESULT = next(n for n in itertools.count() if (lambda value: sys.getrefcount(value) <= n)([]))


def for_branch(value):
    """Return what stands for a value in a branch: a copy of what appends or of an array, others themselves."""
    if isinstance(value, Recorder):
        return value.copy_for_branch()
    return value.copy() if type(value) is np.ndarray else value


def allow_changes(values: list) -> aliases.Contents:
    """Allow changes of the containers in the state of a branch, and return what they hold to undo these."""
    kept = aliases.Contents(values)
    if _BLOCK.value is not None:
        _BLOCK.value.copies += kept.containers
        _BLOCK.value.copies += [v for v in values if isinstance(v, (np.ndarray, Recorder))]
    return kept


def forget_copies() -> None:
    """Forbid changes of the containers of a branch that has been traced."""
    if _BLOCK.value is not None:
        _BLOCK.value.copies.clear()


@contextlib.contextmanager
def no_leaks():
    """Open a block that traces a branch or loop body; traced values must not be stored outside.

    Raises an error if they are.
    """
    with _BLOCK.holding(_Block()) as block:
        yield
        while block.stores:
            owner, attribute, key, value, what, line = block.stores.pop()
            # A store that restoring the state has undone is an output of the block.
            if _stored_value(owner, attribute, key) is value and _outlives(owner, block):
                _raise_leak(what, line)
        while block.changes:
            container, what, line = block.changes.pop()
            if _outlives(container, block):
                _raise_leak(what, line)


def _outlives(value, block: _Block) -> bool:
    """Return whether anything holds an object besides the caller's variable and the records of a block."""
    records = sum(record[0] is value for record in (*block.stores, *block.changes))
    # The caller's variable, that of this function, and the argument of the call.
    return sys.getrefcount(value) > records + 3


def _raise_leak(what: str, line: str):
    raise errors.UnimplementedError(
        errors.message(
            what,
            "a branch or loop over traced data stores a value outside of the branch or loop.",
            required="a local variable, or an attribute that the branch or loop itself assigns",
            at=line,
            do="return the value, and store the value after the branch or loop.",
        )
    )
