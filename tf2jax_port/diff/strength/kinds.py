"""List the faults that are planted for each primitive, with the inputs that can detect each fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.search.alternatives import changes
from tf2jax_port.diff.locate.watch.applied import Applied
from tf2jax_port.diff.locate.watch.trail import Again, Step, Trail

TIE = "two values that are equal here"
HALF = "a number halfway between two integers"
SIGN = "a negative number that is not an integer"
OVERFLOW = "a number above 88, whose exponential overflows"
ZERO = "a zero here"
BEYOND = "a value beyond the bound"
BOUNDS = "an index out of bounds"
BOTH = "a case in which the condition has the other value"
NAN = "a NaN here"

# What the locator's alternatives of an operation are; of any other, another operation.
_OTHERS = {
    "slice": "a slice that is off by one",
    "cumsum": "a cumulative sum that is exclusive, or runs in the other direction",
    "cumprod": "a cumulative product that runs in the other direction",
    "cummax": "a cumulative maximum that runs in the other direction",
    "pad": "the two ends of a padding exchanged",
    "concatenate": "parts in the other order",
    "dot_general": "a contraction over a different axis",
    "reduce_sum": "a sum over a different axis",
    "reduce_max": "a maximum over a different axis",
    "reduce_min": "a minimum over a different axis",
    "iota": "a range that begins at a different number",
    "sort": "sorting in the other direction",
    "transpose": "a different order of axes",
    "rev": "no reversal",
    "argmax": "argmin in place of argmax",
    "argmin": "argmax in place of argmin",
    "integer_pow": "another exponent",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault planted into all executions of one operation on a line.

    Attributes:
      kind: its name.
      needs: what an input needs to notice it; empty if most inputs do.
      instead: for the number of each step, what runs in its place.
    """

    kind: str
    needs: str
    instead: dict[int, Again]


# Makes an operation's replacement from its recorded form and operands; `None` if it does not apply.
_Make = Callable[[Applied, Sequence[Any]], Again | None]


def faults(trail: Trail, steps: Sequence[Step]) -> Iterator[Fault]:
    """Yield the faults that can be planted into executions of one operation on one line."""
    fixed = [trail.maker(o) is None and o not in trail.names for o in steps[0].operands]
    for kind, needs, make in _KINDS.get(steps[0].name, ()):
        if needs == ZERO and fixed[-1]:  # a divisor that is written as a number
            continue
        instead = {}
        for step in steps:
            made = None
            if isinstance(step.again, Applied):
                made = make(step.again, [trail.values[o] for o in step.operands])
            if made is not None:
                instead[step.number] = made
        if instead:
            yield Fault(kind, needs, instead)
    if steps[0].name not in _NAMED:
        name = steps[0].name
        for at, instead in enumerate(changes(trail, steps), start=1):
            number = f", variant {at}" if at > 1 else ""
            yield Fault(
                _OTHERS.get(name, f"another operation in place of {name}") + number, "", instead
            )


def _by(function: Callable[..., Any]) -> _Make:
    """Return a maker for a function of the single operands."""
    return lambda applied, operands: lambda taken: [function(*taken)]


def _jnp(name: str) -> _Make:
    def make(applied: Applied, operands: Sequence[Any]) -> Again:
        import jax.numpy as jnp

        return lambda taken: [getattr(jnp, name)(*taken)]

    return make


def _integers(name: str) -> _Make:
    """Return a maker for a function of `jax.numpy` that applies to integers only."""

    def make(applied: Applied, operands: Sequence[Any]) -> Again | None:
        return _jnp(name)(applied, operands) if _kind(operands[0]) in "iu" else None

    return make


def _floats(function: Callable[..., Any]) -> _Make:
    def make(applied: Applied, operands: Sequence[Any]) -> Again | None:
        return _by(function)(applied, operands) if _kind(operands[0]) not in "iub" else None

    return make


def _without_bound(applied: Applied, operands: Sequence[Any]) -> Again | None:
    """Leave out a bound of `max` or `min`, which is the operand with fewer elements."""
    sizes = [np.size(one) for one in operands]
    if sizes[0] == sizes[1] and len({repr(np.asarray(o).ravel()[:1]) for o in operands}) > 1:
        constant = [np.ptp(_real(o)) == 0 if np.size(o) else False for o in operands]
        if not any(constant):
            return None
        sizes = [0 if c else 1 for c in constant]
    at = int(np.argmax(sizes))
    shape = np.broadcast_shapes(*(np.shape(o) for o in operands))
    return lambda taken: [_broadcast(taken[at], shape)]


def _last_of_ties(applied: Applied, operands: Sequence[Any]) -> Again:
    (axis,) = applied.params["axes"]
    size = np.shape(operands[0])[axis]

    def again(taken: Sequence[Any]) -> Sequence[Any]:
        import jax.numpy as jnp

        (found,) = applied([jnp.flip(taken[0], axis)])
        return [(size - 1 - found).astype(found.dtype)]

    return again


def _ties_reversed(applied: Applied, operands: Sequence[Any]) -> Again | None:
    if len(operands) < 2:  # equal numbers cannot be told apart
        return None
    axis = applied.params["dimension"]

    def again(taken: Sequence[Any]) -> Sequence[Any]:
        import jax.numpy as jnp

        return applied([jnp.flip(one, axis) for one in taken])

    return again


