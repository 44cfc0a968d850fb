"""Define decorators for operators whose result size depends on the values of some arguments."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.sizes import numbering, room, trace
from shims._src.sizes.padded import Padded
from shims._src.tracing.dispatch import operator

# The number of elements from which the arrays of an operator are checked before they are computed.
_LARGE = 1 << 24
# The contexts in which an operator is traced only to learn how large its arrays are.
_TRIALS: list[Callable[[], contextlib.AbstractContextManager[object]]] = []


def hold_in_trials(context: Callable[[], contextlib.AbstractContextManager[object]]) -> None:
    """Let operators run in a context while they are traced only to learn how large their arrays are.

    Args:
      context: what makes the context. It keeps the operator from changing anything, such as a random stream.
    """
    _TRIALS.append(context)


def selected_by(*names: str):
    """Make an operator of a function whose result size depends on the arguments `names`.

    If these arguments are known, as they may be under `jax.grad` or when other arguments are traced,
    the result has its exact size. If they are traced, the result has a data-dependent size, and is a
    `Padded` outside of a dynamic trace.
    """
    return _operator_decorator(names, jp.is_tracer)


def sized_by(*names: str, compiled: bool = False):
    """Make an operator of a function that takes sizes as the arguments `names`.

    Like `selected_by`, but a traced size that was computed from shapes counts as known. `compiled` is
    passed to `operator`.
    """
    return _operator_decorator(names, _is_unknown, compiled)


def _operator_decorator(names, is_unknown, compiled=False):

    def decorate(f):
        places = {n: i for i, n in enumerate(inspect.signature(f).parameters) if n in names}
        known, fresh = operator(f, compiled=compiled), operator(f, fresh=True)

        @functools.wraps(f)
        def call(*args, **kwargs):
            if trace.current() is not None:
                return known(*args, **kwargs)
            for name, place in places.items():
                value = args[place] if place < len(args) else kwargs.get(name)
                if value is None:
                    continue
                if _is_traced(value, is_unknown):
                    return fresh(*args, **kwargs)
                if _is_large(value):
                    _check_room(f, args, kwargs)
                if compiled and _is_shape(value):
                    # Numbers are part of what a repeated call is compiled for.
                    if place < len(args):
                        args = (*args[:place], value.tolist(), *args[place + 1 :])
                    else:
                        kwargs = {**kwargs, name: value.tolist()}
            return known(*args, **kwargs)

        return call

    return decorate


def _is_shape(value) -> bool:
    """Return whether a value is a concrete size or a short vector of sizes, as from `shims.shape`."""
    return (
        type(value) is jp.ArrayImpl
        and value.ndim < 2
        and value.dtype == np.int32
        and value.size < 9
    )


def _is_large(value) -> bool:
    """Return whether the sizes in an argument are so large that available memory must be checked."""
    return _product(value) >= _LARGE


def _product(value) -> int:
    if isinstance(value, (tuple, list)):
        return math.prod(map(_product, value))
    if isinstance(value, (int, np.integer)):
        return max(abs(int(value)), 1)
    if not isinstance(value, (np.ndarray, jax.Array)) or jp.is_tracer(value):
        return 1
    if value.dtype.kind not in "iu":
        return 1
    return math.prod(max(abs(n), 1) for n in np.ravel(value).tolist()) if value.size < 9 else 1


def _check_room(f, args, kwargs) -> None:
    """Check that the arrays which an operator computes fit into memory, without computing them."""
    try:
        with contextlib.ExitStack() as stack:
            for context in _TRIALS:
                stack.enter_context(context())
            staged = jax.make_jaxpr(lambda: f(*args, **kwargs))()
    except errors.ResourceExhaustedError:
        raise
    except Exception:  # noqa: BLE001 - the operator raises it again
        return
    for eqn in jaxprs.own_equations(staged):
        for var in eqn.outvars:
            room.check(f.__name__, var.aval.shape, var.aval.dtype)


def _is_traced(value, is_unknown) -> bool:
    if type(value) is jp.ArrayImpl:  # by far the most frequent case, at a seventh of the cost
        return False
    leaves = jax.tree.leaves(value, is_leaf=lambda v: isinstance(v, Padded))
    return any(isinstance(v, Padded) or is_unknown(jp.primal_tracer(v)) for v in leaves)


def _is_unknown(leaf) -> bool:
    """Return whether an argument is a tracer whose value does not follow from shapes."""
    if not jp.is_tracer(leaf):
        return False
    if leaf.ndim > 1 or not jnp.issubdtype(leaf.dtype, jnp.integer) or jp.is_symbolic(leaf.size):
        return True
    numbers = [leaf] if leaf.ndim == 0 else [leaf[i] for i in range(leaf.size)]
    return any(numbering.symbolic_value(n) is None for n in numbers)
