"""Locate the first divergence of an original program and its port on one case."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tf2jax_port.diff.locate.gradients import locate_gradients
from tf2jax_port.diff.locate.result.located import RAISED, Located, NotLocated, with_neighbors
from tf2jax_port.diff.locate.values import locate_error, locate_interface, locate_values
from tf2jax_port.diff.locate.watch.places import Stack
from tf2jax_port.diff.locate.watch.pulling import pull_jax, pull_tensorflow
from tf2jax_port.diff.locate.watch.trail import Trail
from tf2jax_port.diff.locate.watch.watch_jax import watch_jax
from tf2jax_port.diff.locate.watch.watch_tensorflow import watch_tensorflow
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import cotangents
from tf2jax_port.diff.values.observation import COTANGENTS
from tf2jax_port.diff.values.precision import widened


def locate(
    old: Callable[..., Any], new: Callable[..., Any], case: Arguments, seed: int = 0
) -> Located | NotLocated:
    """Locate the first operation of a port whose inputs agree but whose result differs.

    Both programs run eagerly and unmodified: first in double precision, where rounding errors are far smaller
    than any fault, then in the precision of the case.

    Args:
      old: the TensorFlow function.
      new: its port.
      case: a call on which their results differ.
      seed: the seed of the random numbers in both programs.
    """
    import jax

    own = tuple(
        f.__code__.co_filename
        for f in (_python_function(old), _python_function(new))
        if f is not None
    )
    stack = Stack(own)
    reason = "run operator by operator, the two agree"
    for wide in (True, False):
        used = case.map(widened) if wide else case
        with jax.enable_x64(wide or bool(jax.config.read("jax_enable_x64"))):
            found = attempt(_locate, old, new, used, seed, stack)
        # An error that occurs in double precision only is no fault of the port.
        if isinstance(found, Located) and not (wide and found.kind == RAISED):
            return found
        if isinstance(found, Failure):
            reason = found.reason
    return NotLocated(reason)


def _locate(
    old: Callable[..., Any], new: Callable[..., Any], case: Arguments, seed: int, stack: Stack
) -> Located | None:
    theirs = watch_tensorflow(old, case, seed, stack)
    if theirs.error is not None:
        raise RuntimeError(f"the original raises: {theirs.error.reason}")
    mine = watch_jax(_unwrap(new), case, seed, stack)
    found = locate_error(theirs, mine, case)
    if found is None and list(theirs.outputs) != list(mine.outputs):
        raise RuntimeError("the results have different structures, which no operation explains")
    found = found or locate_values(theirs, mine, case) or locate_interface(theirs, mine, case)
    found = found or _locate_gradients(old, new, case, seed, stack, theirs)
    return found and with_neighbors(found, theirs, mine)


def _locate_gradients(
    old: Callable[..., Any],
    new: Callable[..., Any],
    case: Arguments,
    seed: int,
    stack: Stack,
    theirs: Trail,
) -> Located | None:
    if not case.differentiable:
        return None
    outputs = {path: theirs.array(number) for path, number in theirs.outputs.items()}
    for kind in COTANGENTS:
        fed = cotangents(kind, outputs, seed)
        if not fed:
            return None
        pull = functools.partial(pull_jax, _unwrap(new), case, fed, seed, stack)
        found = locate_gradients(pull_tensorflow(old, case, fed, seed, stack), pull, case)
        if found is not None:
            return found
    return None


def _unwrap(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Python function that a `tf.function` or `jax.jit` function wraps."""
    for name in ("python_function", "__wrapped__"):
        if hasattr(function, name):
            return getattr(function, name)
    return function


def _python_function(function: Callable[..., Any]) -> Any:
    inner = _unwrap(function)
    inner = getattr(inner, "__func__", inner)
    return inner if hasattr(inner, "__code__") else None