def _always(which: int) -> _Make:
    def make(applied: Applied, operands: Sequence[Any]) -> Again | None:
        if len(operands) != 3:
            return None
        shape = np.shape(operands[1])
        return lambda taken: [_broadcast(taken[1 + which], shape)]

    return make


def _nothing(applied: Applied, operands: Sequence[Any]) -> Again:
    """Return zeros in place of a maximum, which is often subtracted before an exponential."""

    def again(taken: Sequence[Any]) -> Sequence[Any]:
        import jax.numpy as jnp

        return [jnp.zeros_like(applied(taken)[0])]

    return again


def _as_mean(applied: Applied, operands: Sequence[Any]) -> Again | None:
    count = int(np.prod([np.shape(operands[0])[axis] for axis in applied.params["axes"]]))
    if count < 2:
        return None
    return lambda taken: [(applied(taken)[0] / count).astype(taken[0].dtype)]


def _other_mode(applied: Applied, operands: Sequence[Any]) -> Again | None:
    from jax.lax import GatherScatterMode as Mode

    clip = applied.params.get("mode") == Mode.CLIP
    return applied.with_params(mode=Mode.FILL_OR_DROP if clip else Mode.CLIP)


def _exp_clipped(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.exp(jnp.minimum(x, 80.0).astype(x.dtype))


def _away_from_zero(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.sign(x) * jnp.floor(jnp.abs(x) + 0.5)


def _shifted_log(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.log(x + 1e-7)


def _guarded_division(a: Any, b: Any) -> Any:
    import jax.numpy as jnp

    return jnp.where(b == 0, 0, a / jnp.where(b == 0, 1, b)).astype(a.dtype)


def _broadcast(one: Any, shape: tuple[int, ...]) -> Any:
    import jax.numpy as jnp

    return jnp.broadcast_to(one, shape)


def _kind(one: Any) -> str:
    return np.dtype(getattr(one, "dtype", type(one))).kind


def _real(one: Any) -> np.ndarray:
    return np.asarray(one).astype(np.float64)


_TRUNCATED = ("rounding toward zero", SIGN, _jnp("trunc"))
_KINDS: dict[str, tuple[tuple[str, str, _Make], ...]] = {
    "gt": (
        ("`>=` in place of `>`", TIE, _jnp("greater_equal")),
        ("`<` in place of `>`", "", _jnp("less")),
    ),
    "ge": (
        ("`>` in place of `>=`", TIE, _jnp("greater")),
        ("`<=` in place of `>=`", "", _jnp("less_equal")),
    ),
    "lt": (
        ("`<=` in place of `<`", TIE, _jnp("less_equal")),
        ("`>` in place of `<`", "", _jnp("greater")),
    ),
    "le": (
        ("`<` in place of `<=`", TIE, _jnp("less")),
        ("`>=` in place of `<=`", "", _jnp("greater_equal")),
    ),
    "max": (
        ("a lower bound left out", BEYOND, _without_bound),
        ("min in place of max", "", _jnp("minimum")),
    ),
    "min": (
        ("an upper bound left out", BEYOND, _without_bound),
        ("max in place of min", "", _jnp("maximum")),
    ),
    "clamp": (("bounds left out", BEYOND, _by(lambda low, x, high: x)),),
    "round": (
        ("halves rounded away from zero", HALF, _floats(_away_from_zero)),
        ("floor in place of round", "", _jnp("floor")),
    ),
    "floor": (_TRUNCATED, ("round in place of floor", "", _jnp("round"))),
    "ceil": (_TRUNCATED, ("round in place of ceil", "", _jnp("round"))),
    "rem": (("a remainder with the other sign", SIGN, _jnp("mod")),),
    "div": (
        ("an integer division that rounds the other way", SIGN, _integers("floor_divide")),
        ("0 as the result of a division by zero", ZERO, _floats(_guarded_division)),
        ("dividend and divisor exchanged", "", _floats(lambda a, b: b / a)),
    ),
    "add": (("minus in place of plus", "", _jnp("subtract")),),
    "sub": (
        ("plus in place of minus", "", _jnp("add")),
        ("operands exchanged", "", _by(lambda a, b: b - a)),
    ),
    "argmax": (("the last of equal maxima", TIE, _last_of_ties),),
    "argmin": (("the last of equal minima", TIE, _last_of_ties),),
    "sort": (("equal elements in the other order", TIE, _ties_reversed),),
    "select_n": (
        ("the condition never holds", BOTH, _always(0)),
        ("the condition always holds", BOTH, _always(1)),
    ),
    "reduce_max": (("a maximum that is not subtracted", OVERFLOW, _nothing),),
    "reduce_sum": (("a mean in place of a sum", "", _as_mean),),
    "exp": (("an exponential that does not overflow", OVERFLOW, _floats(_exp_clipped)),),
    "log": (("an epsilon in a logarithm", ZERO, _floats(_shifted_log)),),
    "gather": (("another rule for indices out of bounds", BOUNDS, _other_mode),),
}
# The operations whose alternatives are all among the kinds with names.
_NAMED = {*_KINDS} - {"reduce_max", "reduce_sum", "argmax", "argmin", "sort", "div", "exp", "log"}
