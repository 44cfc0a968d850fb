"""Check whether the arguments of a case fit the parameters of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.lanes.jax_lanes import python_function

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_MOST_LISTED = 6


def check(
    calls: Sequence[Sequence[Any]],
    old: Callable[..., Any],
    new: Callable[..., Any] | None = None,
) -> None:
    """Check that every call fits the parameters of at least one function.

    If neither takes the arguments, both raise a `TypeError` whatever they compute, which would look like an
    agreement.

    Args:
      calls: the argument tuples of all cases.
      old: the original.
      new: its port, if there is one.

    Raises:
      DiffError: some calls do not fit; the message names the first, and the parameter.
    """
    sides = [old] if new is None else [old, new]
    known = [one for one in map(_signature, sides) if one is not None]
    if len(known) < len(sides):
        return
    wrong = {
        index: problems
        for index, call in enumerate(calls)
        if all(problems := [_problem(signature, call) for signature in known])
    }
    if wrong:
        raise DiffError(_message(wrong, known, sides))


def to_positional(index: int, given: Mapping[str, Any], old: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the argument tuple of a case that is a dict of arguments by name.

    Raises:
      DiffError: a name is no parameter, a parameter is missing, or one can only be passed by name.
    """
    signature = _signature(old)
    if signature is None:
        raise DiffError(
            f"cases(): case {index} is a dict, but the parameters of the original are unknown.\n  Required: one "
            "tuple per call, `yield (x, y)`"
        )
    try:
        bound = signature.bind(**given)
    except TypeError as error:
        raise DiffError(
            f"cases(): case {index} does not fit the parameters of the original.\n"
            f"  Required: {_name(old)}{signature}\n  Received: {error}"
        ) from None
    bound.apply_defaults()
    only_named = [
        name
        for name in bound.kwargs
        if name in given and signature.parameters[name].kind not in _POSITIONAL
    ]
    if only_named:
        raise DiffError(
            f"cases(): case {index} passes `{only_named[0]}`, a keyword-only parameter.\n"
            f"  Required: {_name(old)}{signature}\n{_by_name(only_named[0])}"
        )
    return tuple(bound.args)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return the parameters that a call must fit; `None` if they are not known.

    Decorators are not looked through, since they may add arguments; `tf.function`, `shims.function` and `jax.jit` are.
    """
    inner = getattr(function, "python_function", None) or python_function(function)
    try:
        return inspect.signature(inner, follow_wrapped=False)
    except (TypeError, ValueError):
        return None


def _problem(signature: inspect.Signature, call: Sequence[Any]) -> str:
    """Return why a call does not fit a signature, naming the parameter or the argument; `""` if it does."""
    try:
        signature.bind(*call)
    except TypeError as error:
        taken = sum(one.kind in _POSITIONAL for one in signature.parameters.values())
        if len(call) > taken:
            return (
                f"the number of arguments is {len(call)}, but no parameter accepts argument {taken}"
            )
        return f"the number of arguments is {len(call)}; {error}"
    return ""


def _message(
    wrong: Mapping[int, Sequence[str]],
    signatures: Sequence[inspect.Signature],
    sides: Sequence[Callable[..., Any]],
) -> str:
    first = min(wrong)
    many = len(wrong) > 1
    listed = ", ".join(map(str, sorted(wrong)[:_MOST_LISTED]))
    more = f" and {len(wrong) - _MOST_LISTED} more" if len(wrong) > _MOST_LISTED else ""
    subject = f"cases {listed}{more} do" if many else f"case {first} does"
    whose = "the function" if len(sides) == 1 else "either function"
    wanted = dict.fromkeys(f"{_name(f)}{s}" for f, s in zip(sides, signatures))
    of_first = f" (case {first})" if many else ""
    lines = [
        f"cases(): {subject} not fit the parameters of {whose}.",
        f"  Required: one element for each parameter of {', '.join(wanted)}",
        f"  Received: {wrong[first][0]}{of_first}",
    ]
    named = [
        one.name
        for one in signatures[0].parameters.values()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    return "\n".join([*lines, *([_by_name(named[0])] if named else [])])


def _by_name(name: str) -> str:
    return (
        f"  Do:       `{name}` is passed by name only: in both files, write a function of the other parameters\n"
        f"            that passes it, `def call(x, y): return loss(x, y, {name}=...)`, and compare these"
    )


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)
