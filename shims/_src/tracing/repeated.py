"""Compile an eager operator as a whole when similar calls repeat.

An operator consists of many JAX operations, and eagerly each of them costs as much as a whole operator
of TensorFlow's. The first calls for given shapes and dtypes run step by step, so that a program that
does not repeat itself compiles nothing extra; the fifth call compiles the operator. The data checks of
the operator become one flag of the compiled program; if it is set, the call runs again step by step
and raises there, with the numbers in its message. An operator that needs the values of its arguments,
or returns anything but arrays, is not compiled, and neither is one with side effects: only pure
operators may be wrapped. A call that records a derivative of its own on a tape runs step by step, so
that the gradient of the fifth call is of the same kind as that of the first.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.platform.meshes import explicit_mesh
from shims._src.recording import recording
from shims._src.sizes import primitives
from shims._src.tracing.static_results import StaticArray

# Limits per operator: the kinds of calls that are counted, those that are compiled, and the leaves of
# a call's arguments.
SEEN, COMPILED, LEAVES = 512, 128, 64

_PLAIN = (bool, int, str, type(None), np.dtype)
_CONTAINERS = (tuple, list, dict)


class _NotCompilable(Exception):
    """Raised if an operator returns a value that a compiled program cannot return."""


class Repeated:
    """A pure operator whose eager calls are compiled when they are repeated.

    Attributes:
      f: the operator, written for arrays.
      step_by_step: the function that calls it without compilation.
      after: the number of similar calls that run step by step before the operator is compiled.
    """

    after = 4

    def __init__(self, f: Callable, step_by_step: Callable):
        self.f = f
        self.step_by_step = step_by_step
        self._seen: dict[object, int] = {}
        self._programs: dict[object, Callable | None] = {}

    def __call__(self, *args, **kwargs):
        """Call the operator, compiled or step by step."""
        leaves, tree = jax.tree.flatten((args, kwargs))
        kind = _call_kind(leaves)
        if kind is None or not jp.ambient_is_eager():
            return self.step_by_step(*args, **kwargs)
        key = (tree, recording.is_followed(*leaves), *kind)
        program = self._programs.get(key, self)
        if program is self:
            program = self._look_up(key, leaves, args, kwargs)
        if program is None:
            return self._run_steps(key, args, kwargs)
        try:
            result, flag = program([x for x in leaves if type(x) is jp.ArrayImpl])
        except Exception:  # noqa: BLE001 - the operator raises a better error itself
            self._programs[key] = None
            return self.step_by_step(*args, **kwargs)
        return result if flag is None or not flag else self.step_by_step(*args, **kwargs)

    def _run_steps(self, key, args, kwargs):
        """Run a call step by step; if it recorded a derivative of its own, never compile calls like it."""
        before = recording.explicit_count()
        result = self.step_by_step(*args, **kwargs)
        if recording.explicit_count() != before:
            self._programs[key] = None
        return result

    def _look_up(self, key, leaves, args, kwargs):
        """Count a call; after enough similar ones, return a program to be compiled, else `None`."""
        seen = self._seen.get(key, 0)
        if seen < self.after:
            if len(self._seen) >= SEEN:
                self._seen.clear()
            self._seen[key] = seen + 1
            return None
        if len(self._programs) >= COMPILED:
            self._programs.clear()
        standard = _is_standard(args) and _is_standard(kwargs)
        program = jax.jit(_make_program(self.f, leaves, key[0])) if standard else None
        self._programs[key] = program
        return program


def _call_kind(leaves) -> list[object] | None:
    """Return the part of the cache key that depends on the arguments: dtypes, shapes, and other values.

    Returns `None` if an argument rules out compilation.
    """
    if len(leaves) > LEAVES:
        return None
    found: list[object] = []
    for x in leaves:
        kind = type(x)
        if kind is jp.ArrayImpl:
            if explicit_mesh((x,)) is not None:
                return None
            found.append((x.shape, x.dtype, x.weak_type))
        elif kind is float:
            found.append(("float", x.hex()))  # 0.0 and -0.0 are equal, but not the same
        elif kind in _PLAIN or isinstance(x, (type, np.dtype)):
            found.append((kind, x))
        else:
            return None
    return found


def _is_standard(value) -> bool:
    """Return whether a structure consists only of Python's containers, without other pytree nodes."""
    if isinstance(value, _CONTAINERS):
        return all(map(_is_standard, value.values() if isinstance(value, dict) else value))
    return jax.tree_util.all_leaves([value]) or value is None


def _as_constant(x):
    """Return a number that is known while tracing, such as a size, as a constant of the program."""
    return jnp.asarray(x) if isinstance(x, (StaticArray, np.generic)) else x


def _make_program(f, leaves, tree):
    """Return the operator as a function of its array arguments.

    It returns the result and one flag that is set if any data check fails, `None` without checks.
    """
    rest = [None if type(x) is jp.ArrayImpl else x for x in leaves]
    places = [i for i, x in enumerate(leaves) if type(x) is jp.ArrayImpl]

    def run(arrays):
        again = list(rest)
        for place, x in zip(places, arrays, strict=True):
            again[place] = x
        args, kwargs = jax.tree.unflatten(tree, again)
        with primitives.flagging() as flags:
            result = jax.tree.map(_as_constant, f(*args, **kwargs))
        if not all(isinstance(x, jax.Array) for x in jax.tree.leaves(result)):
            raise _NotCompilable
        flag = None
        for bad in flags:
            flag = jnp.any(bad) if flag is None else flag | jnp.any(bad)
        return result, flag

    return run
