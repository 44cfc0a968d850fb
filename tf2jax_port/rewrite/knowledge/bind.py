"""Bind the arguments of a call to the parameters of a TensorFlow function."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
from collections.abc import Iterable
from typing import NamedTuple

from tf2jax_port.rewrite.reading.layout import Argument


@dataclasses.dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature; `default` is its source text, `None` if there is none."""

    name: str
    default: str | None
    keyword_only: bool = False
    variadic: bool = False


class Refusal(NamedTuple):
    """The diagnostic and the reason why a call is not rewritten.

    `misspelled` is the argument for whose keyword the message proposes another spelling.
    """

    code: str
    message: str
    misspelled: Argument | None = None


class Bound(NamedTuple):
    """The arguments of a call, by parameter.

    `surplus` are the arguments that `*args` and `**kwargs` of the function receive; `dropped` are pairs of a parameter
    that only TensorFlow 1 has and its argument.
    """

    arguments: dict[str, Argument]
    surplus: tuple[Argument, ...] = ()
    dropped: tuple[tuple[str, Argument], ...] = ()


@functools.cache
def signature(params: str) -> tuple[Parameter, ...]:
    """Parse a parameter list given as text."""
    arguments = ast.parse(f"def f({params}): pass").body[0].args  # type: ignore[attr-defined]
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = len(plain) - len(arguments.defaults)
    defaults = [None] * missing + [ast.unparse(d) for d in arguments.defaults]
    found = [Parameter(a.arg, d) for a, d in zip(plain, defaults, strict=True)]
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, None, variadic=True))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        text = None if default is None else ast.unparse(default)
        found.append(Parameter(argument.arg, text, keyword_only=True))
    return tuple(found)


class _SignatureParts(NamedTuple):
    """The parts of a signature that are needed to bind arguments.

    `names` are all parameters except `*args` and `**kwargs`, `required` those without a default.
    """

    names: frozenset[str]
    positional: tuple[str, ...]
    required: tuple[str, ...]
    variadic: bool
    any_keyword: bool


@functools.cache
def _signature_parts(params: str) -> _SignatureParts:
    """Parse a parameter list given as text into parts for binding."""
    parameters = signature(params)
    named = [p for p in parameters if not p.variadic]
    return _SignatureParts(
        frozenset(p.name for p in named),
        tuple(p.name for p in named if not p.keyword_only),
        tuple(p.name for p in named if p.default is None),
        len(named) < len(parameters),
        "**" in params,
    )


@functools.cache
def defaults(params: str) -> dict[str, str | None]:
    """Return the text of each parameter's default, `None` for a required parameter."""
    return {p.name: p.default for p in signature(params)}


def bind_arguments(
    arguments: tuple[Argument, ...], params: str, renames: tuple[tuple[str, str], ...] = ()
) -> Bound | Refusal:
    """Bind a call's arguments to parameters as Python would.

    Args:
      arguments: the arguments as written.
      params: the signature as text.
      renames: pairs of an old keyword and the parameter that it means.

    Returns:
      The bound arguments, or a refusal if the arguments do not fit the signature or contain `*` or `**`.
    """
    if any(isinstance(a.node, ast.Starred) or a.keyword == "**" for a in arguments):
        return Refusal("TJ303", "the call has `*args` or `**kwargs`")
    places = _signature_parts(params)
    plain = [a for a in arguments if a.keyword is None]
    bound = dict(zip(places.positional, plain, strict=False))
    surplus = plain[len(bound) :]
    if surplus and not places.variadic:
        count = len(places.positional)
        return Refusal(
            "TJ302",
            f"the function accepts {count} positional arguments, but the call passes {len(plain)}",
        )
    for argument in arguments:
        if argument.keyword is None:
            continue
        name = argument.keyword
        if name not in places.names:
            name = dict(renames).get(name, "")
        if name not in places.names and places.any_keyword:
            surplus.append(argument)
            continue
        if name not in places.names:
            return _unknown_keyword(argument, argument.keyword, places.names)
        if name in bound:
            return Refusal("TJ302", f"the argument `{name}` is given twice")
        bound[name] = argument
    for name in places.required:
        if name not in bound:
            return Refusal("TJ302", f"the argument `{name}` is not given")
    return Bound(bound, tuple(surplus))


def _unknown_keyword(argument: Argument, keyword: str, names: Iterable[str]) -> Refusal:
    message = f"the rewriter does not support the argument `{keyword}`"
    near = difflib.get_close_matches(keyword, sorted(names), n=1, cutoff=0.7)
    if not near:
        return Refusal("TJ302", message)
    return Refusal("TJ302", f"{message}: did you mean `{near[0]}`?", argument)


def bind_version_1(
    arguments: tuple[Argument, ...],
    params: str,
    row_params: str,
    renames: tuple[tuple[str, str], ...],
    without_meaning: tuple[str, ...] = (),
) -> Bound | Refusal:
    """Bind arguments to TensorFlow 1's parameters, and translate the parameters to TensorFlow 2's.

    Args:
      arguments: the arguments as written.
      params: the signature of version 1 as text.
      row_params: the signature of version 2.
      renames: pairs of a parameter of version 1 and its name in version 2.
      without_meaning: parameters of version 1 that can be dropped.

    Returns:
      The bound arguments, or a refusal if version 2 has no parameter for an argument.
    """
    bound = bind_arguments(arguments, params)
    if isinstance(bound, Refusal):
        return bound
    today = {p.name for p in signature(row_params)}
    by_default = defaults(params)
    moved: dict[str, Argument] = {}
    dropped: list[tuple[str, Argument]] = []
    for name, argument in bound.arguments.items():
        new = name if name in today else dict(renames).get(name, "")
        if new in moved:
            return Refusal("TJ302", f"the argument `{new}` is given twice")
        if new:
            moved[new] = argument
        elif name in without_meaning or ast.unparse(argument.node) == by_default[name]:
            dropped.append((name, argument))
        else:
            return Refusal("TJ302", f"in TensorFlow 2 the function has no argument `{name}`")
    missing = [p.name for p in signature(row_params) if p.default is None and not p.variadic]
    for name in missing:
        if name not in moved:
            return Refusal("TJ302", f"the argument `{name}` is not given")
    return Bound(moved, bound.surplus, tuple(dropped))
