"""Locate the first divergence of an original program and its port on one case."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.locate.gradients import locate_gradients
from tf2jax_port.diff.locate.interfaces import locate_error, locate_interface
from tf2jax_port.diff.locate.result.located import (
    RAISED,
    VALUE,
    Located,
    NotLocated,
    with_neighbors,
)
from tf2jax_port.diff.locate.values import locate_values
from tf2jax_port.diff.locate.watch.places import Stack
from tf2jax_port.diff.locate.watch.pulling import pull_jax, pull_tensorflow
from tf2jax_port.diff.locate.watch.trail import Trail
from tf2jax_port.diff.locate.watch.watch_jax import watch_jax
from tf2jax_port.diff.locate.watch.watch_tensorflow import watch_tensorflow
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import cotangents
from tf2jax_port.diff.values.observation import COTANGENTS
from tf2jax_port.diff.values.precision import exact_wide, widened

# Runs in two precisions take the same way if they differ by less than this share of the fault.
_SAME_WAY = 0.1
# In seconds of processor time: a search in double precision that fails later is not repeated.
_LONG = 20.0


def locate(
    old: Callable[..., Any],
    new: Callable[..., Any],
    case: Arguments,
    seed: int = 0,
    different: Collection[str] | None = None,
) -> Located | NotLocated:
    """Locate the first operation of a port whose inputs agree but whose result differs.

    Both programs run eagerly and unmodified: first in double precision, where rounding errors are far smaller
    than any fault, then in the precision of the case. If the run in double precision takes another
    branch, for example because it breaks a tie in another way, the precision of the case decides.

    Args:
      old: the TensorFlow function.
      new: its port.
      case: a call on which their results differ.
      seed: the seed of the random numbers in both programs.
      different: the titles of the outputs and gradients that differ; all by default.
    """
    import jax

    own = tuple(
        f.__code__.co_filename
        for f in (_python_function(old), _python_function(new))
        if f is not None
    )
    stack = Stack(own)
    reason = "the original and the port agree if both run operator by operator"
    likely: Located | None = None
    start = time.process_time()
    for wide in (True, False):
        used = case.map(widened) if wide else case
        with jax.enable_x64(wide or bool(jax.config.read("jax_enable_x64"))):
            found = attempt(_locate, old, new, used, seed, stack, different)
        if isinstance(found, Failure):
            reason = found.reason
            if time.process_time() - start > _LONG:
                break
        # An error that occurs in double precision only is no fault of the port.
        if not isinstance(found, _Found) or (wide and found.located.kind == RAISED):
            continue
        if not wide or found.located.kind != VALUE:
            return found.located
        if _takes_the_same_way(found, attempt(_watched, old, new, case, seed, stack), different):
            return found.located
        likely = replace(found.located, confirmed=False)
    return likely or NotLocated(reason)


class _Found(NamedTuple):
    """A located difference, and the runs in which it was found."""

    located: Located
    theirs: Trail
    mine: Trail


def _takes_the_same_way(
    wide: _Found, runs: tuple[Trail, Trail] | Failure, different: Collection[str] | None
) -> bool:
    """Return whether runs in single precision have the differences of those in double precision.

    Args:
      wide: the runs in double precision.
      runs: those of the original and the port in the precision of the case.
      different: the outputs that differ.
    """
    if isinstance(runs, Failure):
        return True
    paths = [p for p in runs[0].outputs if different is None or p in different]
    for path in paths:
        a, b, c, d = (
            trail.array(trail.outputs[path]) if path in trail.outputs else None
            for trail in (*runs, wide.theirs, wide.mine)
        )
        sizes = {np.shape(one) for one in (a, b, c, d)}
        if (
            a is None
            or b is None
            or c is None
            or d is None
            or len(sizes) > 1
            or a.dtype.kind in "SUO"
        ):
            continue
        fault = _distance(a, b)
        if fault and max(_distance(a, c), _distance(b, d)) > _SAME_WAY * fault:
            return False
    return True


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest distance of two elements; infinity if only one of them is finite."""
    x, y = exact_wide(a), exact_wide(b)
    finite = np.isfinite(x) & np.isfinite(y)
    if np.any(np.isfinite(x) != np.isfinite(y)):
        return np.inf
    return float(np.max(np.abs(x - y), where=finite, initial=0.0))


def _watched(
    old: Callable[..., Any], new: Callable[..., Any], case: Arguments, seed: int, stack: Stack
) -> tuple[Trail, Trail]:
    return watch_tensorflow(old, case, seed, stack), watch_jax(_unwrap(new), case, seed, stack)


def _locate(
    old: Callable[..., Any],
    new: Callable[..., Any],
    case: Arguments,
    seed: int,
    stack: Stack,
    different: Collection[str] | None,
) -> _Found | None:
    theirs, mine = _watched(old, new, case, seed, stack)
    if theirs.error is not None:
        raise RuntimeError(f"the original raises: {theirs.error.reason}")
    found = locate_error(theirs, mine, case)
    if found is None and list(theirs.outputs) != list(mine.outputs):
        raise RuntimeError(
            "the results have different structures, and no operation explains the difference"
        )
    found = found or locate_values(theirs, mine, case, different)
    found = found or locate_interface(theirs, mine, case)
    found = found or _locate_gradients(old, new, case, seed, stack, theirs)
    if found is None:
        return None
    return _Found(with_neighbors(found, theirs, mine), theirs, mine)


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
