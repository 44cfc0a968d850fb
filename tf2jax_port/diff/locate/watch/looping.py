"""Find the loops of JAX, such as `lax.scan`, in which a recorded operation runs."""

from __future__ import annotations

import ast

from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.locate.watch.reading import function_of, statement
from tf2jax_port.diff.locate.watch.trail import Step

# The functions that call a function once per iteration.
_LOOPS = {"scan", "while_loop", "fori_loop"}


def loop_of(step: Step) -> tuple[Place, ...]:
    """Return the lines on the call stack from that of the innermost loop outward; empty outside of loops."""
    for depth, place in enumerate(step.places):
        said = statement(place)
        if depth and said is not None and _LOOPS & {*said.calls, *said.names}:
            return step.places[depth:]
    return ()


def goes_before(one: Step, other: Step) -> bool:
    """Return whether an operation is in an earlier iteration of the loop that contains both."""
    loop = loop_of(one)
    return bool(loop) and loop == loop_of(other) and one.passed < other.passed


def end_of_body(step: Step) -> Place | None:
    """Return the line on which the body of the innermost loop returns, or `None`."""
    loop = loop_of(step)
    if not loop:
        return None
    inside = step.places[len(step.places) - len(loop) - 1]
    node = function_of(inside)
    last = node.body[-1] if node is not None else None
    if not isinstance(last, ast.Return):
        return None
    return Place(inside.file, last.lineno, inside.function)
