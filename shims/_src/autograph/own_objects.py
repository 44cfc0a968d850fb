"""Refuse changes of the program's own objects in statements on which traced data decide.

All branches are traced, and a loop's body once, so a change of a set, or of an object's attribute in a method,
would happen once whatever the data are. What the staged statement itself assigns is right: its variables, and items and
attributes of them. Objects from outside of the trace, such as a log, are changed while tracing, as in TensorFlow.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax

from shims._src.autograph import outside
from shims._src.control_flow.undefined import Undefined
from shims._src.errors import errors
from shims._src.recording import snapshots

# What holds no state of the program's, or that of its whole module.
_SHARED = (jax.Array, type, types.FunctionType, types.ModuleType)


def snapshot(blocks: Iterable[Callable]) -> snapshots.Snapshot:
    """Return a snapshot of the objects that the trace in progress has made and that the blocks of a statement reach.

    Raises:
      UnimplementedError: one of them is an iterator, which the blocks advance.
    """
    variables = _variables(blocks)
    for value in variables:
        if isinstance(value, Iterator) and not outside.holds(value):
            raise refusal(value)
    return snapshots.Snapshot(variables, leaves=_is_left_alone)


def _is_left_alone(value: Any) -> bool:
    kind = type(value)
    return (
        isinstance(value, _SHARED) or kind.__module__.startswith("shims.") or outside.holds(value)
    )


def _variables(functions: Iterable[Callable]) -> list:
    """Return the variables in the closures of functions, and of the functions among these."""
    found: dict[int, Any] = {}
    left: list[Any] = list(functions)
    while left:
        for cell in left.pop().__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:  # the variable is not set yet
                continue
            if id(value) not in found:
                found[id(value)] = value
                if isinstance(value, types.FunctionType):
                    left.append(value)
    return list(found.values())


def changed(before: Iterable[snapshots.Snapshot]) -> list:
    """Return the objects that are not as in the snapshots."""
    return [value for one in before for value in one.changed()]


def check_owners(names: Sequence[str], before: Sequence, after: Sequence) -> None:
    """Check that the items and attributes that a block assigns belong to the same objects before and after it.

    Args:
      names: the names of the variables that the block shares with the code around it, items and attributes among them.
      before: their values before the block.
      after: their values at its end.

    Raises:
      UnimplementedError: a variable or key on the way to one of them has a different value.
    """
    places = {name: i for i, name in enumerate(names) if name.isidentifier()}
    for name in names:
        for part in _variables_in(name):
            i = places.get(part)
            if i is None or isinstance(before[i], Undefined) or _is_same(before[i], after[i]):
                continue
            raise errors.as_refusal(
                errors.UnimplementedError(
                    errors.message(
                        "",
                        f"a branch or loop over traced data assigns `{name}`, and then another value to `{part}`.",
                        required=f"the same `{part}` in all assignments of `{name}`",
                        do=f"use another variable for the new value of `{part}`",
                    )
                )
            )


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, (int, str)) and type(a) is type(b) and a == b)


@functools.lru_cache(maxsize=4096)
def _variables_in(name: str) -> tuple[str, ...]:
    """Return the variables in the name of an item or an attribute."""
    if name.isidentifier():
        return ()
    nodes = ast.walk(ast.parse(name, mode="eval"))
    return tuple(sorted({n.id for n in nodes if isinstance(n, ast.Name)}))


def refusal(value: Any) -> errors.UnimplementedError:
    """Return the error for a change of an object."""
    return errors.as_refusal(
        errors.UnimplementedError(
            errors.message(
                "",
                f"a {type(value).__name__} changes in a branch or loop over traced data; tracing would always "
                "make this change.",
                required="changes of variables, and of items and attributes that the branch itself assigns",
                do="assign a number or an array in the branch, `n = n + 1`, and use `n` afterwards",
            )
        )
    )
