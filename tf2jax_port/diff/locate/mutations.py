"""Which operation mends the port if it is another one: add for subtract, floor for round, twice a term.

A port may compute a value on its own way, through values that the original has none of. Where such a way
ends in a wrong value, any of its operations may be the wrong one: each is exchanged for those that are
often meant, in every call and every pass of a loop, and the way is gone again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.frontier import before
from tf2jax_port.diff.locate.injection import RESULT, Injection, Injector, position
from tf2jax_port.diff.locate.matching import SINGLE, flattened, same
from tf2jax_port.diff.locate.places import NOWHERE, Place
from tf2jax_port.diff.locate.replay import replay
from tf2jax_port.diff.locate.trail import Again, Step

# In seconds of the processor; how many operations a way may have.
_BUDGET, _MOST = 15.0, 400
Instead = Callable[..., Any]


def exchanged(of: Injector, found: Injection) -> Injection:
    """The same with the operation to blame, where one of those before is wrong and another mends it.

    Args:
      of: the two runs.
      found: a value that is put right.
    """
    right = flattened(found.values[found.new]) if found.new in found.values else None
    if found.kind != RESULT or not found.complete or right is None or len(found.values) > 1:
        return found
    given = of.new.flat(found.new)
    if given is not None and same(-given, right, SINGLE / 30):
        # It is wrong by its sign alone, which anything before it could turn too.
        return found
    until = time.process_time() + _BUDGET
    useful = before(of.new.trail, [found.new])
    way = sorted(
        {position(of.new, n) for n in useful & of.new_region.values} - {-1, found.step.number}
    )
    mends: dict[Place, Step] = {}
    seen: set[tuple[int, ...]] = set()
    for step in [found.step, *(of.new.trail.steps[number] for number in way[:_MOST])]:
        if step.part in seen or step.place == NOWHERE or time.process_time() > until:
            continue
        seen.add(step.part)
        if _mends(of, step, found.new, right, useful):
            if step is found.step:
                return found
            mends.setdefault(step.place, step)
    # Where more than one line could be meant, none of them is.
    return replace(found, step=next(iter(mends.values()))) if len(mends) == 1 else found


def _mends(of: Injector, step: Step, wanted: int, right: np.ndarray, useful: set[int]) -> bool:
    trail = of.new.trail
    for instead in _instead(step.name):
        others = {one.number: _again(instead) for one in trail.passes(step)[-1]}
        result = replay(trail, {}, {}, useful, instead=others)
        array = None if result is None else result.get(wanted)
        flat = None if array is None else flattened(np.asarray(array))
        if flat is not None and same(flat, right, max(of.new.tolerance(wanted), SINGLE / 30)):
            return True
    return False


def _again(instead: Instead) -> Again:
    def again(operands: Sequence[Any]) -> Sequence[Any]:
        return [instead(*operands)]

    return again


def _instead(name: str) -> Iterator[Instead]:
    """The operations that may be meant by another."""
    import jax.numpy as jnp

    if name in ("add", "sub"):
        yield jnp.subtract if name == "add" else jnp.add
        yield lambda a, b: b - a
        sign = 1 if name == "add" else -1
        for factor in (2.0, 0.5):
            yield lambda a, b, f=factor: f * a + sign * b
            yield lambda a, b, f=factor: a + sign * f * b
    others: dict[str, tuple[Instead, ...]] = {
        "div": (lambda a, b: b / a,),
        "pow": (lambda a, b: b**a,),
        "max": (jnp.minimum,),
        "min": (jnp.maximum,),
        "floor": (jnp.round, jnp.ceil, jnp.trunc),
        "round": (jnp.floor, jnp.ceil, jnp.trunc),
        "ceil": (jnp.round, jnp.floor, jnp.trunc),
        "gt": (jnp.greater_equal, jnp.less),
        "ge": (jnp.greater, jnp.less_equal),
        "lt": (jnp.less_equal, jnp.greater),
        "le": (jnp.less, jnp.greater_equal),
        "and": (jnp.logical_or,),
        "or": (jnp.logical_and,),
        "sin": (jnp.cos,),
        "cos": (jnp.sin,),
        "exp": (jnp.expm1,),
        "log": (jnp.log1p,),
        "expm1": (jnp.exp,),
        "log1p": (jnp.log,),
        "tanh": (lambda a: 1.0 / (1.0 + jnp.exp(-a)),),
        "logistic": (jnp.tanh,),
        "abs": (jnp.square,),
    }
    yield from others.get(name, ())
