"""Keep lists and dicts under all of their names, where traced data choose between them or decide on a change.

A staged statement returns new arrays. A container that all of its branches name is changed in place to
hold them, so that its other names see the change. Where the branches name different containers, the
result is a copy, which cannot be told from them as long as neither it nor a container for which it
stands changes. Reads that would see an old state are refused.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from shims._src.autograph.grown_lists import GrownList
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot
from shims._src.recording import snapshots

_DICTS = (dict, collections.OrderedDict, collections.defaultdict)
_CONTAINERS = (list, *_DICTS, GrownList)
# Objects beyond this number are not looked at when a variable is read.
_MOST = 10_000
# Classes of values that lead to no container; a function reads its variables itself.
_NOT_HOLDING = (jax.Array, int, float, str, type, types.FunctionType, types.ModuleType)
# So many choices are kept without a look at which of them matter.
_FEW = 16
_Path = tuple[Any, ...]


def is_container(value: Any) -> bool:
    """Return whether a value is a list or dict that a program may change in place."""
    return type(value) in _CONTAINERS


def _contents(value: Any) -> list:
    """Return what a container or a tuple holds, as a flat list."""
    if type(value) is GrownList:
        return jax.tree.leaves(value)
    if type(value) in _DICTS:
        return [x for pair in dict.items(value) for x in pair]
    return list(value)


def _fill(value: Any, contents: Any) -> None:
    """Give a container the contents of another container."""
    if type(value) is GrownList:
        value.become(contents)
    elif type(value) is list:
        value[:] = contents
    else:
        dict.clear(value)
        dict.update(value, contents)


def _parts(value: Any) -> list[tuple[Any, Any]]:
    """Return the keys and elements of a container or tuple that may hold others."""
    if type(value) in (list, tuple):
        return list(enumerate(value))
    return list(dict.items(value)) if type(value) in _DICTS else []


def containers_of(value: Any, path: _Path = ()) -> dict[_Path, Any]:
    """Return a container and those in it, by the keys that lead there."""
    found = {path: value} if is_container(value) else {}
    for key, part in _parts(value):
        found |= containers_of(part, (*path, key))
    return found


def copied(value: Any) -> Any:
    """Return a value with copies of the containers in it."""
    if type(value) is tuple:
        return tuple(map(copied, value))
    if type(value) is list:
        return list(map(copied, value))
    if type(value) is GrownList:
        return value.duplicate()
    if type(value) not in _DICTS:
        return value
    new = value.copy()
    for key, part in value.items():
        new[key] = copied(part)
    return new


class Contents:
    """The contents of some containers, and of the containers in them, at one time."""

    def __init__(self, values: Sequence[Any]):
        found = [part for value in values for part in containers_of(value).values()]
        self.containers = list({id(part): part for part in found}.values())
        self._kept = [shallow_copy(part) for part in self.containers]

    def restore(self) -> None:
        """Give the containers what they held."""
        for container, kept in zip(self.containers, self._kept, strict=True):
            if not _are_same(_contents(container), _contents(kept)):
                _fill(container, kept)

    def changed(self) -> list:
        """Return the containers whose contents have changed."""
        pairs = zip(self.containers, self._kept, strict=True)
        return [c for c, kept in pairs if not _are_same(_contents(c), _contents(kept))]


def shallow_copy(container: Any) -> Any:
    """Return a copy of a container that holds the same elements."""
    return container.duplicate() if type(container) is GrownList else container.copy()


def _are_same(now: list, before: list) -> bool:
    return len(now) == len(before) and all(map(lambda a, b: a is b, now, before))


# ---- the results of staged statements --------------------------------------------------------------


_Sources = dict[_Path, tuple[Any, ...]]


def sources_of(value: Any) -> _Sources:
    """Return the containers for which each container in a value of a block may stand, by path."""
    return {path: tuple(_chosen_from(c)) for path, c in containers_of(value).items()}


def _chosen_from(container: Any) -> list:
    """Return a container and, if it is a copy that the block in progress has made, those for which it stands."""
    made = [] if _CHOICES.value is None else _CHOICES.value.made
    found = [container]
    for one in found:
        sources = [choice.pair[1] for choice in made if choice.pair[0] is one]
        found += [s for s in sources if all(s is not f for f in found)]
    return found


def outside_of_block(sources: _Sources) -> _Sources:
    """Return sources without those that the block in progress has made, which hold its traced values."""
    block = jp.current_trace()

    def is_inner(container) -> bool:
        return any(jp.trace_of(leaf) is block for leaf in jax.tree.leaves(container))

    return {p: tuple(c for c in found if not is_inner(c)) for p, found in sources.items()}


class Renamed:
    """The containers of a loop's state, of which the body gets copies.

    Attributes:
      found: for each value of the state after an iteration, its sources, where originals replace their copies.
    """

    def __init__(self, before: Sequence[Any], copies: Sequence[Any]):
        pairs = list(zip(map(containers_of, before), map(containers_of, copies), strict=True))
        self._kept = Contents(copies)  # holds the copies, so that the numbers stay theirs
        self._originals = {
            id(copy): old[path] for old, new in pairs for path, copy in new.items() if path in old
        }
        self.found: list[_Sources] = []

    def _original(self, container: Any) -> Any:
        return self._originals.get(id(container), container)

    def end(self, after: Sequence[Any]) -> list:
        """Take the state after an iteration; return the originals of the containers that it has changed."""
        for value in after:
            found = sources_of(value).items()
            named = {path: tuple(map(self._original, sources)) for path, sources in found}
            self.found.append(outside_of_block(named))
        changed = [self._originals.get(id(c)) for c in self._kept.changed()]
        self._kept = Contents(())
        return [c for c in changed if c is not None]


def joined(value: Any, found: Sequence[_Sources], path: _Path = ()) -> Any:
    """Return a result of a staged statement, in the containers that it stands for.

    Args:
      value: the result, in new containers.
      found: for each branch, the sources of the value that the branch assigns.
      path: the place of `value` in the result.
    """
    if type(value) is tuple:
        return tuple(joined(part, found, (*path, i)) for i, part in enumerate(value))
    if not is_container(value):
        return value
    for key, part in _parts(value):
        value[key] = joined(part, found, (*path, key))
    sources = [branch.get(path, ()) for branch in found]
    distinct = list({id(s): s for of_branch in sources for s in of_branch}.values())
    if len(distinct) == 1 and all(sources) and type(distinct[0]) is type(value):
        if not _are_same(_contents(distinct[0]), _contents(value)):
            _fill(distinct[0], value)
        return distinct[0]
    for source in distinct:
        _note_choice(value, source)
    return value


@dataclasses.dataclass(frozen=True, eq=False)
class _Choice:
    """A copy, and a container for which it may stand.

    Attributes:
      pair: the two.
      kept: what they held.
      line: the user's line of the statement.
      is_change: whether Python would have changed the container, so that nothing stands for it.
    """

    pair: tuple[Any, Any]
    kept: tuple[list, list]
    line: str
    is_change: bool = False

    def changed(self) -> list:
        """Return those of the two whose contents have changed."""
        if self.is_change:
            return [_NEW]
        pairs = zip(self.pair, self.kept, strict=True)
        return [c for c, kept in pairs if not _are_same(_contents(c), kept)]


@dataclasses.dataclass(eq=False)
class _Choices:
    """The choices in one trace of JAX.

    Attributes:
      trace: the trace.
      earlier: the choices in the traces around it.
      made: its own choices.
      most: the number of choices at which those that do not matter are dropped.
    """

    trace: Any
    earlier: tuple[_Choice, ...]
    made: list[_Choice] = dataclasses.field(default_factory=list)
    most: int = _FEW


_CHOICES: ThreadSlot[_Choices | None] = ThreadSlot(None)


@contextlib.contextmanager
def scope() -> Iterator[None]:
    """Open a block that runs a function or a part of a staged statement; its choices end with its trace."""
    outer = _CHOICES.value
    if outer is not None and outer.trace is jp.current_trace():
        yield
        return
    earlier = () if outer is None else (*outer.earlier, *outer.made)
    choices = _Choices(jp.current_trace(), earlier)
    with _CHOICES.holding(choices):
        try:
            yield
        finally:
            choices.made.clear()


def _note_choice(copy: Any, source: Any) -> None:
    if copy is not source:
        kept = (_contents(copy), _contents(source))
        _note(_Choice((copy, source), kept, errors.user_line()))


_NEW = object()  # stands for what takes the place of a container


def note_replaced(old: Any) -> None:
    """Note that Python would have changed a container or array in a statement, whose result takes its place."""
    _note(_Choice((_NEW, old), ([], []), errors.user_line(), is_change=True))


def _note(choice: _Choice) -> None:
    choices = _CHOICES.value
    if choices is None:
        return
    choices.made.append(choice)
    if len(choices.made) >= choices.most:
        choices.made[:] = _of_reachable(choices.made)
        choices.most = max(_FEW, 2 * len(choices.made))


def _of_reachable(made: list[_Choice]) -> list[_Choice]:
    """Return the choices both of whose containers are held by something else."""
    own = collections.Counter(id(c) for choice in made for c in choice.pair)
    own.update(id(x) for choice in made for kept in choice.kept for x in kept)
    return [c for c in made if all(sys.getrefcount(x) > own[id(x)] + _OF_THE_COUNT for x in c.pair)]


# The references of `_of_reachable` itself: its variable, and the argument of the call.
_OF_THE_COUNT = 2


def check(value: Any) -> None:
    """Check a value that is read: Python might see a change in it that was made under another name.

    Raises:
      UnimplementedError: it would.
    """
    choices = _CHOICES.value
    if choices is None or not (choices.earlier or choices.made) or isinstance(value, _NOT_HOLDING):
        return
    stale = _stale((*choices.earlier, *choices.made))
    if not stale:
        return
    seen: set[int] = set()
    left = [value]
    while left and len(seen) < _MOST:
        one = left.pop()
        if id(one) in seen or isinstance(one, _NOT_HOLDING):
            continue
        seen.add(id(one))
        if id(one) in stale:
            raise errors.as_refusal(_refusal(type(one).__name__, stale[id(one)]))
        left.extend(snapshots.held(one))


def _stale(made: Sequence[_Choice]) -> dict[int, str]:
    """Return the line of a choice for the `id` of each container that Python might have changed under another name.

    These are what a changed copy may stand for, and the copies of those; also the copies of what is changed.
    """
    stale: dict[int, str] = {}
    for choice in made:
        for changed in choice.changed():
            is_copy = changed is choice.pair[0]
            other = choice.pair[is_copy]
            reached = {id(other): choice.line}
            for end in (
                (0, 1) if is_copy else (1,)
            ):  # from copies to sources, then from sources to copies
                _extend(reached, made, end, id(changed))
            stale |= reached
    return stale


def _extend(reached: dict[int, str], made: Sequence[_Choice], end: int, without: int) -> None:
    """Add the containers that choices lead to from one of their two sides, except one."""
    count = 0
    while count < len(reached):
        count = len(reached)
        found = [c for c in made if id(c.pair[end]) in reached and id(c.pair[1 - end]) != without]
        reached |= {id(c.pair[1 - end]): c.line for c in found}


def _refusal(kind: str, line: str) -> errors.UnimplementedError:
    return errors.UnimplementedError(
        errors.message(
            "if",
            f"a {kind} is read after another {kind} was changed, and traced data decide whether both are "
            f"the same object.",
            required="lists and dictionaries that are not changed after the choice",
            received=f"a choice in {line}",
            do="choose between copies, `jax.tree.map(lambda x: x, a)`, or create a new object instead of changing "
            "the old object.",
        )
    )


def other_name_error() -> errors.UnimplementedError:
    """Return the error for a loop that changes a container and reads it by another name."""
    return errors.as_refusal(
        errors.UnimplementedError(
            errors.message(
                "while",
                "a list or dict changes in a loop over traced data, and two names refer to it in the loop.",
                required="only one name for each list and dict that changes",
                do="use one name in the loop, and assign it to the other name afterwards.",
            )
        )
    )
