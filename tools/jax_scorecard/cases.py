"""Search for calls of a function that succeed on exact arrays, with one or all arguments varying."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import signal
import warnings
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp

from tools.jax_scorecard import recipes
from tools.jax_scorecard.operands import AXES, MASKS, Chosen, Size, array_of, filled, leaves
from tools.jax_scorecard.operands import selected as cut
from tools.jax_scorecard.surface import Function, Parameter
from tools.jax_scorecard.user_code import call_of

_TRIES = 250
_SECONDS = 20


@dataclasses.dataclass(frozen=True)
class Case:
    """A call with operands.

    Attributes:
      label: which argument varies, as `x: floats selected`.
      name: the function.
      args: nested positional arguments, with operands as leaves.
      kwargs: arguments by name.
    """

    label: str
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def leaves(self) -> list[Any]:
        """Return the operands and plain values of all arguments."""
        return leaves((self.args, list(self.kwargs.values())))

    def chosen(self) -> list[Chosen]:
        """Return the selections among the arguments."""
        return [leaf for leaf in self.leaves() if isinstance(leaf, Chosen)]

    @property
    def has_size(self) -> bool:
        """Whether a size is among the arguments."""
        return any(isinstance(leaf, Size) for leaf in self.leaves())

    def run(self, parts: list[Any], size: Any) -> Any:
        """Call the function on selections and a size."""
        values = filled((self.args, list(self.kwargs.values())), parts, size)
        result = call_of(self.name, len(self.args), tuple(self.kwargs))(*values[0], *values[1])
        compared = recipes.COMPARED.get(self.name)
        if compared is None or not isinstance(result, tuple):
            return result
        return compared(result)

    def exact(self, amount: str) -> Any:
        """Call the function on the exact arrays."""
        mask = MASKS[amount]
        parts = [jnp.asarray(cut(array_of(c), AXES[c.kind], mask)) for c in self.chosen()]
        return self.run(parts, int(mask.sum()))


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` after some seconds of a block."""

    def stop(*_: object) -> None:
        raise TimeoutError("no result in time")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def succeeds(case: Case) -> bool:
    """Return whether a call works on exact arrays of both lengths that have elements to spare."""
    try:
        with time_limit(_SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = [case.exact("full"), case.exact("some")]
    except Exception:  # noqa: BLE001 - whatever a function raises for operands that it does not take
        return False
    return all(_computes(result) for result in results)


def _computes(result: Any) -> bool:
    found = leaves(result) if isinstance(result, (list, tuple)) else [result]
    return bool(found) and not any(isinstance(x, (str, type)) or x is NotImplemented for x in found)


def cases(function: Function) -> list[Case]:
    """Return the calls of a function that the scorecard runs."""
    written = recipes.BY_HAND.get(function.name)
    if written is not None:
        made = [_by_hand(function, entry) for entry in written]
    else:
        made = [case for case in _proposals(function) if case is not None]
    return list({case.label: case for case in made if written is None or succeeds(case)}.values())


def _by_hand(function: Function, entry: tuple[Any, ...]) -> Case:
    named = entry[-1] if isinstance(entry[-1], dict) else {}
    args = entry[: len(entry) - bool(named)]
    return Case(_label(args, named), function.name, args, named)


def _proposals(function: Function) -> Iterator[Case | None]:
    parameters = function.parameters()
    required = [p for p in parameters if p.required or p.repeated] or list(parameters[:1])
    together = _first(function, required, {}, lambda i, p: [*_selected(i, p), *_static(p)])
    yield from together
    arrays = _array_positions(required, together)
    for position in arrays if len(arrays) > 1 else ():
        yield from _first(
            function,
            required,
            {},
            lambda i, p, at=position: _selected(i, p) if i == at else _others(i, p),
        )[:1]
    for position in range(len(required)):
        yield from _first(
            function,
            required,
            {},
            lambda i, p, at=position: recipes.sizes(p) if i == at else _others(i, p),
        )[:1]
    yield from _with_options(function, parameters, required, together)


def _with_options(function, parameters, required, together) -> Iterator[Case]:
    for option in parameters:
        if option in required or option.name not in recipes.OPTIONAL:
            continue
        values = recipes.OPTIONAL[option.name]
        kinds = [list(values)] if values else [_selected(7, option), _others(7, option)[:3]]
        kinds = [k for k in kinds if k]
        base = [tuple(case.args) for case in together] or [()]
        counts = any(isinstance(v, int) and not isinstance(v, bool) for v in values)
        for group in [*kinds, *([recipes.sizes(option)] if counts or not values else [])]:
            found = (
                Case(_label(args, {option.name: value}), function.name, args, {option.name: value})
                for value in group
                for args in base
            )
            varying = (c for c in found if c.chosen() or c.has_size)
            yield from itertools.islice(filter(succeeds, varying), 2 if values else 1)


def _selected(position: int, parameter: Parameter) -> list[Any]:
    return recipes.selections(parameter, position)


def _others(position: int, parameter: Parameter) -> list[Any]:
    return recipes.others(parameter, position)


def _static(parameter: Parameter) -> list[Any]:
    fixed = recipes.others(parameter, 0)
    return fixed if parameter.name in recipes.STATIC else recipes.PLAIN


def _array_positions(required, together) -> list[int]:
    return sorted(
        {
            i
            for case in together
            for i, argument in enumerate(case.args)
            if any(isinstance(leaf, Chosen) for leaf in leaves(argument))
        }
    )


def _first(function, required, kwargs, choices) -> list[Case]:
    """Return the first calls that succeed: one whose first selection is a vector, one of more axes."""
    groups = [choices(i, p) for i, p in enumerate(required)]
    if not groups or not all(groups):
        return []
    order = sorted(itertools.islice(_ranked(groups), 4000), key=lambda pair: pair[0])
    found: dict[bool, Case] = {}
    for _, args in order[:_TRIES]:
        case = Case(_label(args, kwargs), function.name, tuple(args), kwargs)
        if not (case.chosen() or case.has_size):
            continue
        flat = all(array_of(c).ndim == 1 for c in case.chosen())
        if flat not in found and succeeds(case):
            found[flat] = case
        if len(found) == 2:
            break
    return list(found.values())


def _ranked(groups) -> Iterator[tuple[int, list[Any]]]:
    for places in itertools.product(*(range(len(g)) for g in groups)):
        # Equal kinds of operands first: a function of two arrays mostly takes two of one kind.
        spread = len(set(places)) - 1
        yield sum(places) + 2 * spread, [g[i] for g, i in zip(groups, places, strict=True)]


def _label(args: Any, kwargs: dict[str, Any]) -> str:
    words = [_word(a) for a in args] + [f"{k}={_word(v)}" for k, v in kwargs.items()]
    return ", ".join(words)


def _word(argument: Any) -> str:
    if isinstance(argument, (list, tuple)):
        inner = ", ".join(map(_word, argument))
        return f"[{inner}]" if isinstance(argument, list) else f"({inner})"
    match argument:
        case Chosen(kind):
            return f"{kind}[m]"
        case Size(more):
            return f"n{more:+d}" if more else "n"
    if hasattr(argument, "kind") and hasattr(argument, "seed"):
        return argument.kind
    if callable(argument):
        return getattr(argument, "__name__", "function")
    return "key" if argument is recipes.KEY else str(argument)
