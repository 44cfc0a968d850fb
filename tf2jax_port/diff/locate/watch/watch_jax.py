"""Record the operations of a JAX function, which runs primitive by primitive."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from shims._src.platform import jax_private as jp
from tf2jax_port.diff.locate.watch.applied import Applied
from tf2jax_port.diff.locate.watch.places import Stack
from tf2jax_port.diff.locate.watch.trail import Again, Trail, endured
from tf2jax_port.diff.locate.watch.uncompiled import uncompiled
from tf2jax_port.diff.locate.watch.watch_tensorflow import content_of
from tf2jax_port.diff.locate.watch.wide_jax import in_double
from tf2jax_port.diff.locate.watch.wide_tensorflow import is_wide
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import Arguments

_CALLS = ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2")


class JaxWatch(jp.core.Trace):
    """A JAX trace that evaluates operations with its parent trace and records each of them.

    Arrays stay concrete, so the program can read their values.

    Args:
      parent: the trace that evaluates operations.
      stack: finds the user's lines.
      wide: whether to use double precision even where the program requests `float32`.
    """

    looks_on = True

    def __init__(self, parent: Any, stack: Stack, wide: bool = False) -> None:
        super().__init__()
        self.parent = self.parent_trace = parent
        self.trail = Trail()
        self._wide = wide
        self._stack = stack
        self._numbers: dict[int, int] = {}
        self._seen: dict[bytes, int] = {}
        # Objects identified by `id` must stay alive, so that no other object reuses it.
        self._alive: list[Any] = []

    def is_valid(self) -> bool:
        """Return whether the trace may still receive operations."""
        return self.parent.is_valid()

    def stage_value(self, val: Any) -> Any:
        """Convert a value, such as a NumPy array, to a JAX array of the parent trace."""
        with jp.under(self.parent):
            if type(val) is np.ndarray and val.dtype.kind in "biuf":
                import jax

                return jax.device_put(val)  # the trace would compile a program for every shape
            return self.parent.stage_value(val)

    def input(self, array: Any, name: str) -> None:
        """Add an array to the trail as the argument with the given name."""
        self.trail.names[self.number_of(array)] = name

    def number_of(self, held: Any) -> int:
        """Return the number of an array or number literal in the trail, adding it if necessary."""
        if id(held) not in self._numbers:
            self._alive.append(held)
            number = self.trail.value(self.held(held))
            content = content_of(self.trail.array(number))
            self._numbers[id(held)] = self._seen.get(content, number)
        return self._numbers[id(held)]

    def process_primitive(self, primitive: Any, tracers: Any, params: Any, /) -> Any:
        """Evaluate and record a primitive; one with a nested program is recorded operation by operation."""
        inner = self.program(primitive, params)
        if inner is not None:
            return self.go_through(inner, tracers)
        tracers, params = self.widened(primitive.name, tracers, params)
        with jp.under(self.parent):
            out = uncompiled(primitive.name, tracers, params)
            if out is None:
                out = primitive.bind(*tracers, **params)
        again = Applied(primitive, params)
        self.write(
            primitive.name, tracers, list(out) if primitive.multiple_results else [out], again
        )
        return out

    def process_custom_jvp_call(
        self, primitive: Any, fun: Any, jvp: Any, tracers: Any, /, **_: Any
    ) -> Any:
        """Record the operations inside a function with a custom JVP rule."""
        with jp.under(self):
            return fun.call_wrapped(*tracers)

    def process_custom_vjp_call(
        self, primitive: Any, fun: Any, fwd: Any, bwd: Any, tracers: Any, /, **_: Any
    ) -> Any:
        """Record the operations inside a function with a custom VJP rule."""
        with jp.under(self):
            return fun.call_wrapped(*tracers)

    def widened(
        self, name: str, operands: Sequence[Any], params: dict[str, Any]
    ) -> tuple[Sequence[Any], dict[str, Any]]:
        """Convert operands and parameters to double precision if the run requires it."""
        return in_double(name, operands, params, self._cast) if self._wide else (operands, params)

    def _cast(self, one: Any, dtype: np.dtype) -> Any:
        import jax

        with jp.under(self):
            return jax.lax.convert_element_type(one, dtype)

    def held(self, one: Any) -> Any:
        """Return the array to record for a value; subclasses remove tracers from it."""
        return one

    def write(
        self, name: str, operands: Sequence[Any], results: list[Any], again: Again | None = None
    ) -> None:
        """Record an operation with its operands and results."""
        numbers = [self.number_of(one) for one in operands]
        where = self._stack.here(sys._getframe(2))
        step = self.trail.step(name, numbers, [self.held(one) for one in results], where, again)
        for one, number in zip(results, step.results):
            self._alive.append(one)
            self._numbers[id(one)] = number
            content = content_of(self.trail.array(number))
            if content:
                self._seen[content] = number

    def go_through(self, program: Any, operands: Sequence[Any]) -> list[Any]:
        """Evaluate a nested program operation by operation, so that each is recorded."""
        jaxpr, consts = jp.open_jaxpr(program)
        with jp.under(self):
            return jp.core.eval_jaxpr(jaxpr, consts, *operands)

    @staticmethod
    def program(primitive: Any, params: Any) -> Any:
        """Return the nested program of a primitive that only calls one, such as `jit`; otherwise `None`."""
        if primitive.name in _CALLS:
            return params.get("jaxpr") or params.get("call_jaxpr")
        return None


@contextmanager
def watching(watch: JaxWatch, seed: int) -> Iterator[None]:
    """Record the JAX primitives that run inside the `with` block.

    Compilation is disabled, and all random number generators are seeded.
    """
    import jax

    import shims

    shims_random: Any = getattr(shims, "random", None)
    shims_random.set_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    with jax.disable_jit(), jp.under(watch):
        yield


def watch_jax(function: Callable[..., Any], case: Arguments, seed: int, stack: Stack) -> Trail:
    """Call a JAX function on a case and return the recorded trail."""
    import jax
    import jax.numpy as jnp

    watch = JaxWatch(jp.current_trace(), stack, is_wide(case.arrays))
    arrays = [a if a.dtype.kind in "OSU" else jnp.asarray(a) for a in case.arrays]
    for array, name in zip(arrays, case.paths):
        watch.input(array, name)
    with watching(watch, seed):
        result = endured(watch.trail, stack, lambda: function(*case.fill(arrays)))
    if watch.trail.error is not None:
        return watch.trail
    for path, leaf in tree.walk(result, "output"):
        if isinstance(leaf, jax.Array):
            watch.trail.outputs[path] = watch.number_of(leaf)
    return watch.trail
